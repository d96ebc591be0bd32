"use strict";
/* Fill the list of pages, and update it while pages are prepared or labelled in other tabs. */
(() => {
  const POLL = 1500;
  const byId = (id) => document.getElementById(id);
  const [rows, start] = [document.querySelector("tbody"), byId("start")];
  let lastAnswer = "";

  function cell(text, className = "") {
    const element = document.createElement("td");
    element.className = className;
    element.append(text);
    return element;
  }

  function row({ number, id, title, confidence, blocks, corrected, status }) {
    const element = document.createElement("tr");
    const link = document.createElement("a");
    const address = document.createElement("small");
    link.href = `page/${number}`;
    link.textContent = title || id;
    address.textContent = title ? id : "";
    const page = cell(link);
    page.append(address);
    const confidenceText = confidence === null ? "–" : confidence.toFixed(2);
    element.dataset.status = status;
    element.append(page, cell(confidenceText, "number"), cell(String(blocks), "number"), cell(corrected ? String(corrected) : "", "number"), cell(status, "status"));
    return element;
  }

  function item(text) {
    const element = document.createElement("li");
    element.textContent = text;
    return element;
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

  async function refresh() {
    if (document.hidden) return;
    try {
      const answer = await (await fetch("list")).text();
      byId("lost").hidden = true;
      if (answer !== lastAnswer) show(JSON.parse(answer));
      lastAnswer = answer;
    } catch {
      byId("lost").hidden = false;
      byId("lost").textContent = "The server does not answer: start vclean label again. Saved changes are not lost.";
    }
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !start.hidden && !event.target.matches("a")) start.click();
  });
  document.addEventListener("visibilitychange", refresh);
  refresh();
  setInterval(refresh, POLL);
})();
