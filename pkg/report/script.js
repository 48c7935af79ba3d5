"use strict";
// Tables sort by the column whose head is pressed: up, down, and back to the
// order of the page; or down first, where the highest is the best. A cell's
// data-key stands for its text, and cells with an empty one come last.
const order = new Intl.Collator("en", { numeric: true });
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const written = [...body.rows];
  if (written.length < 2) continue;
  for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    const numeric = head.dataset.sort === "number";
    const first = head.dataset.first ?? "ascending";
    const second = first === "ascending" ? "descending" : "ascending";
    const keys = new Map(written.map((row) => {
      const cell = row.cells[column];
      return [row, cell.dataset.key ?? cell.textContent.trim()];
    }));
    const compare = (a, b) => numeric ? (a > b) - (a < b) : order.compare(a, b);
    const read = (row) => numeric ? Number(keys.get(row)) : keys.get(row);
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      const next = now === null ? first : now === first ? second : null;
      for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
      let rows = written;
      if (next !== null) {
        head.setAttribute("aria-sort", next);
        const filled = written.filter((row) => keys.get(row) !== "");
        const sign = next === "ascending" ? 1 : -1;
        filled.sort((a, b) => sign * compare(read(a), read(b)));
        rows = filled.concat(written.filter((row) => keys.get(row) === ""));
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
