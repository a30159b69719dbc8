
// The page: a live one starts searches and follows them, a saved one shows what was found.
const POLL_MILLISECONDS = 300;
const facts = JSON.parse(document.getElementById("facts").textContent);
const deck = new Deck(document.getElementById("result"));
const choice = new Choice();
const form = document.querySelector("#search form");
const say = (text, wrong = false) => {
  const line = document.getElementById("status");
  line.textContent = text;
  line.classList.toggle("wrong", wrong);
};
const wanted = () => [...new Set([form.first.value, form.second.value].filter((name) => name))];
const fill = (select, planners) => {
  select.append(...planners.map((planner) => make("option", { value: planner.name }, planner.optimal ? `${planner.name} (shortest plans)` : planner.name)));
};

class Search {
  constructor(planner) {
    this.planner = planner;
    this.bar = make("progress", { "aria-label": `time used by ${planner}`, max: facts.limits.seconds, value: 0 });
    this.words = make("code", {}, "preparing");
    this.stop = make("button", { type: "button" }, "Cancel");
    this.root = make("div", { class: "search" }, make("b", {}, planner), this.bar, this.stop, this.words);
    this.stop.addEventListener("click", () => this.cancel());
  }

  async cancel() {
    this.stop.disabled = true;
    if (this.id !== undefined) await ask("cancel", { search: this.id }).catch(() => {});
  }

  async run(init, goal, anyway) {
    this.id = (await ask("plan", { init, goal, planner: this.planner, anyway })).search;
    for (;;) {
      const now = await ask("progress", { search: this.id });
      if (now.state === "done") return now.plan;
      if (now.state === "cancelled") throw new Error("cancelled");
      if (now.state === "failed") throw new Error(now.error);
      this.bar.value = now.seconds;
      this.words.textContent = `${now.seconds.toFixed(1)} s: ${now.said || "preparing"}`;
      await new Promise((done) => setTimeout(done, POLL_MILLISECONDS));
    }
  }
}

const brief = (found) => (found.steps === null ? facts.words[found.verdict] : `${found.steps} steps, ${facts.words[found.verdict]}`);

const plan = async () => {
  const searches = wanted().map((planner) => new Search(planner));
  const { init, goal } = choice.ends;
  const submit = form.querySelector("[type=submit]");
  submit.disabled = true;
  say("");
  document.getElementById("progress").replaceChildren(...searches.map((search) => search.root));
  const ended = await Promise.allSettled(searches.map((search) => search.run(init.item.id, goal.item.id, Boolean(form.anyway?.checked)).finally(() => search.root.remove())));
  const plans = ended.filter((each) => each.status === "fulfilled").map((each) => each.value);
  const errors = ended.flatMap((each, row) => (each.status === "rejected" ? [`${searches[row].planner}: ${each.reason.message}`] : []));
  submit.disabled = !choice.complete;
  deck.show(plans);
  say([...plans.map((each) => `${each.planner}: ${brief(each)}`), ...errors].join(" · "), errors.length > 0);
  if (!plans.length) return;
  deck.root.scrollIntoView({ block: "start" });
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) deck.play();
};

const live = () => {
  fill(form.first, facts.planners);
  fill(form.second, facts.planners);
  const submit = form.querySelector("[type=submit]");
  choice.listeners.push(() => { submit.disabled = !choice.complete || document.querySelector(".search") !== null; });
  choice.changed(choice.active);
  form.addEventListener("submit", (event) => { event.preventDefault(); plan(); });
};

const saved = () => {
  fill(form.first, facts.planners);
  fill(form.second, facts.planners);
  let story = facts.stories[0];
  const buttons = facts.stories.map((each, row) => choice.instance(each, row, () => { story = each; show(); }));
  const show = () => {
    if (!story) return say("There are no plans in this file.");
    choice.ends.init.set(story.init);
    choice.ends.goal.set(story.goal);
    buttons.forEach((button, row) => button.setAttribute("aria-pressed", String(facts.stories[row] === story)));
    const plans = wanted().filter((name) => name in story.plans).map((name) => story.plans[name]);
    const missing = wanted().filter((name) => !(name in story.plans));
    say(missing.length ? `Not tried on this instance: ${missing.join(", ")}.` : "");
    document.getElementById("search").hidden = form.hidden && !missing.length; // no empty card
    deck.show(plans);
  };
  form.addEventListener("change", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = facts.planners.length < 2; // there is nothing to choose
  if (!form.hidden) form.second.value = facts.planners[1].name;
  show();
};

if (facts.live) live(); else saved();
