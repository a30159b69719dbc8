// Tables of class "sortable": a click on a heading sorts by it, another one turns the order round.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const value = (row, column) => {
    const cell = row.cells[column];
    const given = cell.dataset.value ?? cell.textContent.trim();
    const number = Number(given);
    return given === "" ? -Infinity : Number.isNaN(number) ? given : number;
  };
  table.querySelectorAll("thead th").forEach((heading, column) => {
    const button = heading.querySelector("button");
    if (!button) return;
    button.addEventListener("click", () => {
      const down = heading.getAttribute("aria-sort") !== "descending";
      for (const other of table.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      const order = (one, two) => {
        const [left, right] = [value(one, column), value(two, column)];
        const both = typeof left === "number" && typeof right === "number";
        return both ? left - right : String(left).localeCompare(String(right));
      };
      const rows = [...body.rows].sort((one, two) => (down ? order(two, one) : order(one, two)));
      body.append(...rows);
    });
  });
}

// What is wider than the page says that it can be moved.
for (const box of document.querySelectorAll("div.scroll")) {
  const hint = document.createElement("p");
  hint.className = "hint";
  hint.textContent = "wider than the page: scroll sideways →";
  const look = () => box.scrollWidth > box.clientWidth + 1 ? box.before(hint) : hint.remove();
  new ResizeObserver(look).observe(box);
}

// A link to a plan that is folded away unfolds it.
const unfold = () => document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest("details")?.setAttribute("open", "");
addEventListener("hashchange", unfold);
unfold();
