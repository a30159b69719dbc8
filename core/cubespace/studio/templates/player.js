
"use strict";
// Elements, pictures, and the plans: frames of one or two of them, moved through together.
const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
};

// A picture about as large as wanted: enlarged by whole numbers only, so that pixels stay square.
const image = (picture, side, kind = "", alt = picture.alt) => {
  const longer = Math.max(picture.width, picture.height);
  const scale = longer > side ? side / longer : Math.floor(side / longer);
  const [width, height] = [Math.round(picture.width * scale), Math.round(picture.height * scale)];
  return make("img", { class: `pixels ${kind}`, src: picture.source, width, height, alt, draggable: "false" });
};

const pick = (title, ...children) => make("button", { type: "button", class: "pick", title, "aria-pressed": "false" }, ...children);
const badge = (verdict) => make("span", { class: `badge ${verdict}` }, facts.words[verdict]);
const number = (value) => (value === null || value === undefined ? "–" : value.toLocaleString("en", { maximumFractionDigits: 3 }));

const literals = (bits, sign, kind) => bits.flatMap((bit) => [make("code", { class: kind }, `${sign}z${bit}`), " "]);
const listed = (...parts) => {
  const found = parts.flat();
  return found.length ? found : [make("span", { class: "muted" }, "nothing")];
};

const BIG = 258, SMALL = 60, BITS = 112; // pixels
const FRAME_MILLISECONDS = 600;
const MARKS = {
  new: "new and valid: no training pair goes from that very state to this one, and it is a legal move",
  unseen: "unseen step: no training pair goes from that very state to this one",
  doubtful: "doubtful step: unseen, and it lacks what nearly all true moves have",
};

class Player {
  constructor(plan) {
    this.plan = plan;
    this.figure = make("figure");
    this.caption = make("p", { class: "caption", "aria-live": "polite" });
    this.bits = make("div");
    this.literals = make("dl", { class: "literals" });
    this.buttons = plan.frames.map((frame, step) => this.thumbnail(frame, step));
    const given = (picture, word) => make("li", {}, make("span", { class: "pick given" }, image(picture, SMALL), make("span", {}, word)));
    this.root = make("article", { class: "player" },
      make("h3", {}, plan.planner, " ", badge(plan.verdict)),
      make("p", { class: "summary" }, plan.summary),
      ...plan.warnings.map((warning) => make("p", { class: "note" }, make("b", {}, "Warning. "), warning)));
    if (!plan.frames.length) return;
    this.strip = make("ol", { class: "strip" }, given(plan.init, "init"), ...this.buttons.map((button) => make("li", {}, button)), given(plan.goal, "goal"));
    this.root.append(make("div", { class: "stage" }, this.figure, make("div", { class: "detail" }, this.caption, this.bits, this.literals)), this.strip);
  }

  get last() { return Math.max(0, this.plan.frames.length - 1); }

  kind(step) { return this.plan.wrong === step ? "wrong" : this.plan.marks[step]; }

  thumbnail(frame, step) {
    const marks = [this.plan.wrong === step ? "✗" : "", facts.marks[this.plan.marks[step]] ?? ""].filter((mark) => mark);
    const button = pick(frame.action || "start", image(frame.picture, SMALL), make("span", {}, [step, ...marks].join(" ")));
    if (this.kind(step)) button.classList.add(this.kind(step));
    button.addEventListener("click", () => deck.go(step));
    return button;
  }

  show(wanted) {
    if (!this.plan.frames.length) return;
    const step = Math.min(wanted, this.last), frame = this.plan.frames[step], needs = frame.literals;
    this.figure.className = this.kind(step);
    this.figure.replaceChildren(image(frame.picture, BIG, "", `frame ${step} of ${this.last}, ${this.plan.planner}`));
    const title = step === 0 ? ["Frame 0: the start, drawn from its bits"] : [`Step ${step} of ${this.last}: `, make("code", {}, frame.action)];
    const marks = [], mark = this.plan.marks[step];
    if (mark) marks.push(make("span", { class: `mark ${mark}` }, MARKS[mark]));
    if (this.plan.wrong === step) marks.push(make("span", { class: "mark wrong" }, "✗ here the plan goes wrong"));
    this.caption.replaceChildren(...title, ...marks);
    this.bits.replaceChildren(image(frame.bits, BITS, "bits"));
    const rows = step === 0 ? [] : [["changes", listed(literals(frame.added, "+", "add"), literals(frame.deleted, "−", "delete"))]];
    if (needs) {
      rows.push(["needs", listed(literals(needs.positive, "", ""), literals(needs.negative, "¬", "not"))]);
      rows.push(["effect", listed(literals(needs.add, "+", "add"), literals(needs.delete, "−", "delete"))]);
      rows.push(["effect seen", [`in ${number(needs.support)} training pairs`]]);
    } else if (step > 0) rows.push(["needs", [make("span", { class: "muted" }, "not known: a label of the network, not an action of the model")]]);
    this.literals.replaceChildren(...rows.flatMap(([word, what]) => [make("dt", {}, word), make("dd", {}, ...what)]));
    this.buttons.forEach((button, each) => button.setAttribute("aria-pressed", String(each === step)));
    const here = this.buttons[step];
    this.strip.scrollLeft = here.offsetLeft - (this.strip.clientWidth - here.offsetWidth) / 2;
  }
}

class Deck {
  constructor(root) {
    this.root = root;
    this.players = [];
    this.step = 0;
    this.clock = null;
    this.range = root.querySelector("input[type=range]");
    this.output = root.querySelector("output");
    this.button = root.querySelector("[data-go=play]");
    this.range.addEventListener("input", () => { this.pause(); this.go(Number(this.range.value)); });
    for (const button of root.querySelectorAll("[data-go]")) button.addEventListener("click", () => this.do(button.dataset.go));
    addEventListener("keydown", (event) => this.key(event));
  }

  get last() { return Math.max(0, ...this.players.map((player) => player.last)); }

  show(plans) {
    this.pause();
    this.players = plans.map((plan) => new Player(plan));
    this.root.hidden = !plans.length;
    this.root.querySelector(".players").replaceChildren(...this.players.map((player) => player.root));
    this.root.querySelector("#comparison").replaceChildren(...(plans.length > 1 ? [comparison(plans)] : []));
    const shown = plans.some((plan) => plan.frames.length);
    for (const part of this.root.querySelectorAll(".controls, .keys")) part.hidden = !shown;
    this.range.max = this.last;
    this.go(0);
  }

  go(step) {
    this.step = Math.min(Math.max(0, step), this.last);
    this.range.value = this.step;
    this.output.value = `${this.step} of ${this.last}`;
    for (const player of this.players) player.show(this.step);
  }

  do(what) {
    if (what === "play") return this.clock === null ? this.play() : this.pause();
    this.pause();
    this.go({ first: 0, back: this.step - 1, on: this.step + 1, last: this.last }[what]);
  }

  play() {
    if (!this.last) return;
    if (this.step === this.last) this.go(0);
    this.clock = setInterval(() => (this.step < this.last ? this.go(this.step + 1) : this.pause()), FRAME_MILLISECONDS);
    this.button.setAttribute("aria-pressed", "true");
    this.button.textContent = "❚❚";
  }

  pause() {
    clearInterval(this.clock);
    this.clock = null;
    this.button.setAttribute("aria-pressed", "false");
    this.button.textContent = "▶";
  }

  key(event) {
    const busy = event.target.closest?.("input, select, textarea, summary");
    if (this.root.hidden || busy || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };
    const what = keys[event.key] ?? (event.key === " " && !event.target.closest?.("button, a") ? "play" : null);
    if (what === null) return;
    event.preventDefault();
    this.do(what);
  }
}

const comparison = (plans) => {
  const rows = [
    ["verdict", (plan) => badge(plan.verdict)],
    ["steps", (plan) => number(plan.steps)],
    ["steps not in training", (plan) => (plan.steps === null ? "–" : number(plan.unseen))],
    ["seconds", (plan) => number(plan.effort.seconds)],
    ["states expanded", (plan) => number(plan.effort.expansions)],
    ["megabytes", (plan) => number(plan.effort.megabytes)],
  ];
  const head = plans.map((plan) => make("th", { scope: "col" }, plan.planner));
  const body = rows.map(([title, cell]) => make("tr", {}, make("th", { scope: "row" }, title), ...plans.map((plan) => make("td", {}, cell(plan)))));
  return make("table", {}, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "side by side"), ...head)), make("tbody", {}, ...body));
};
