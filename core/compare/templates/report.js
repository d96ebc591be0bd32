"use strict";

// A click on a column's head sorts its table: numbers from the greatest first, texts from A; again, the other way.
function sort(head) {
  const row = head.parentElement, place = [...row.children].indexOf(head), body = head.closest("table").tBodies[0];
  const number = head.classList.contains("n"), before = head.getAttribute("aria-sort");
  const down = before ? before === "ascending" : number;
  const key = (line) => {
    const cell = line.children[place];
    return number ? Number.parseFloat(cell.dataset.order ?? "NaN") : cell.textContent;
  };
  const order = (a, b) => {
    if (!number) return a[0].localeCompare(b[0], "en");
    return Number.isNaN(a[0]) - Number.isNaN(b[0]) || a[0] - b[0] || 0;
  };
  const sign = (a, b) => (number && (Number.isNaN(a[0]) || Number.isNaN(b[0])) ? order(a, b) : (down ? -1 : 1) * order(a, b));
  for (const other of row.children) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  body.append(...[...body.rows].map((line) => [key(line), line]).sort(sign).map(([, line]) => line));
}

document.addEventListener("click", (event) => {
  const head = event.target.closest("table.sortable thead th");
  if (head) sort(head);
});

const filter = document.getElementById("filter");
if (filter) {
  const rows = [...document.querySelectorAll("#all-pages-table tbody tr")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const found = document.getElementById("found");
  filter.addEventListener("input", () => {
    const wanted = filter.value.trim().toLowerCase();
    let count = 0;
    rows.forEach((row, at) => { row.hidden = !texts[at].includes(wanted); count += !row.hidden; });
    found.textContent = wanted ? `${count} of ${rows.length}` : "";
  });
}

// Overlays are whole documents inside the JSON; each becomes one only when it is opened.
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
