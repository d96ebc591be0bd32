"use strict";

// A click on the head of a column sorts its table: numbers in descending order, texts in ascending order; a second click reverses it.
function sort(head) {
  const row = head.parentElement, index = [...row.children].indexOf(head), body = head.closest("table").tBodies[0];
  const isNumber = head.classList.contains("n"), previous = head.getAttribute("aria-sort");
  const descending = previous ? previous === "ascending" : isNumber;
  const key = (line) => {
    const cell = line.children[index];
    return isNumber ? Number.parseFloat(cell.dataset.order ?? "NaN") : cell.textContent;
  };
  const compare = (a, b) => {
    if (!isNumber) return a[0].localeCompare(b[0], "en");
    return Number.isNaN(a[0]) - Number.isNaN(b[0]) || a[0] - b[0] || 0;
  };
  const compareInDirection = (a, b) => (isNumber && (Number.isNaN(a[0]) || Number.isNaN(b[0])) ? compare(a, b) : (descending ? -1 : 1) * compare(a, b));
  for (const other of row.children) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", descending ? "descending" : "ascending");
  body.append(...[...body.rows].map((line) => [key(line), line]).sort(compareInDirection).map(([, line]) => line));
}

document.addEventListener("click", (event) => {
  const head = event.target.closest("table.sortable thead th");
  if (head) sort(head);
});

const filter = document.getElementById("filter");
if (filter) {
  const rows = [...document.querySelectorAll("#all-pages-table tbody tr")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const matches = document.getElementById("matches");
  filter.addEventListener("input", () => {
    const query = filter.value.trim().toLowerCase();
    let count = 0;
    rows.forEach((row, index) => { row.hidden = !texts[index].includes(query); count += !row.hidden; });
    matches.textContent = query ? `${count} of ${rows.length}` : "";
  });
}

// The JSON contains overlays as complete documents. Each is parsed only when it is opened.
const dialog = document.getElementById("overlay");
const frame = dialog.querySelector("iframe");
let overlays = null;
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-overlay]");
  if (!button) return;
  overlays ??= JSON.parse(document.getElementById("overlays").textContent);
  frame.srcdoc = overlays[Number(button.dataset.overlay)];
  document.getElementById("overlay-title").textContent = button.getAttribute("aria-label").replace("Open the overlay of ", "");
  dialog.showModal();
});
document.getElementById("close").addEventListener("click", () => dialog.close());
dialog.addEventListener("close", () => frame.removeAttribute("srcdoc"));
