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
  const predicted = data.blocks.map(({ label, role }) => ({ label, role }));
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
    const newer = blocks.filter(([row, , , , version]) => version >= versions[row]);
    const groups = new Map();
    for (const [row, label, role, byHand, version] of newer) {
      versions[row] = version;
      const values = { label, role, changed: byHand ? changeText(row, label, role) : "" };
      const block = data.blocks[row];
      if (block.label === label && block.role === role && (block.changed || "") === values.changed) continue;
      const key = JSON.stringify(values);
      if (!groups.has(key)) groups.set(key, { rows: [], values });
      groups.get(key).rows.push(row);
    }
    for (const { rows, values } of groups.values()) vclean.update(rows, values);
    show();
  }

  function changeText(row, label, role) {
    const before = predicted[row];
    const parts = [];
    if (before.label !== label) parts.push(`label ${before.label} → ${label}`);
    if (before.role !== role) parts.push(`role ${before.role || "none"} → ${role || "none"}`);
    return parts.join(", ") || "confirmed";
  }

  function reset() {
    data.blocks.forEach((block, row) => Object.assign(block, predicted[row], { changed: "" }));
    versions.fill(0);
    vclean.update([], {});
  }

  /* --- what the annotator does ------------------------------------------------------------------------------ */

  function set(values) {
    const rows = state.list < 0 ? [...state.selected] : [];
    if (!rows.length) return vclean.announce("Select a block first.");
    const groups = new Map();
    for (const row of rows) {
      const { label, role } = { ...data.blocks[row], ...values };
      const key = changeText(row, label, role);
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(row);
    }
    for (const [changed, group] of groups) vclean.update(group, { ...values, changed });
    post(`change/${NUMBER}`, { blocks: rows.map((block) => ({ block, ...values })) });
    const name = "label" in values ? labels.find(([label]) => label === values.label)[1] : values.role || "no role";
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

  /* Key of a role: its first letter that no earlier role uses. */
  const letters = new Map();
  for (const role of [...roles, ""]) {
    const letter = role ? [...role].find((each) => !letters.has(each)) : "0";
    letters.set(letter, role);
  }

  const roleDialog = element("dialog", { id: "roles", "aria-label": "Role of the region that contains the selected blocks" },
    ...[...letters].map(([letter, role]) => button(role || "no role", letter, () => choose(role))));
  document.body.append(roleDialog);
  function choose(role) {
    roleDialog.close();
    set({ role: role || null });
  }
  roleDialog.addEventListener("keydown", (event) => {
    event.stopPropagation(); // letters choose roles in the dialog
    if (event.key === "Escape") {
      event.preventDefault(); // the browser may close late, and would then close the next dialog
      roleDialog.close();
    } else if (!event.ctrlKey && !event.metaKey && !event.altKey && letters.has(event.key)) choose(letters.get(event.key));
  });
  roleDialog.addEventListener("click", (event) => { if (event.target === roleDialog) roleDialog.close(); });

  const roleName = element("span", {}, "role");
  const roleButton = button(roleName, "r", openRoles, { id: "role", "aria-haspopup": "dialog", "aria-keyshortcuts": "r" });
  function openRoles() {
    if (state.list < 0 && state.selected.length) roleDialog.showModal();
    else vclean.announce("Select a block first.");
  }

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
    group("Label of the selected blocks", ...labels.map(labelButton), roleButton),
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
    if (kept) kept.textContent = `${data.blocks.filter((block) => block.label !== "o").length} of ${data.blocks.length} blocks`;
  }

  function showSelection() {
    const chosen = state.list < 0 ? state.selected.map((row) => data.blocks[row]) : [];
    const one = (name) => (chosen.length && chosen.every((block) => block[name] === chosen[0][name]) ? chosen[0][name] : undefined);
    const [label, role] = [one("label"), one("role")];
    document.querySelectorAll("[data-label]").forEach((each) => {
      each.disabled = !chosen.length;
      each.setAttribute("aria-pressed", each.dataset.label === label);
    });
    roleButton.disabled = !chosen.length;
    roleName.textContent = role === undefined ? "role" : role || "no role";
  }

  /* --- keys -------------------------------------------------------------------------------------------------- */

  for (const [label, meaning] of labels) vclean.addKey(label, `label the selected blocks: ${meaning}`, () => set({ label }));
  vclean.addKey("r", "choose the role of the selected blocks", openRoles);
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
