"use strict";
/* The list of pages: filled, and kept up to date while pages are prepared or labelled in other tabs. */
(() => {
  const POLL = 1500;
  const byId = (id) => document.getElementById(id);
  const [rows, start] = [document.querySelector("tbody"), byId("start")];
  let before = "";

  function cell(text, className = "") {
    const made = document.createElement("td");
    made.className = className;
    made.append(text);
    return made;
  }

  function row({ number, id, title, confidence, blocks, corrected, status }) {
    const made = document.createElement("tr");
    const link = document.createElement("a");
    const where = document.createElement("small");
    link.href = `page/${number}`;
    link.textContent = title || id;
    where.textContent = title ? id : "";
    const page = cell(link);
    page.append(where);
    const sure = confidence === null ? "–" : confidence.toFixed(2);
    made.dataset.status = status;
    made.append(page, cell(sure, "number"), cell(String(blocks), "number"), cell(corrected ? String(corrected) : "", "number"), cell(status, "status"));
    return made;
  }

  function item(text) {
    const made = document.createElement("li");
    made.textContent = text;
    return made;
  }

  function show({ pages, failed, ...progress }) {
    const next = pages.find((page) => page.status === "open");
    const text = `${progress.done} of ${progress.total} done${progress.skipped ? `, ${progress.skipped} skipped` : ""}`;
    byId("count").textContent = progress.ready ? text : `${text}; more are being prepared …`;
    byId("bar").max = Math.max(progress.total, 1);
    byId("bar").value = progress.done + progress.skipped;
    start.hidden = !next;
    if (next) start.href = `page/${next.number}`;
    rows.replaceChildren(...pages.map(row));
    byId("failed").hidden = !failed.length;
    byId("failed").querySelector("ul").replaceChildren(...failed.map(item));
  }

  async function look() {
    if (document.hidden) return;
    try {
      const answer = await (await fetch("list")).text();
      byId("lost").hidden = true;
      if (answer !== before) show(JSON.parse(answer));
      before = answer;
    } catch {
      byId("lost").hidden = false;
      byId("lost").textContent = "The server does not answer: start vclean label again. What was saved is kept.";
    }
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !start.hidden && !event.target.matches("a")) start.click();
  });
  document.addEventListener("visibilitychange", look);
  look();
  setInterval(look, POLL);
})();
