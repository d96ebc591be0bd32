"use strict";
// Inside an overlay: draw strong frames around changed blocks, and stronger ones around those that are selected.
(() => {
  const { width, height } = vclean.data.page;
  const marks = new Map();

  vclean.blocks.forEach((block, row) => {
    if (!block.changed || !block.box || !vclean.isPainted(block)) return;
    const [x, y, wide, high] = block.box;
    const color = vclean.data.pens.label[block.label].color;
    const mark = vclean.element("div", { className: `difference ${block.label === "o" ? "left" : "kept"}` });
    mark.style.setProperty("--c", `rgb(${color.join(" ")})`);
    mark.style.left = `calc(${(100 * x) / width}% - 3px)`;
    mark.style.top = `calc(${(100 * y) / height}% - 3px)`;
    mark.style.width = `calc(${(100 * wide) / width}% + 6px)`;
    mark.style.height = `calc(${(100 * high) / height}% + 6px)`;
    marks.set(row, mark);
    document.getElementById("stage").append(mark);
  });

  vclean.on("select", ({ indexes }) => {
    for (const [row, mark] of marks) mark.classList.toggle("current", indexes.includes(row));
  });
})();
