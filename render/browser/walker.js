// Reads the laid-out page and returns one JSON string of packed columns, which walker.py unpacks. While fonts or images
// are loading, returns a promise of that string.
// The page is read in one task of its event loop, so it cannot change between the first read and the last.
(function walk(options) {
  'use strict';

  const HIDDEN = { no: 0, display: 1, visibility: 2, opacity: 3, clipped: 4, offPage: 5 }; // snapshot.Hidden
  const ELEMENT = 1;
  const TEXT = 3;
  const INVISIBLE_OPACITY = 0.02;
  const FAR_INDENT = -500; // px; image replacement uses -999 to -9999
  const WORD_WIDTH = 40; // px
  const MAX_SHUT_SIZE = 1; // px; text for screen readers is clipped to 1 x 1
  const STYLE_VALUE_LIMIT = 200; // characters; only data: URLs are longer
  const URL_ATTRIBUTES = new Set(['href', 'src', 'cite', 'data-src']);
  const SKIPPED = new Set(options.skipped);
  const REPLACED = new Set(options.replaced);
  const ATTRIBUTE = new Map(options.attributes.map((name, index) => [name, index]));
  const STYLE_SHEET = Symbol.for('vclean.sheet');
  const USED = Symbol.for('vclean.used');
  const LINK_COLORS = 'body[link], body[alink], body[vlink]';

  // ---- property access that the page cannot shadow ----

  // A name in the page can shadow a property of the document or of a form: `<img name=body>`, `<input name=childNodes>`
  // (HTML, 3.1.7 and 4.10.3). Nodes are therefore read through the accessors of their prototypes.
  function native(Type, name) {
    const { get, value } = Object.getOwnPropertyDescriptor(Type.prototype, name);
    return get ?? value;
  }

  function reader(Type, name) {
    return Function.prototype.call.bind(native(Type, name));
  }

  function documentReader(name) {
    return reader(Document, name).bind(null, document);
  }

  // Accessors that are called for every node. V8 inlines `accessor.call(node)`, but not a call of a bound function.
  const attributeNames = native(Element, 'getAttributeNames');
  const attributeOf = native(Element, 'getAttribute');
  const boxOf = native(Element, 'getBoundingClientRect');
  const dataOf = native(CharacterData, 'data');
  const firstChild = native(Node, 'firstChild');
  const parentOf = native(Node, 'parentElement');
  const scrollHeightOf = native(Element, 'scrollHeight');
  const scrollWidthOf = native(Element, 'scrollWidth');
  const nameOf = native(Element, 'localName');
  const nextSibling = native(Node, 'nextSibling');
  const shadowRoot = native(Element, 'shadowRoot');
  const textContentOf = native(Node, 'textContent');
  const typeOf = native(Node, 'nodeType');
  const select = documentReader('querySelector');
  const selectAll = documentReader('querySelectorAll');
  const body = documentReader('body')();
  const root = documentReader('documentElement')() ?? emptyRoot();

  // Scripts can remove the root element.
  function emptyRoot() {
    return reader(Node, 'appendChild')(document, documentReader('createElement')('html'));
  }

  // ---- before the first layout ----

  function countNonSpace(text) {
    return text.replace(/\s+/g, '').length;
  }

  function hasPageText(name) {
    return !SKIPPED.has(name) && !REPLACED.has(name);
  }

  function countText() {
    const characters = { page: 0, noscript: 0 };
    const stack = [[body, 'page']];
    while (stack.length > 0) {
      const [node, part] = stack.pop();
      for (let child = firstChild.call(node); child; child = nextSibling.call(child)) {
        const type = typeOf.call(child);
        if (type === TEXT) characters[part] += countNonSpace(dataOf.call(child));
        else if (type === ELEMENT && hasPageText(nameOf.call(child))) {
          stack.push([child, nameOf.call(child) === 'noscript' ? 'noscript' : part]);
        }
      }
    }
    return characters;
  }

  // The same rule as snapshot.noscript_needed. With scripts on, `noscript` contains unparsed text and is not used.
  function needsNoscript() {
    if (options.scripts || !body || !select('noscript')) return false;
    const { page, noscript: inside } = countText();
    return page < options.littleText && inside > page;
  }

  // Adopts a style sheet, which replaces the one that was adopted before.
  function adopt(css) {
    const sheet = new CSSStyleSheet();
    sheet[STYLE_SHEET] = true;
    sheet.replaceSync(css);
    const adopted = documentReader('adoptedStyleSheets')();
    const previous = adopted.findIndex((other) => other[STYLE_SHEET]);
    adopted.splice(previous, previous < 0 ? 0 : 1, sheet);
  }

  // Content that `content-visibility: auto` skips has no boxes before it is scrolled into view; `hidden` stays hidden.
  function contentVisibility() {
    const usage = { auto: false, hidden: new Set() };
    if (!options.skipping) return usage;
    for (const element of selectAll('body *')) {
      const value = getComputedStyle(element).contentVisibility;
      if (value === 'auto') usage.auto = true;
      else if (value === 'hidden') usage.hidden.add(element);
    }
    return usage;
  }

  // A marquee scrolls by an animation that scripts cannot reach. A copy has not moved yet, and shows all of its text.
  function restartMarquees() {
    for (const marquee of selectAll('marquee:not(marquee marquee)')) marquee.replaceWith(marquee.cloneNode(true));
  }

  // The end state is what a reader sees, and the only state that does not depend on the clock.
  function finishAnimations() {
    for (const animation of documentReader('getAnimations')()) {
      try {
        animation.finish();
      } catch {
        animation.cancel(); // an endless animation has no end state
      }
    }
  }

  // Returns promises of embedded fonts, which load after the first layout, and of images with unusual media types,
  // which load after the document. Both are available at once if an earlier page had them too.
  function loadingParts() {
    const images = [...selectAll('img[src^="data:" i]')].filter((image) => !image.complete);
    const waits = images.map((image) => image.decode());
    if (!options.fonts) return waits;
    const fonts = documentReader('fonts')();
    boxOf.call(root);
    return fonts.status === 'loading' ? [...waits, fonts.ready] : waits;
  }

  // Returns whether the page changed the document in a way that setDocumentContent does not undo for later pages.
  function isSticky() {
    // Of the other pragmas of Chromium, some affect requests, which are refused, and some affect origin trials, whose
    // tokens are bound to an origin. A style sheet with a title sets the preferred set (CSSOM, 6.2); a feed does not.
    const pragmas = ['content-language', 'content-security-policy', 'content-security-policy-report-only',
      'default-style', 'refresh', 'set-cookie'].map((name) => `meta[http-equiv="${name}" i]`);
    const sticky = [...pragmas, 'meta[name="color-scheme" i]', 'style[title]', 'link[title][rel~="stylesheet" i]'];
    return select(`${sticky.join(', ')}, ${LINK_COLORS}`) !== null;
  }

  // ---- clips and visibility ----

  const EVERYTHING = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
  const NOTHING = { left: 0, top: 0, right: 0, bottom: 0 };

  function intersect(a, b) {
    return {
      left: Math.max(a.left, b.left),
      top: Math.max(a.top, b.top),
      right: Math.min(a.right, b.right),
      bottom: Math.min(a.bottom, b.bottom),
    };
  }

  function isShut(clip) {
    return clip.right - clip.left <= MAX_SHUT_SIZE || clip.bottom - clip.top <= MAX_SHUT_SIZE;
  }

  function isOutside(box, clip) {
    return box.right <= clip.left || box.left >= clip.right || box.bottom <= clip.top || box.top >= clip.bottom;
  }

  // A CSS length or percentage of `whole` in px; NaN where it takes more than a number.
  function lengthOf(value, whole) {
    const number = parseFloat(value);
    if (/^-?[\d.]+%$/.test(value)) return (number * whole) / 100;
    return /^-?[\d.]+(e-?\d+)?(px)?$/.test(value) ? number : NaN;
  }

  function points(box, pairs) {
    const width = box.right - box.left;
    const height = box.bottom - box.top;
    return pairs.map((pair) => {
      const [x, y] = pair.trim().split(/\s+/);
      return [box.left + lengthOf(x, width), box.top + lengthOf(y, height)];
    });
  }

  // The bounding box of a clip-path's basic shape (CSS Masking 1, 5.1), `box` itself where the shape is not one that is
  // read here: a shape that is not understood clips nothing.
  function shapeWindow(path, box) {
    const [, name, inside] = /^(inset|circle|ellipse|polygon)\((.*)\)/.exec(path) ?? [];
    const width = box.right - box.left;
    const height = box.bottom - box.top;
    let window = box;
    if (name === 'inset') {
      const edges = inside.split(' round ')[0].trim().split(/\s+/);
      const [top, right = top, bottom = top, left = right] = edges;
      window = {
        left: box.left + lengthOf(left, width),
        top: box.top + lengthOf(top, height),
        right: box.right - lengthOf(right, width),
        bottom: box.bottom - lengthOf(bottom, height),
      };
    } else if (name === 'circle' || name === 'ellipse') {
      const [radii, center = '50% 50%'] = inside.split(/\s*\bat\b\s*/);
      const [across, down = across] = radii.trim().split(/\s+/);
      const [[x, y]] = points(box, [center]);
      const diagonal = name === 'circle' ? Math.hypot(width, height) / Math.SQRT2 : 0;
      const rx = lengthOf(across, diagonal || width);
      const ry = lengthOf(down, diagonal || height);
      window = { left: x - rx, top: y - ry, right: x + rx, bottom: y + ry };
    } else if (name === 'polygon') {
      const corners = points(box, inside.replace(/^(nonzero|evenodd)\s*,/, '').split(','));
      const xs = corners.map(([x]) => x);
      const ys = corners.map(([, y]) => y);
      window = { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
    }
    return Object.values(window).some(Number.isNaN) ? box : window;
  }

  // The rectangle of the property `clip`, which applies to absolutely positioned elements (CSS Masking 1, 8).
  function clipWindow(clip, box) {
    const inside = /^rect\(([^)]*)\)/.exec(clip);
    if (!inside) return EVERYTHING;
    const [top, right, bottom, left] = inside[1].split(/[ ,]+/).map(parseFloat);
    return {
      left: Number.isNaN(left) ? box.left : box.left + left,
      top: Number.isNaN(top) ? box.top : box.top + top,
      right: Number.isNaN(right) ? box.right : box.left + right,
      bottom: Number.isNaN(bottom) ? box.bottom : box.top + bottom,
    };
  }

  function shapedClip(style, position, box, clip) {
    const path = style.clipPath;
    const window = path === 'none' ? clip : intersect(clip, shapeWindow(path, box));
    if (position !== 'absolute' && position !== 'fixed') return window;
    return intersect(window, clipWindow(style.clip, box));
  }

  // What scrolling brings into view.
  function scrolledWindow(element, style, box, clip, overflow) {
    const scrollsY = overflow.y === 'auto' || overflow.y === 'scroll';
    const scrollsX = overflow.x === 'auto' || overflow.x === 'scroll';
    const width = scrollWidthOf.call(element);
    const rightToLeft = style.direction === 'rtl';
    return {
      left: scrollsX ? box.right - (rightToLeft ? width : box.right - box.left) : Math.max(clip.left, box.left),
      top: scrollsY ? box.top : Math.max(clip.top, box.top),
      right: scrollsX ? box.left + (rightToLeft ? box.right - box.left : width) : Math.min(clip.right, box.right),
      bottom: scrollsY ? box.top + scrollHeightOf.call(element) : Math.min(clip.bottom, box.bottom),
    };
  }

  // The window through which the contents of an element are seen. Overflow of html and body is the viewport's.
  function contentClip(element, style, row, box, outer) {
    const clip = options.clips ? shapedClip(style, row.position, box, outer) : outer;
    const overflow = { x: row.overflow, y: options.clips || row.overflow !== 'visible' ? style.overflowY : 'visible' };
    if (overflow.x === 'visible' && overflow.y === 'visible') return clip;
    if (element === root || element === body || row.display === 'inline') return clip;
    if (row.display === 'contents' || isTableRow(row.display)) return clip;
    const window = {
      left: overflow.x === 'visible' ? clip.left : Math.max(clip.left, box.left),
      top: overflow.y === 'visible' ? clip.top : Math.max(clip.top, box.top),
      right: overflow.x === 'visible' ? clip.right : Math.min(clip.right, box.right),
      bottom: overflow.y === 'visible' ? clip.bottom : Math.min(clip.bottom, box.bottom),
    };
    if (isShut(window) || !/auto|scroll/.test(overflow.x + overflow.y)) return window;
    return scrolledWindow(element, style, box, clip, overflow);
  }

  // Fixed elements do not scroll: what lies outside the viewport stays there. Below a transformed or filtered ancestor
  // an element is fixed to that ancestor (CSS Transforms 1, 3), and so is taken as not clipped.
  function fixedClip(element) {
    for (let above = parentOf.call(element); above && above !== root; above = parentOf.call(above)) {
      const style = getComputedStyle(above);
      if (style.transform !== 'none' || style.filter !== 'none' || style.perspective !== 'none') return EVERYTHING;
      if (/transform|filter|perspective/.test(style.willChange) || /paint|strict|content/.test(style.contain)) {
        return EVERYTHING;
      }
    }
    return viewport;
  }

  function isTableRow(display) {
    return display.startsWith('table-') && display !== 'table-cell' && display !== 'table-caption';
  }

  function isClosedDetails(parent, element) {
    return parent instanceof HTMLDetailsElement && !parent.open &&
      element !== parent.querySelector(':scope > summary');
  }

  function isDisplayed(element, parent, display) {
    // An element outside the flat tree (fallback of a video, unslotted child) has no computed style.
    if (display === 'none' || display === '') return false;
    return !skipsContents.has(parent.element) && !(parent.name === 'details' && isClosedDetails(parent.element, element));
  }

  function hiddenCode(style, opacity, row, box, clip, inner) {
    if (!row.visible) return HIDDEN.visibility;
    if (opacity < INVISIBLE_OPACITY) return HIDDEN.opacity;
    const hasSize = box.right > box.left || box.bottom > box.top;
    if ((inner !== EVERYTHING && isShut(inner)) || (hasSize && clip !== EVERYTHING && isOutside(box, clip))) {
      return clip === viewport ? HIDDEN.offPage : HIDDEN.clipped;
    }
    if (options.indents && parseFloat(style.textIndent) <= FAR_INDENT) return HIDDEN.clipped;
    return hasSize && (box.right + shift.x <= 0 || box.bottom + shift.y <= 0) ? HIDDEN.offPage : HIDDEN.no;
  }

  // ---- columns ----

  const tags = new Map();
  const rows = new Map();
  const rowByStyle = new Map();
  const column = {
    tag: [], parent: [], end: [], depth: [], box: [], hidden: [], style: [], attr_node: [], attr_name: [],
    text_parent: [], text_after: [], text_hidden: [], line_text: [], line_box: [], image: [],
  };
  const attributeValues = [];
  const omittedTexts = new Set(options.omittedTexts);
  const textNodes = [];
  const omittedElements = new Set(options.omittedElements);
  const elements = [];
  const texts = [];
  let characters = 0;

  function intern(table, key) {
    let index = table.get(key);
    if (index === undefined) {
      index = table.size;
      table.set(key, index);
    }
    return index;
  }

  function wellFormed(text) {
    return text.isWellFormed() ? text : text.toWellFormed();
  }

  // Every read of a style property costs microseconds. The shorthands `font` and `borderWidth` replace eight reads; the
  // longhands are read once for each distinct row. For an unusual font the shorthand is empty.
  function rowOf(style) {
    const { display, position, visibility, opacity, overflowX, font, whiteSpace } = style;
    const painting = options.effects ? '\n' + effectsOf(style) : '';
    const key = display + '\n' + position + '\n' + style.float + '\n' + visibility + '\n' + opacity + '\n' + overflowX +
      '\n' + style.textAlign + '\n' + style.textDecorationLine + '\n' + style.textTransform + '\n' + whiteSpace + '\n' +
      style.color + '\n' + style.backgroundColor + '\n' + style.backgroundImage + '\n' + style.borderWidth + '\n' +
      style.listStyleType + '\n' + style.cursor + '\n' + style.zIndex + '\n' + (font || longFont(style)) + painting +
      (options.transforms ? '\n' + style.transform : '');
    let row = rowByStyle.get(key);
    if (row === undefined) {
      row = {
        index: styleRow(style), display, position, overflow: overflowX, visible: visibility === 'visible',
        opacity: parseFloat(opacity), preformatted: /^(pre|break)/.test(whiteSpace),
      };
      rowByStyle.set(key, row);
    }
    return row;
  }

  function effectsOf(style) {
    return [style.filter, style.maskImage, style.mixBlendMode, style.backgroundClip, style.webkitTextFillColor,
      style.textShadow, style.webkitTextStroke, style.backfaceVisibility, style.isolation].join('\n');
  }

  function longFont(style) {
    return [style.fontSize, style.fontWeight, style.fontStyle, style.fontFamily, style.lineHeight].join('\n');
  }

  function styleRow(style) {
    return intern(rows, options.styles.map((name) => style.getPropertyValue(name).slice(0, STYLE_VALUE_LIMIT)).join('\n'));
  }

  function absolute(link) {
    if (!base || /^\s*[a-z][a-z0-9+.-]*:/i.test(link)) return link.trim();
    try {
      return new URL(link, base).href;
    } catch {
      return link;
    }
  }

  // ---- declarations of the document ----

  function readHead() {
    const head = { meta: [], links: [], json_ld: [] };
    const metas = selectAll('meta[property], meta[name], meta[itemprop]');
    for (let number = 0; number < metas.length && number < options.maxEntries; number += 1) {
      const [name] = ['property', 'name', 'itemprop'].map((key) => attributeOf.call(metas[number], key)).filter(Boolean);
      const content = attributeOf.call(metas[number], 'content');
      if (name && content) head.meta.push([wellFormed(name), wellFormed(content.slice(0, options.valueLimit))]);
    }
    for (const type of options.linkTypes) {
      for (const link of [...selectAll(`link[rel~="${type}" i][href]`)].slice(0, options.maxEntries)) {
        head.links.push([type, attributeOf.call(link, 'href')]);
      }
    }
    const scripts = [...selectAll('script[type*="ld+json" i]')].slice(0, options.maxScripts);
    const texts = scripts.map((script) => textContentOf.call(script)).filter((text) => text.length <= options.maxJsonLd);
    head.json_ld = texts.map(wellFormed);
    return head;
  }

  // The URL that a page without one declares as its own; the same rule as DocumentHead.canonical_url.
  function canonicalUrl(head) {
    const declared = [...head.links.filter(([type]) => type === 'canonical'),
      ...head.meta.filter(([name]) => name.toLowerCase() === 'og:url')];
    const urls = declared.map(([, url]) => url.trim());
    return urls.find((url) => /^https?:\/\/[^\s/?#]+\.[^\s/?#]+\S*$/i.test(url)) ?? '';
  }

  function attributeValue(name, value) {
    const full = URL_ATTRIBUTES.has(name) ? absolute(value) : value;
    const limit = /^data:/i.test(full) ? options.dataLimit : options.valueLimit;
    return wellFormed(full.slice(0, limit));
  }

  function addAttributes(element, index) {
    for (const name of attributeNames.call(element)) {
      const number = ATTRIBUTE.get(name);
      if (number === undefined) continue;
      column.attr_node.push(index);
      column.attr_name.push(number);
      attributeValues.push(attributeValue(name, attributeOf.call(element, name)));
    }
  }

  function addElement(element, name, parent, depth) {
    const index = column.tag.length;
    column.tag.push(intern(tags, name));
    column.parent.push(parent);
    column.end.push(index + 1);
    column.depth.push(depth);
    addAttributes(element, index);
    return index;
  }

  // Adds the line boxes of a text, and returns whether a reader can see one of them through `clip`.
  function addLines(index, node, clip) {
    range.selectNodeContents(node);
    let line = null;
    let seen = clip === EVERYTHING;
    const boxes = range.getClientRects();
    for (let number = 0; number < boxes.length; number += 1) {
      const box = boxes[number];
      if (box.width === 0 || box.height === 0) continue;
      seen = seen || isSeen(box, clip);
      if (line !== null && onSameLine(line, box)) {
        line = unite(line, box);
        column.line_box.splice(-4, 4);
      } else {
        line = box;
        column.line_text.push(index);
      }
      column.line_box.push(line.left + shift.x, line.top + shift.y, line.right - line.left,
        line.bottom - line.top);
    }
    return seen || line === null;
  }

  // Half of a line's height, and half of its width or the width of a word: the rest may be cut off by an ellipsis.
  function isSeen(box, clip) {
    const width = Math.min(box.right, clip.right) - Math.max(box.left, clip.left);
    const height = Math.min(box.bottom, clip.bottom) - Math.max(box.top, clip.top);
    return width >= Math.min(box.width / 2, WORD_WIDTH) && height >= box.height / 2;
  }

  function onSameLine(a, b) {
    const overlap = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    return overlap > Math.min(a.bottom - a.top, b.bottom - b.top) / 2;
  }

  function unite(a, b) {
    return {
      left: Math.min(a.left, b.left),
      top: Math.min(a.top, b.top),
      right: Math.max(a.right, b.right),
      bottom: Math.max(a.bottom, b.bottom),
    };
  }

  function addText(node, parent) {
    const data = dataOf.call(node);
    const blank = !/\S/.test(data);
    const index = texts.length;
    if (omittedTexts.has(index)) textNodes.push(node);
    texts.push(blank && !parent.preformatted ? ' ' : wellFormed(data));
    characters += data.length;
    column.text_parent.push(parent.index);
    column.text_after.push(column.tag.length - 1);
    if (skipsContents.has(parent.element)) {
      column.text_hidden.push(HIDDEN.display);
      return;
    }
    const judged = !blank && parent.hidden === HIDDEN.no;
    const unseen = judged && !addLines(index, node, parent.clip);
    column.text_hidden.push(unseen ? (parent.clip === viewport ? HIDDEN.offPage : HIDDEN.clipped) : parent.hidden);
  }

  // Paints these elements no more, until the next document: the layout of the page stays.
  function omitElements() {
    for (const element of elements) {
      const Type = element instanceof SVGElement ? SVGElement : HTMLElement;
      const style = reader(Type, 'style')(element);
      style.setProperty('transition', 'none', 'important');
      style.setProperty('opacity', '0', 'important');
    }
    if (elements.length > 0) pageRules += ' ::backdrop { display: none !important }';
    adopt(pageRules);
  }

  // Paints these texts in no color, until the next document: their layout stays.
  function omitTexts() {
    adopt(`${pageRules} ::highlight(vclean) { color: transparent !important; text-shadow: none !important;
      -webkit-text-fill-color: transparent !important; -webkit-text-stroke-color: transparent !important }`);
    const ranges = textNodes.map((node) => {
      const range = documentReader('createRange')();
      range.selectNodeContents(node);
      return range;
    });
    CSS.highlights.set('vclean', new Highlight(...ranges));
  }

  // ---- the walk ----

  // Returns the first child in the flat tree: the shadow root replaces the children of its host.
  function firstFlatChild(element, name) {
    return REPLACED.has(name) ? null : firstChild.call(shadowRoot.call(element) ?? element);
  }

  // Returns the nodes assigned to a slot, last first, or null; they replace its children.
  function assignedTo(element, name) {
    if (name !== 'slot' || !(element instanceof HTMLSlotElement)) return null;
    const assigned = element.assignedNodes();
    return assigned.length > 0 ? assigned.reverse() : null;
  }

  function isWalked(name) {
    return !SKIPPED.has(name) && (name !== 'noscript' || noscript);
  }

  function isLoaded(element) {
    return element instanceof HTMLImageElement && element.complete && element.naturalWidth > 0;
  }

  // Adds an element and returns its stack frame. Descendants inherit `clip` (contents in flow) and `absolute`
  // (absolutely positioned contents). `next` is the next child to visit; the nodes of a slot are in `assigned`.
  function visit(element, name, parent) {
    const style = getComputedStyle(element);
    const depth = parent.depth + 1;
    const index = addElement(element, name, parent.index, depth);
    const row = rowOf(style);
    column.style.push(row.index);
    if (omittedElements.has(index) && row.position !== 'static') elements.push(element);
    const frame = {
      element, name, index, depth, preformatted: row.preformatted, hidden: HIDDEN.display, opacity: 0, clip: EVERYTHING,
      absolute: EVERYTHING, next: firstFlatChild(element, name), assigned: assignedTo(element, name),
    };
    const isShown = parent.hidden !== HIDDEN.display && isDisplayed(element, parent, row.display);
    if (isShown) measure(frame, style, row, parent);
    else column.box.push(0, 0, 0, 0);
    column.hidden.push(frame.hidden);
    if (name === 'img' && isLoaded(element)) column.image.push(index);
    return frame;
  }

  function measure(frame, style, row, parent) {
    const { x, y, width, height } = boxOf.call(frame.element);
    column.box.push(x + shift.x, y + shift.y, width, height);
    const box = { left: x, top: y, right: x + width, bottom: y + height };
    const outer = row.position === 'absolute' ? parent.absolute :
      row.position === 'fixed' ? fixedClip(frame.element) : parent.clip;
    frame.clip = contentClip(frame.element, style, row, box, outer);
    frame.absolute = row.position === 'static' ? parent.absolute : frame.clip;
    frame.opacity = parent.opacity * row.opacity;
    frame.hidden = hiddenCode(style, frame.opacity, row, box, outer, frame.clip);
  }

  function nextOf(frame) {
    if (frame.assigned !== null) return frame.assigned.pop() ?? null;
    const child = frame.next;
    if (child !== null) frame.next = nextSibling.call(child);
    return child;
  }

  function walkTree() {
    const top = {
      element: null, name: '', index: -1, depth: -1, preformatted: false, hidden: HIDDEN.no, opacity: 1, clip: EVERYTHING,
      absolute: EVERYTHING, next: null, assigned: null,
    };
    const stack = [visit(root, nameOf.call(root), top)];
    while (stack.length > 0) {
      const frame = stack[stack.length - 1];
      const child = nextOf(frame);
      if (child === null) {
        column.end[frame.index] = column.tag.length;
        stack.pop();
        continue;
      }
      const type = typeOf.call(child);
      if (type === TEXT) addText(child, frame);
      else if (type === ELEMENT) {
        const name = nameOf.call(child);
        if (isWalked(name)) stack.push(visit(child, name, frame));
      }
    }
  }

  // ---- packing ----

  const CHUNK = 0x8000; // arguments of one call

  function pack(values, Type) {
    const bytes = new Uint8Array(new Type(values).buffer);
    if (bytes.toBase64) return bytes.toBase64();
    let binary = '';
    for (let start = 0; start < bytes.length; start += CHUNK) {
      binary += String.fromCharCode.apply(null, bytes.subarray(start, start + CHUNK));
    }
    return btoa(binary);
  }

  function packColumns() {
    const types = { box: Float32Array, line_box: Float32Array, hidden: Uint8Array, text_hidden: Uint8Array };
    const packed = {};
    for (const [name, values] of Object.entries(column)) packed[name] = pack(values, types[name] ?? Int32Array);
    return packed;
  }

  const count = documentReader('getElementsByTagName')('*').length;
  if (count > options.maxNodes) return JSON.stringify({ nodes: count });
  // Chromium reuses styles of earlier pages with equal rules, and with them their link colors.
  const omits = options.omittedTexts.length + options.omittedElements.length > 0;
  if (document[USED] && !omits && select(LINK_COLORS)) return '{"needsNewDocument":true}';

  const baseElement = select('base[href]');
  const head = readHead();
  let base = options.url || canonicalUrl(head);
  if (baseElement) base = absolute(attributeOf.call(baseElement, 'href'));
  restartMarquees();
  const noscript = needsNoscript();
  let pageRules = noscript ? '' : 'noscript { display: none !important }';
  adopt(pageRules);
  const { auto, hidden: skipsContents } = contentVisibility();
  if (auto) {
    pageRules += ' * { content-visibility: visible !important }';
    adopt(pageRules);
  }
  finishAnimations();
  const waits = loadingParts();
  if (waits.length > 0) return Promise.allSettled(waits).then(() => walk(options));

  const page = documentReader('scrollingElement')() ?? root;
  const width = reader(Element, 'scrollWidth')(page);
  // Right-to-left pages scroll to the left of x = 0; the left edge of the document is then negative.
  const left = Math.min(0, reader(Element, 'clientWidth')(root) - width);
  const origin = getComputedStyle(root).direction === 'rtl' ? left : 0;
  const shift = { x: scrollX - origin, y: scrollY }; // from viewport to document
  const range = documentReader('createRange')();
  const viewport = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  walkTree();
  if (omits) {
    omitElements();
    if (textNodes.length > 0) omitTexts();
    return '';
  }
  document[USED] = true;
  if (characters > options.maxCharacters) return JSON.stringify({ characters });
  const answer = JSON.stringify({
    columns: packColumns(),
    tags: [...tags.keys()],
    rows: [...rows.keys()],
    texts,
    attributes: attributeValues,
    title: wellFormed(documentReader('title')()),
    head: { ...head, links: head.links.map(([type, href]) => [type, attributeValue('href', href)]) },
    language: wellFormed((attributeOf.call(root, 'lang') ?? '').toLowerCase()),
    width,
    height: reader(Element, 'scrollHeight')(page),
    noscript,
    sticky: isSticky(),
  });
  if (options.discard) reader(HTMLElement, 'style')(root).display = 'none'; // avoids painting a page that is not needed
  return answer;
})
