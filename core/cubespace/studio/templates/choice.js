
// Start and goal: dropped, chosen, drawn by the simulator, or edited by making moves.
const CHOSEN = 172, SEEN = 86, OFFERED = 60; // pixels

const ask = async (name, body) => {
  const kind = body instanceof Blob ? "application/octet-stream" : "application/json";
  let answer;
  try {
    answer = await fetch(name, { method: "POST", headers: { "Content-Type": kind }, body: body instanceof Blob ? body : JSON.stringify(body) });
  } catch {
    throw new Error("the studio does not answer: is it still running in its terminal?");
  }
  const table = await answer.json();
  if (!answer.ok) throw new Error(table.error);
  return table;
};

class End {
  constructor(role, changed) {
    this.role = role;
    this.root = document.getElementById(role);
    this.well = this.root.querySelector(".well");
    this.item = null;
    this.moves = null;
    this.changed = changed;
    if (facts.live) this.listen();
  }

  listen() {
    this.radio = this.root.querySelector("input");
    this.radio.addEventListener("change", () => this.changed(this));
    this.well.addEventListener("click", () => this.activate());
    this.root.addEventListener("dragover", (event) => { event.preventDefault(); this.root.classList.add("over"); });
    this.root.addEventListener("dragleave", () => this.root.classList.remove("over"));
    this.root.addEventListener("drop", (event) => {
      event.preventDefault();
      this.root.classList.remove("over");
      this.activate();
      if (event.dataTransfer.files.length) this.upload(event.dataTransfer.files[0]);
      else this.say("Only picture files can be dropped here.", true);
    });
  }

  activate() {
    this.radio.checked = true;
    this.changed(this);
  }

  say(text, wrong = false) {
    const line = this.root.querySelector(".say");
    line.textContent = text;
    line.classList.toggle("wrong", wrong);
  }

  async attempt(work) {
    this.say("…");
    try {
      await work();
    } catch (error) {
      this.say(error.message, true);
    }
  }

  upload(file) {
    return this.attempt(async () => {
      if (file.size > facts.most_bytes) throw new Error(`that file is too large: at most ${facts.most_bytes >> 20} MB`);
      const taken = await ask("picture", file.slice(0, file.size, "application/octet-stream"));
      await this.set(taken, taken.notes);
    });
  }

  draw(kind) {
    return this.attempt(async () => {
      if (kind !== "shuffle") return this.set(await ask("state", { kind }));
      if (this.item === null) throw new Error("Choose a picture first: it is shuffled from there.");
      return this.set(await ask("shuffle", { picture: this.item.id }));
    });
  }

  choose(item) {
    return this.attempt(() => this.set(item));
  }

  async set(item, notes = []) {
    this.item = item;
    this.moves = null;
    this.well.replaceChildren(this.framed(item.picture, CHOSEN, "given", facts.live ? "given" : ""));
    if (!facts.live) return this.say("");
    this.changed(this);
    const seen = await ask("look", { picture: item.id });
    if (this.item !== item) return; // another one was chosen in the meantime
    this.well.append(this.framed(seen.redrawn, SEEN, "", "as its bits show it"));
    this.moves = seen.moves;
    this.say([...notes, ...seen.warnings].join(" "), seen.warnings.length > 0);
    this.changed(this);
  }

  framed(picture, side, kind, words) {
    return make("figure", {}, image(picture, side, kind, kind ? `${this.role === "init" ? "start" : "goal"}: ${picture.alt}` : picture.alt), make("figcaption", {}, words));
  }
}

class Choice {
  constructor() {
    this.ends = { init: new End("init", (end) => this.changed(end)), goal: new End("goal", (end) => this.changed(end)) };
    this.active = this.ends.init;
    this.listeners = [];
    if (facts.live) this.listen();
  }

  listen() {
    this.root = document.getElementById("choice");
    const file = document.getElementById("file");
    file.addEventListener("change", () => { if (file.files.length) this.upload(file.files[0]); file.value = ""; });
    for (const button of this.root.querySelectorAll("[data-state]")) button.addEventListener("click", () => this.active.draw(button.dataset.state));
    document.getElementById("swap").addEventListener("click", () => this.swap());
    for (const name of ["dragover", "drop"]) addEventListener(name, (event) => event.preventDefault()); // never leave the page for a file
    this.offer("pictures", facts.pictures, "picture held out", (item) => this.take(item));
    for (const [row, pair] of facts.instances.entries()) this.instance(pair, row, () => { this.ends.init.choose(pair.init); this.ends.goal.choose(pair.goal); });
    this.changed(this.active);
  }

  // A picture that is offered becomes the active end; then it is the other one's turn if that is still empty.
  take(item) {
    const other = this.other(this.active);
    this.active.choose(item);
    if (other.item === null) other.activate();
  }

  // So does a file that is chosen, unless it is refused.
  async upload(file) {
    const [end, other] = [this.active, this.other(this.active)];
    const before = end.item;
    await end.upload(file);
    if (end.item !== before && other.item === null && this.active === end) other.activate();
  }

  other(end) { return end === this.ends.init ? this.ends.goal : this.ends.init; }

  swap() {
    const [init, goal] = [this.ends.init.item, this.ends.goal.item];
    if (init === null || goal === null) return;
    this.ends.init.choose(goal);
    this.ends.goal.choose(init);
  }

  instance(pair, row, chosen) {
    const button = pick(`instance ${row + 1}`, image(pair.init.picture, OFFERED, "", `start of instance ${row + 1}`), make("span", {}, "→"), image(pair.goal.picture, OFFERED, "", `goal of instance ${row + 1}`));
    button.addEventListener("click", chosen);
    document.querySelector("#instances ul").append(make("li", {}, button));
    return button;
  }

  offer(id, items, word, chosen) {
    const list = document.querySelector(`#${id} ul`);
    if (!list) return;
    list.replaceChildren(...items.map((item, row) => {
      const button = pick(`${word} ${row + 1}`, image(item.picture, OFFERED, "", `${word} ${row + 1}`));
      button.addEventListener("click", () => chosen(item));
      return make("li", {}, button);
    }));
  }

  changed(end) {
    if (end.radio.checked) this.active = end;
    for (const each of Object.values(this.ends)) each.root.classList.toggle("active", each === this.active);
    document.getElementById("active").textContent = this.active.role === "init" ? "start" : "goal";
    const editor = document.getElementById("moves");
    if (editor) {
      const moves = this.active.moves ?? [];
      this.offer("moves", moves, "move", (item) => this.active.choose(item));
      const words = this.active.item === null ? "Choose a picture or draw a random state first." : "The simulator cannot read this picture.";
      editor.querySelector(".about").textContent = moves.length ? "Click a picture to make that move; the simulator draws them." : words;
    }
    for (const listener of this.listeners) listener();
  }

  get complete() { return this.ends.init.item !== null && this.ends.goal.item !== null; }
}
