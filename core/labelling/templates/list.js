"use strict";
/* Fill the list of pages, and update it while pages are prepared or labelled in other tabs. */
(() => {
  const POLL = 1500;
  const byId = (id) => document.getElementById(id);
  const [start, bar] = [byId("start"), document.querySelector("progress")];
  let lastAnswer = "";

  function row({ number, id, title, confidence, blocks, corrected, status }) {
    const made = byId("row").content.firstElementChild.cloneNode(true);
    made.dataset.status = status;
    made.querySelector("a").href = `page/${number}`;
    made.querySelector("a").textContent = title || id;
    made.querySelector("small").textContent = title ? id : "";
    const texts = [confidence?.toFixed(2) ?? "–", blocks, corrected || "", status];
    texts.forEach((text, column) => { made.cells[column + 1].textContent = text; });
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
    Object.assign(bar, { max: Math.max(progress.total, 1), value: progress.done + progress.skipped });
    start.hidden = !next;
    if (next) start.href = `page/${next.number}`;
    document.querySelector("tbody").replaceChildren(...pages.map(row));
    byId("failed").hidden = !failed.length;
    byId("failed").querySelector("ul").replaceChildren(...failed.map(item));
  }

  async function refresh() {
    if (document.hidden) return;
    try {
      const answer = await (await fetch("list")).text();
      byId("lost").hidden = true;
      if (answer !== lastAnswer) show(JSON.parse(answer));
      lastAnswer = answer;
    } catch {
      byId("lost").hidden = false;
    }
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !start.hidden && !event.target.matches("a")) start.click();
  });
  document.addEventListener("visibilitychange", refresh);
  refresh();
  setInterval(refresh, POLL);
})();
