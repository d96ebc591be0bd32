"use strict";
/* Labelling, on top of the overlay. Keys and buttons change the selected blocks, first in this tab and then on the server.
   Changes of other tabs are requested every second. The address of the page is BASE/page/N: see the module `server`. */
(() => {
  const { data, state, element } = vclean;
  const NUMBER = location.pathname.split("/").pop();
  const POLL = 1000;
  const NO_ANSWER = "The server does not answer";
  const labels = Object.entries(data.pens.label).map(([label, pen]) => [label, pen.meaning.split(",")[0]]);
  const roles = Object.keys(data.pens.role).filter((role) => role !== "none");
  const remote = { revision: 0, status: "open", undo: false, redo: false, next: null, progress: null };
  const PARTS = ["title", "byline", "date", "post", "item", "byline-date"]; // parts that can be corrected
  const foundParts = data.parts; // parts that vclean found, each with its first block
  for (const block of data.blocks) block.part = null;
  for (const { kind, block } of [...foundParts].reverse()) if (block !== null && PARTS.includes(kind)) data.blocks[block].part = kind;
  const predicted = data.blocks.map(({ label, role, part }) => ({ label, role, part }));
  for (const block of data.blocks) block.predicted = block.label; // the reasons explain the prediction
  const versions = new Uint32Array(data.blocks.length);
  let pending = 0; // requests not answered yet
  let problem = ""; // reason why the server was not reached, or refused the last change
  let queue = Promise.resolve();

  /* --- the server ------------------------------------------------------------------------------------------ */

  async function request(path, body) {
    const options = body && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    const response = await fetch(`../${path}`, options);
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error);
    return answer;
  }

  /* Send changes one at a time, each after the answer to the one before: the last change then wins on the server too. */
  function post(path, body = {}) {
    pending += 1;
    show();
    queue = queue.then(async () => {
      try {
        const answer = await request(path, { since: remote.revision, ...body });
        if (pending === 1) apply(answer); // otherwise the next answer contains all changes; this avoids flicker
        problem = "";
      } catch (error) {
        problem = `Not saved: ${error.message}`;
        await refetch();
      } finally {
        pending -= 1;
        show();
      }
    });
    return queue;
  }

  /* Show the state of the server, without the changes that it refused. */
  async function refetch() {
    try {
      const answer = await request(`state/${NUMBER}/0`);
      reset();
      remote.revision = 0;
      apply(answer);
    } catch {
      problem = `Not saved. ${NO_ANSWER}: start vclean label again. Saved changes are not lost.`;
    }
  }

  async function poll() {
    if (pending || document.hidden) return;
    try {
      const answer = await request(`state/${NUMBER}/${remote.revision}`);
      if (!pending) apply(answer);
      if (problem.startsWith(NO_ANSWER)) problem = "";
    } catch {
      problem ||= `${NO_ANSWER}: start vclean label again. Saved changes are not lost.`;
    }
    show();
  }

  function apply({ blocks, ...facts }) {
    if (facts.revision < remote.revision) return;
    Object.assign(remote, facts);
    const newer = blocks.filter(([row, , , , , version]) => version >= versions[row]);
    const groups = new Map();
    for (const [row, label, role, part, byHand, version] of newer) {
      versions[row] = version;
      const values = { label, role, part, changed: byHand ? changeText(row, { label, role, part }) : "" };
      const block = data.blocks[row];
      if (Object.entries(values).every(([name, value]) => (block[name] || "") === (value || ""))) continue;
      const key = JSON.stringify(values);
      if (!groups.has(key)) groups.set(key, { rows: [], values });
      groups.get(key).rows.push(row);
    }
    for (const { rows, values } of groups.values()) update(rows, values);
    show();
  }

  function changeText(row, block) {
    const before = predicted[row];
    const changes = ["label", "role", "part"].filter((name) => before[name] !== block[name]);
    return changes.map((name) => `${name} ${before[name] || "none"} → ${block[name] || "none"}`).join(", ") || "confirmed";
  }

  /* Change blocks, and draw the parts as they are now: those that vclean found and nobody removed, and those that start
     at other blocks, with the box of this block. */
  function update(rows, values) {
    if ("part" in values && rows.some((row) => data.blocks[row].part !== values.part)) {
      for (const row of rows) data.blocks[row].part = values.part;
      const kept = foundParts.filter(({ kind, block }) => block === null || !PARTS.includes(kind) || data.blocks[block].part === kind);
      const started = new Set(kept.map(({ kind, block }) => `${kind} ${block}`));
      const added = data.blocks.map((block, row) => ({ kind: block.part, box: block.box, text: block.text, block: row }))
        .filter(({ kind, box, block }) => kind && box && !started.has(`${kind} ${block}`));
      vclean.replaceParts([...kept, ...added], values.part ? [values.part] : []);
    }
    vclean.update(rows, values);
  }

  function reset() {
    data.blocks.forEach((block, row) => Object.assign(block, predicted[row], { changed: "" }));
    versions.fill(0);
    vclean.replaceParts(foundParts);
    vclean.update([], {});
  }

  /* --- what the annotator does ------------------------------------------------------------------------------ */

  function set(values) {
    const rows = state.list < 0 ? [...state.selected] : [];
    if (!rows.length) return vclean.announce("Select a block first.");
    const groups = new Map();
    for (const row of rows) {
      const key = changeText(row, { ...data.blocks[row], ...values });
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(row);
    }
    for (const [changed, group] of groups) update(group, { ...values, changed });
    post(`change/${NUMBER}`, { blocks: rows.map((block) => ({ block, ...values })) });
    const [kind, value] = Object.entries(values)[0];
    const name = kind === "label" ? labels.find(([label]) => label === value)[1] : value || `no ${kind}`;
    vclean.announce(`${rows.length === 1 ? "Block" : `${rows.length} blocks`}: ${name}`);
  }

  function move(name) {
    if (!remote[name] && !pending) return vclean.announce(`Nothing to ${name}.`);
    return post(`${name}/${NUMBER}`).then(() => vclean.announce(name === "undo" ? "Undone." : "Redone."));
  }

  async function mark(status) {
    await post(`mark/${NUMBER}`, { status });
    if (problem || status === "open") return;
    location.href = remote.next === null ? "../" : String(remote.next);
  }

  function go() {
    if (remote.next === null) location.href = "../";
    else queue.then(() => { location.href = String(remote.next); });
  }

  /* --- controls --------------------------------------------------------------------------------------------- */

  const button = (text, key, action, properties = {}) => {
    const control = element("button", { type: "button", ...properties }, text, ...(key ? [element("kbd", {}, key)] : []));
    control.addEventListener("click", (event) => {
      if (event.detail) control.blur(); // after a mouse click: the next Enter must not activate this button
      action();
    });
    return control;
  };

  function labelButton([label, meaning]) {
    const swatch = element("i", { className: "swatch" }, label);
    swatch.style.setProperty("--pen", `rgb(${data.pens.label[label].color})`);
    const control = button(swatch, "", () => set({ label }), { className: "label", title: `Key ${label}`, "data-label": label, "aria-keyshortcuts": label });
    control.append(meaning);
    return control;
  }

  /* A button that opens a dialog in which a letter chooses a value: its first letter that no earlier value uses. */
  function chooser(kind, values, key, description) {
    const letters = new Map();
    for (const value of [...values, ""]) {
      const letter = value ? [...value].find((each) => !letters.has(each)) : "0";
      letters.set(letter, value);
    }
    const dialog = element("dialog", { id: `${kind}s`, className: "chooser", "aria-label": description },
      ...[...letters].map(([letter, value]) => button(value || `no ${kind}`, letter, () => choose(value))));
    document.body.append(dialog);
    function choose(value) {
      dialog.close();
      set({ [kind]: value || null });
    }
    dialog.addEventListener("keydown", (event) => {
      event.stopPropagation(); // letters choose values in the dialog
      if (event.key === "Escape") {
        event.preventDefault(); // the browser may close late, and would then close the next dialog
        dialog.close();
      } else if (!event.ctrlKey && !event.metaKey && !event.altKey && letters.has(event.key)) choose(letters.get(event.key));
    });
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });

    const name = element("span", {}, kind);
    const control = button(name, key, open, { id: kind, "aria-haspopup": "dialog", "aria-keyshortcuts": key });
    function open() {
      if (state.list < 0 && state.selected.length) dialog.showModal();
      else vclean.announce("Select a block first.");
    }
    const showValue = (value, isSelected) => {
      control.disabled = !isSelected;
      name.textContent = value === undefined ? kind : value || `no ${kind}`;
    };
    return { control, open, showValue };
  }

  const role = chooser("role", roles, "r", "Role of the region that contains the selected blocks");
  const part = chooser("part", PARTS, "t", "Part of the page that the selected blocks are, or begin");

  const undo = button("Undo", "u", () => move("undo"), { "aria-keyshortcuts": "u Control+z" });
  const redo = button("Redo", "U", () => move("redo"), { "aria-keyshortcuts": "Shift+u Control+y" });
  const skip = button("Skip", "s", () => mark("skipped"), { title: "Skip the page" });
  const done = button("Done", "⏎", () => mark("done"), { className: "main", title: "Mark the page as done and go to the next one" });
  const reopen = button("Reopen", "", () => mark("open"), { title: "Mark the page as open again" });
  const next = button("Next", "n", go, { title: "Go to the next page without marking this one" });
  const saved = element("output", { id: "saved" });
  const bar = element("progress", { max: 1, value: 0, "aria-label": "Pages done" });
  const count = element("a", { href: "../", id: "progress-text", title: "All pages" });
  const alert = element("p", { id: "lost", role: "alert", hidden: true });

  const group = (name, ...children) => element("div", { className: "group", role: "group", "aria-label": name }, ...children);
  document.getElementById("tools").append(
    group("Label of the selected blocks", ...labels.map(labelButton), role.control, part.control),
    group("Changes", undo, redo, saved),
    group("Page", count, bar, skip, next, reopen, done));
  document.getElementById("top").after(alert);

  function show() {
    undo.disabled = !remote.undo && !pending;
    redo.disabled = !remote.redo;
    const { progress, status } = remote;
    saved.textContent = problem ? "not saved" : pending ? "saving …" : remote.revision ? "saved" : "";
    alert.hidden = !problem;
    if (alert.textContent !== problem) alert.textContent = problem;
    document.body.dataset.status = status;
    reopen.hidden = status === "open";
    skip.hidden = status !== "open";
    done.hidden = status === "done";
    if (!progress) return;
    const finished = progress.done + progress.skipped;
    bar.max = Math.max(progress.total, 1);
    bar.value = finished;
    const prefix = status === "open" ? "" : `${status} · `;
    count.textContent = `${prefix}${progress.done} of ${progress.total}${progress.ready ? "" : "+"} done`;
    next.disabled = remote.next === null;
  }

  /* The overlay shows how many blocks the model kept. Show the current number instead. */
  const kept = [...document.querySelectorAll("#facts dt")].find((name) => name.textContent === "Kept")?.nextSibling;
  function showKept() {
    if (kept) kept.textContent = `${data.blocks.filter((block) => block.label !== "o").length} of ${data.blocks.length} ${data.blocks.length === 1 ? "block" : "blocks"}`;
  }

  function showSelection() {
    const chosen = state.list < 0 ? state.selected.map((row) => data.blocks[row]) : [];
    const one = (name) => (chosen.length && chosen.every((block) => block[name] === chosen[0][name]) ? chosen[0][name] : undefined);
    const label = one("label");
    document.querySelectorAll("[data-label]").forEach((each) => {
      each.disabled = !chosen.length;
      each.setAttribute("aria-pressed", each.dataset.label === label);
    });
    role.showValue(one("role"), chosen.length > 0);
    part.showValue(one("part"), chosen.length > 0);
  }

  /* --- keys -------------------------------------------------------------------------------------------------- */

  for (const [label, meaning] of labels) vclean.addKey(label, `label the selected blocks: ${meaning}`, () => set({ label }));
  vclean.addKey("r", "choose the role of the selected blocks", role.open);
  vclean.addKey("t", "choose the part of the page that the selected blocks are or begin", part.open);
  vclean.addKey("u", "undo (also Ctrl+Z)", () => move("undo"));
  vclean.addKey("U", "redo (also Ctrl+Y)", () => move("redo"));
  vclean.addKey("Enter", "mark the page as done, next page", () => mark("done"));
  vclean.addKey("s", "skip the page", () => mark("skipped"));
  vclean.addKey("n", "next page, leave this one open", go);
  vclean.addKey("a", "select all listed blocks", () => vclean.select([...state.shown], "keys"));
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.matches("input, textarea")) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    move(key === "y" || event.shiftKey ? "redo" : "undo");
  });
  addEventListener("beforeunload", (event) => { if (pending) event.preventDefault(); });
  document.addEventListener("visibilitychange", poll);

  vclean.on("select", showSelection);
  vclean.on("change", showSelection);
  vclean.on("change", showKept);
  showSelection();
  show();
  poll();
  setInterval(poll, POLL);
})();
