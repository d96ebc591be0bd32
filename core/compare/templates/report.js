"use strict";

/* Sorts a table by a column: numbers in descending order, texts in ascending order; a second click reverses it. */
function sort(head) {
  const body = head.closest("table").tBodies[0];
  const isNumber = head.className === "n";
  const previous = head.ariaSort;
  const sign = (previous ? previous === "ascending" : isNumber) ? -1 : 1;
  const text = (row) => row.cells[head.cellIndex].textContent;
  const number = (row) => Number.parseFloat(text(row).replaceAll(",", ""));
  const compareNumbers = (a, b) => isNaN(a) - isNaN(b) || sign * (a - b) || 0; // undefined values are last
  const compareTexts = (a, b) => sign * text(a).localeCompare(text(b), "en");
  const compare = (a, b) => (isNumber ? compareNumbers(number(a), number(b)) : compareTexts(a, b));
  for (const other of head.parentElement.children) other.ariaSort = null;
  head.ariaSort = sign < 0 ? "descending" : "ascending";
  body.append(...[...body.rows].sort(compare));
}

// The JSON contains overlays as complete documents. Each is parsed only when it is opened.
const dialog = document.getElementById("overlay");
const frame = dialog.querySelector("iframe");

function open({ dataset, ariaLabel }) {
  frame.srcdoc = JSON.parse(document.getElementById("overlays").textContent)[dataset.overlay];
  document.getElementById("overlay-title").textContent = ariaLabel.replace("Open the overlay of ", "");
  dialog.showModal();
}

dialog.addEventListener("close", () => frame.removeAttribute("srcdoc"));
document.addEventListener("click", ({ target }) => {
  const head = target.closest("thead th");
  const button = target.closest("[data-overlay]");
  if (head) sort(head);
  if (button) open(button);
});
