"use strict";
// Every table is sorted by the column whose name is clicked; again, and the order is reversed.
// Rows without a value stay last, rows of the table's foot stay where they are.
(() => {
  const words = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  function ordered(rows, column, descending) {
    const keyed = rows.map((row) => {
      const cell = row.cells[column];
      const text = cell.textContent.trim();
      const number = cell.dataset.value === undefined ? null : Number(cell.dataset.value);
      return { row, text, number, missing: text === "–" };
    });
    const numeric = keyed.every((entry) => entry.missing || entry.number !== null);
    keyed.sort((a, b) => {
      if (a.missing !== b.missing) return a.missing ? 1 : -1;
      const order = numeric ? a.number - b.number : words.compare(a.text, b.text);
      return descending ? -order : order;
    });
    return keyed.map((entry) => entry.row);
  }

  function sort(table, heads, column) {
    const descending = heads[column].getAttribute("aria-sort") === "ascending";
    for (const head of heads) head.removeAttribute("aria-sort");
    heads[column].setAttribute("aria-sort", descending ? "descending" : "ascending");
    const body = table.tBodies[0];
    body.append(...ordered([...body.rows], column, descending));
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sort(table, heads, column));
    });
  }
})();
