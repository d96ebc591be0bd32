// Finds marked sentences, their boxes and the controls of a page; verify.py calls the functions.
window.nodesOf = sentence => {
  const nodes = [], visit = root => { for (const node of root.childNodes) {
    if (node.nodeType === 3 && node.data.replace(/\s+/g, ' ').includes(sentence)) nodes.push(node);
    if (node.shadowRoot) visit(node.shadowRoot);
    if (!['SCRIPT', 'STYLE'].includes(node.nodeName)) visit(node); } };
  visit(document); return nodes; };
window.boxesOf = sentence => nodesOf(sentence).flatMap(node => {
  const range = document.createRange(); range.selectNodeContents(node);
  return [...range.getClientRects()].map(box => [box.left, box.top, box.right, box.bottom]); });
window.paint = (sentences, on) => { for (const sentence of sentences) for (const node of nodesOf(sentence)) {
  const style = node.parentElement ? node.parentElement.style : node.parentNode.host.style;
  for (const [name, value] of [['transition', 'none'], ['-webkit-text-fill-color', 'transparent'], ['text-shadow', 'none']])
    on ? style.removeProperty(name) : style.setProperty(name, value, 'important'); } };
window.nextControl = tried => {
  const all = [], visit = root => { for (const element of root.querySelectorAll('*')) {
    all.push(element); if (element.shadowRoot) visit(element.shadowRoot); } };
  visit(document); const seen = {};
  for (const element of all) {
    const link = element.closest('a[href]'), tag = element.nodeName + element.textContent.trim().slice(0, 40);
    const key = tag + (seen[tag] = (seen[tag] || 0) + 1);
    if (tried.includes(key) || link && !/^(#|javascript:|$)/.test(link.getAttribute('href')) && element !== link) continue;
    const pointer = getComputedStyle(element).cursor === 'pointer'
      && !(element.parentElement && getComputedStyle(element.parentElement).cursor === 'pointer');
    if (!pointer && !element.matches('a, button, summary, label, select, input, [role=button], [role=tab], [tabindex], [onclick], [onmouseover], [title], abbr'))
      continue;
    element.scrollIntoView({block: 'center', inline: 'nearest', behavior: 'instant'});
    const box = element.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
    let hit = document.elementFromPoint(x, y);
    while (hit && hit.shadowRoot && hit.shadowRoot.elementFromPoint(x, y) && hit.shadowRoot.elementFromPoint(x, y) !== hit)
      hit = hit.shadowRoot.elementFromPoint(x, y);
    let inside = false;
    for (let up = hit; up; up = up.parentNode || up.host) inside = inside || up === element;
    if (box.width < 3 || box.height < 3 || !inside) continue;
    const target = hit.closest('a[href]');
    return [key, x, y, !target || /^(#|javascript:|$)/.test(target.getAttribute('href'))]; }
  return null; };
null  // Playwright calls a script whose value is a function
