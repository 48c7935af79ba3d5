"use strict";
// Tables sort by the column whose head is pressed: up, down, and back to the
// order of the page; or down first, where the highest is the best. A column is
// sorted by number where all cells begin with one that only a percent sign, an
// interval or a mark follows. Blank cells come last.
const order = new Intl.Collator("en", { numeric: true });
const leading = /^[~≈<>≤≥]?\s*([+-]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+|∞)(?:e[+-]?\d+)?)\s*(?:%|±.*|\(.*|\[.*|-[\d.]+\/\+.*|(?:\.\.|…).*|[★~])?$/i;
const number = (text) => {
  const found = leading.exec(text.replaceAll("−", "-"));
  return found === null ? NaN : Number(found[1].replaceAll(",", "").replace("∞", "Infinity"));
};
const blank = (text) => ["", "-", "–", "—", "−", "n/a", "NaN"].includes(text);
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const written = [...body.rows];
  if (written.length < 2) continue;
  for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    const first = head.dataset.first ?? "ascending";
    const second = first === "ascending" ? "descending" : "ascending";
    const text = (row) => row.cells[column].textContent.trim();
    const filled = written.filter((row) => !blank(text(row)));
    const numeric = filled.every((row) => !isNaN(number(text(row))));
    const compare = (a, b) => numeric ? (number(a) > number(b)) - (number(a) < number(b)) : order.compare(a, b);
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      const next = now === null ? first : now === first ? second : null;
      for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
      let rows = written;
      if (next !== null) {
        head.setAttribute("aria-sort", next);
        const sign = next === "ascending" ? 1 : -1;
        rows = filled.toSorted((a, b) => sign * compare(text(a), text(b))).concat(written.filter((row) => blank(text(row))));
      }
      body.append(...rows);
    });
  }
}
// What a link leads to is opened, and what is wider than its place can be
// scrolled with the keys.
const reveal = () => {
  let fold = document.querySelector(":target")?.closest("details");
  for (; fold; fold = fold.parentElement.closest("details")) fold.open = true;
};
addEventListener("hashchange", reveal);
reveal();
for (const box of document.querySelectorAll(".scroll")) {
  if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
}
// A fold cannot be opened on paper. Those of trials stay as the reader left
// them: a hundred trials are a hundred pages.
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details:not([open], .trial, .all)")];
  for (const fold of closed) fold.open = true;
});
addEventListener("afterprint", () => {
  for (const fold of closed) fold.open = false;
});
