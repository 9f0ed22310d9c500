"use strict";
// Tables that sort when their headings are clicked.

/** What a cell sorts by: its number, or its text. */
function sortValue(cell, isNumber) {
  const text = cell.textContent.trim();
  if (!isNumber) return text;
  const value = parseFloat(text.replace(/,/g, ""));
  return Number.isNaN(value) ? -Infinity : value;
}

function makeSortable(table) {
  const heads = [...table.querySelectorAll("thead th")];
  heads.forEach((head, column) => {
    const isNumber = head.classList.contains("number");
    const button = htmlElement("button", {type: "button", class: "sort"}, head.textContent);
    head.textContent = "";
    head.append(button);
    button.addEventListener("click", () => {
      const falls = isNumber ? head.ariaSort !== "descending" : head.ariaSort === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", falls ? "descending" : "ascending");
      const order = new Intl.Collator(undefined, {numeric: true}).compare;
      const rows = [...table.tBodies[0].rows].map((row) => [sortValue(row.cells[column], isNumber), row]);
      rows.sort(([a], [b]) => (isNumber ? a - b || 0 : order(a, b)) * (falls ? -1 : 1));
      table.tBodies[0].append(...rows.map(([, row]) => row));
    });
  });
}
