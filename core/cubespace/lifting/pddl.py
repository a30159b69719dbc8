"""Lifted PDDL: the domain with types, predicates and schemas; problems with objects, static facts and a state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cubespace.base.arrays import Bits
from cubespace.lifting.model import Atom, Forbidden, LiftedModel, Schema, Typed

DOMAIN = "cubespace"
WIDTH = 110  # of a line


def write_lifted_domain(model: LiftedModel, about: Sequence[str] = ()) -> str:
    """Return the domain; ``about`` are lines of comment for its head."""
    lines = [*(f"; {line}" for line in about), f"(define (domain {DOMAIN})"]
    lines += [
        f"  (:requirements {' '.join(_requirements(model))})",
        f"  (:types {_typed(model.types)})",
        "  (:predicates",
    ]
    for predicate in model.predicates:
        head = f"    ({' '.join((predicate.name, _typed(predicate.parameters)))})"
        lines.append(head + (f"  ; {predicate.note}" if predicate.note else ""))
    lines.append("  )")
    for schema in model.schemas:
        lines += _action(schema)
    return "\n".join([*lines, ")", ""])


def write_lifted_problem(model: LiftedModel, init: Bits, goal: Bits) -> str:
    """Return the problem that leads from one state to another; facts that are not in the goal are false there."""
    lines = [
        "(define (problem instance)",
        f"  (:domain {DOMAIN})",
        "  (:objects",
        *_wrapped(f"{' '.join(names)} - {kind}" for kind, names in _by_type(model.objects)),
        "  )",
        "  (:init",
        *_wrapped(_joined(model.facts)),
        *_wrapped(_joined(model.facts_of(init))),
        "  )",
        "  (:goal (and",
        *_wrapped(_joined(model.facts_of(goal))),
        *_wrapped(f"(not {fact})" for fact in _switched_off(model, goal)),
        "  ))",
    ]
    return "\n".join([*lines, ")", ""])


def _switched_off(model: LiftedModel, goal: Bits) -> list[Atom]:
    """Return the facts that must be stated to be false: those that no other fact excludes."""
    return [fact for fact, meaning in model.meaning if meaning.false is not None and not goal[meaning.true]]


def _requirements(model: LiftedModel) -> list[str]:
    words = [":strips", ":typing"]
    switches = any(schema.flips for schema in model.schemas)
    if switches or any(schema.false or schema.forbidden for schema in model.schemas):
        words.append(":negative-preconditions")
    if any(schema.forbidden for schema in model.schemas):
        words += [":disjunctive-preconditions", ":universal-preconditions"]
    if switches:
        words.append(":conditional-effects")
    return words


def _action(schema: Schema) -> list[str]:
    condition = [str(atom) for atom in (*schema.given, *schema.true)]
    condition += [f"(not {atom})" for atom in schema.false]
    condition += [_forbidden(each) for each in schema.forbidden]
    effect = [f"(not {atom})" for atom in schema.delete] + [str(atom) for atom in schema.add]
    for flip in schema.flips:
        given, fact, about = " ".join(map(str, flip.given)), flip.fact, _typed(flip.parameters)
        effect.append(f"(forall ({about}) (when (and {given} {fact}) (not {fact})))")
        effect.append(f"(forall ({about}) (when (and {given} (not {fact})) {fact}))")
    return [
        f"  (:action {schema.name}  ; {schema.transitions} transitions, {schema.events} different events",
        f"    :parameters ({_typed(schema.parameters)})",
        *_block(":precondition", condition),
        *_block(":effect", effect, end=")"),
    ]


def _forbidden(each: Forbidden) -> str:
    given = " ".join(map(str, each.given))
    given = given if len(each.given) == 1 else f"(and {given})"
    needed = [*(f"(not {atom})" for atom in each.absent), *map(str, each.present)]
    result = needed[0] if len(needed) == 1 else f"(and {' '.join(needed)})"
    return f"(forall ({_typed(each.parameters)}) (imply {given} {result}))"


def _block(head: str, parts: Sequence[str], end: str = "") -> list[str]:
    """Return a conjunction on one line if it fits, else with what is long on lines of its own."""
    if not parts:
        return [f"    {head} (and){end}"]  # some parsers require a condition where none is needed
    line = f"    {head} (and {' '.join(parts)}){end}"
    if len(line) <= WIDTH:
        return [line]
    short = " ".join(part for part in parts if len(part) <= WIDTH // 3)
    rows = [row for row in (short, *(part for part in parts if len(part) > WIDTH // 3)) if row]
    gap = "\n" + " " * (len(head) + 10)
    return [f"    {head} (and {gap.join(rows)}){end}"]


def _typed(names: Iterable[Typed]) -> str:
    """Return typed names; successive names of one type share it: ``?x - piece ?p ?q - place``."""
    parts: list[tuple[list[str], str]] = []
    for each in names:
        if not parts or parts[-1][1] != each.type:
            parts.append(([], each.type))
        parts[-1][0].append(each.name)
    return " ".join(f"{' '.join(together)} - {kind}" for together, kind in parts)


def _by_type(objects: Sequence[Typed]) -> list[tuple[str, list[str]]]:
    kinds = list(dict.fromkeys(each.type for each in objects))
    return [(kind, [each.name for each in objects if each.type == kind]) for kind in kinds]


def _joined(atoms: Iterable[Atom]) -> list[str]:
    return [str(atom) for atom in atoms]


def _wrapped(parts: Iterable[str]) -> list[str]:
    """Return parts in lines of limited length."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) < WIDTH:
            lines[-1] += f" {part}"
        else:
            lines.append(f"    {part}")
    return lines
