"""Built-in planner backends: one row of data per search; the classes are imported on first use."""

from __future__ import annotations

from cubespace.plugins.catalogue import provide_all

MERGE_AND_SHRINK = (
    "merge_and_shrink(shrink_strategy=shrink_bisimulation(greedy=false),"
    "merge_strategy=merge_sccs(order_of_sccs=topological,merge_selector=score_based_filtering("
    "scoring_functions=[goal_relevance(),dfp(),total_order()])),"
    "label_reduction=exact(before_shrinking=true,before_merging=false),max_states=50k,threshold_before_merge=1,"
    "main_loop_max_time=300)"
)
LANDMARKS = "landmark_cost_partitioning(lm_merged([lm_rhw(),lm_hm(m=1)]))"
LAMA_FIRST = (
    "let(hlm,landmark_sum(lm_factory=lm_reasonable_orders_hps(lm_rhw()),pref=false),let(hff,ff(),"
    "lazy_greedy([hff,hlm],preferred=[hff,hlm],cost_type=one,reopen_closed=false)))"
)

# name, search, whether its plans have minimum cost, summary
FAST_DOWNWARD = (
    ("fd", "astar(lmcut())", False, 'any search of Fast Downward: fd:search="astar(hmax())",optimal=on'),
    ("fd-blind", "astar(blind())", True, "A* without a heuristic"),
    (
        "fd-gc",
        "eager_greedy([goalcount()])",
        False,
        "greedy search with the goal-count heuristic, as the paper's authors ran it",
    ),
    ("fd-gc-astar", "astar(goalcount())", False, "A* with the goal-count heuristic, as the paper's text says"),
    ("fd-lmcut", "astar(lmcut())", True, "A* with the landmark-cut heuristic"),
    ("fd-ms", f"astar({MERGE_AND_SHRINK})", True, "A* with merge-and-shrink (DFP, bisimulation, 50k states)"),
    ("fd-lama", LAMA_FIRST, False, "the first iteration of LAMA: lazy greedy with landmarks and FF"),
    ("fd-pdb", "astar(pdb())", True, "A* with one pattern database"),
    ("fd-bjolp", f"let(lmc,{LANDMARKS},astar(lmc,lazy_evaluator=lmc))", True, "A* with landmark cost partitioning"),
    ("fd-ff", "eager_greedy([ff()])", False, "greedy search with the FF heuristic"),
)

# name, search, heuristic, whether its plans are shortest, summary
PYPERPLAN = (
    ("pyperplan-blind", "astar", "blind", True, "A* without a heuristic"),
    ("pyperplan-bfs", "bfs", "blind", True, "breadth-first search"),
    ("pyperplan-hmax", "astar", "hmax", True, "A* with the hmax heuristic"),
    ("pyperplan-lmcut", "astar", "lmcut", True, "A* with the landmark-cut heuristic"),
    ("pyperplan-astar-hff", "astar", "hff", False, "A* with the FF heuristic"),
    ("pyperplan-gbf-hff", "gbf", "hff", False, "greedy search with the FF heuristic"),
    ("pyperplan-gbf-landmark", "gbf", "landmark", False, "greedy search with the landmark-count heuristic"),
)

fast_downward = provide_all(
    "planner",
    "cubespace_planners.fast_downward:FastDownward",
    *((name, summary, {"search": search, "optimal": optimal}) for name, search, optimal, summary in FAST_DOWNWARD),
)
pyperplan = provide_all(
    "planner",
    "cubespace_planners.pyperplan:Pyperplan",
    *(
        (name, f"pyperplan: {summary}", {"search": search, "heuristic": heuristic, "optimal": optimal})
        for name, search, heuristic, optimal, summary in PYPERPLAN
    ),
)
symk = provide_all(
    "planner",
    "cubespace_planners.symk:SymK",
    ("symk-bd", "bidirectional symbolic search (BDDs)", {"search": "sym_bd()", "optimal": True}),
)
ama2 = provide_all(
    "planner",
    "cubespace_planners.latent_search:LatentSearch",
    ("ama2-blind", "A* in the network's successors, without a heuristic; needs --preset ama2", {"order": "blind"}),
    ("ama2-gc", "greedy goal-count search in the network's successors; needs --preset ama2", {"order": "goal-count"}),
)
up = provide_all(
    "planner",
    "cubespace_planners.unified:UnifiedPlanning",
    ("up", "any engine of unified-planning: up:engine=enhsp-opt", {}),
)
lapkt = provide_all(
    "planner", "cubespace_planners.lapkt:Lapkt", ("lapkt", "width-based search (BFWS, IW, SIW): lapkt:search=iw", {})
)
