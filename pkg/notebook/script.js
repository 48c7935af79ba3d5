
"use strict";
// Tables sort by the column whose head is pressed. Numbers sort by value, and
// cells without one, such as a dash, come last either way.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  if (body.rows.length < 2) continue;
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    const numeric = head.classList.contains("num");
    const key = (row) => {
      const text = row.cells[column].textContent.trim();
      return numeric ? parseFloat(text.replace(/[,\s\u00a0\u202f]/g, "").replace("\u2212", "-")) : text;
    };
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down < 0 ? "descending" : "ascending");
      const rows = [...body.rows].map((row) => [key(row), row]);
      rows.sort(([a], [b]) => {
        if (!numeric) return down * a.localeCompare(b, undefined, { numeric: true });
        return isNaN(a) - isNaN(b) || down * (a - b) || 0;
      });
      body.append(...rows.map(([, row]) => row));
    });
  });
}
// A fold cannot be opened on paper.
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
});
