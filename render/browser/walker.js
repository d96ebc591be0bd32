// Reads the laid-out page and returns one JSON string of packed columns, which walker.py unpacks. While fonts or images
// are loading, returns a promise of that string.
// The page is read in one task of its event loop, so it cannot change between the first read and the last.
(function walk(options) {
  'use strict';

  const HIDDEN = options.hidden; // snapshot.Hidden
  const ELEMENT = 1;
  const TEXT = 3;
  const INVISIBLE_OPACITY = 0.02;
  const FAR_INDENT = -500; // px; image replacement uses -999 to -9999
  const FAINT = 0.2; // opacity of what hides no text and shows none
  const THICK = 12; // px of a border, or of the spread of a shadow, that may cover text
  const LEAST_SCROLLER = 8; // px; no line is read in a lower one
  const MAX_SHUT_SIZE = 1; // px; text for screen readers is clipped to 1 x 1
  const STYLE_VALUE_LIMIT = 200; // characters; only data: URLs are longer
  const SKIPPED = new Set(options.skipped);
  const REPLACED = new Set(options.replaced);
  const ATTRIBUTE = new Map(options.attributes.map((name, index) => [name, index]));
  const NAMING = new RegExp(options.naming);
  const STYLE_SHEET = Symbol.for('vclean.sheet');
  const USED = Symbol.for('vclean.used');
  const READ = Symbol.for('vclean.read'); // of the last page
  const MOVING = document[Symbol.for('vclean.moving')] ??= new WeakSet(); // elements of endless animations
  const EFFECTS = ['transform', 'filter', 'mask-image', 'mix-blend-mode', 'background-clip', '-webkit-text-fill-color',
    'text-shadow', '-webkit-text-stroke', 'backface-visibility', 'isolation', '-webkit-text-security', 'text-transform',
    'z-index'];
  const LINK_COLORS = 'body[link], body[alink], body[vlink]';
  const SCRIPTING = /\(\s*scripting\s*(?::\s*([\w-]+)\s*)?\)/gi; // a media feature (Media Queries 5, 8.1)

  // ---- property access that the page cannot shadow ----

  // A name in the page can shadow a property of the document or of a form: `<img name=body>`, `<input name=childNodes>`
  // (HTML, 3.1.7 and 4.10.3). They are therefore read through the accessors of their prototypes.
  function accessors(Type) {
    const properties = Object.entries(Object.getOwnPropertyDescriptors(Type.prototype));
    return Object.fromEntries(properties.map(([name, { get, value }]) => [name, get ?? value]));
  }

  // Of an object for which speed does not matter: its properties, and its methods bound to it.
  function unshadowed(object) {
    return new Proxy(Object.getPrototypeOf(object), {
      get(prototype, name) {
        const value = Reflect.get(prototype, name, object);
        return typeof value === 'function' ? value.bind(object) : value;
      },
    });
  }

  // Accessors that are called for every node. V8 inlines `accessor.call(node)`, but not a call of a bound function.
  const { firstChild, nextSibling, nodeType, parentElement, textContent } = accessors(Node);
  const { clientWidth, closest, getAttribute, getAttributeNames, getBoundingClientRect, localName, matches, outerHTML,
    previousElementSibling, querySelectorAll, scrollHeight, scrollWidth, shadowRoot } = accessors(Element);
  const { data } = accessors(CharacterData);
  const doc = unshadowed(document);
  const { body, getElementById, querySelector: select, querySelectorAll: selectAll } = doc;
  const root = doc.documentElement ?? doc.appendChild(doc.createElement('html')); // scripts can remove it

  // ---- before the first layout ----

  // The same rule as snapshot.noscript_needed. With scripts on, `noscript` contains unparsed text and is not used. The
  // characters of the page are counted by part, at most until it has more than little text.
  function needsNoscript() {
    if (options.scripts || !body || !select('noscript')) return false;
    const [skipped, controls] = [[...SKIPPED, ...REPLACED].join(), options.controls.join()];
    const characters = { text: 0, controls: 0, noscript: 0 };
    const walker = doc.createTreeWalker(body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node && characters.text < options.littleText; node = walker.nextNode()) {
      const around = parentElement.call(node);
      if (closest.call(around, skipped)) continue;
      const part = closest.call(around, 'noscript') ? 'noscript' : closest.call(around, controls) ? 'controls' : 'text';
      characters[part] += data.call(node).replace(/\s+/g, '').length;
    }
    return characters.text < options.littleText && characters.noscript > characters.text + characters.controls;
  }

  // Adopts a style sheet, which replaces the one that was adopted before. An equal one of the last document stays: the
  // first layout has taken it into account.
  function adopt(css) {
    const adopted = doc.adoptedStyleSheets;
    const previous = adopted.findIndex((other) => other[STYLE_SHEET] !== undefined);
    if (previous >= 0 && adopted[previous][STYLE_SHEET] === css) return;
    const sheet = new CSSStyleSheet();
    sheet[STYLE_SHEET] = css;
    sheet.replaceSync(css);
    adopted.splice(previous, previous < 0 ? 0 : 1, sheet);
  }

  // The rules of a style sheet or of a rule, and those inside of them; none of a style sheet of another origin.
  function* rulesIn(parent) {
    let rules = [];
    try {
      rules = parent.cssRules ?? [];
    } catch { /* of another origin */ }
    for (const rule of rules) {
      yield rule;
      yield* rulesIn(rule.styleSheet ?? rule);
    }
  }

  // Readers have scripts, so what the styles of `<noscript>` hide is seen. What they show is shown by scripts otherwise.
  function unhideNoscript() {
    const sheets = [...selectAll('noscript style')].map(({ sheet }) => sheet).filter((sheet) => sheet !== null);
    for (const rule of sheets.flatMap((sheet) => [...rulesIn(sheet)]).filter(({ style }) => style)) {
      const { display, visibility, opacity } = rule.style;
      if (display === 'none' && selectsText(rule)) rule.style.removeProperty('display');
      if (visibility === 'hidden' || visibility === 'collapse') rule.style.removeProperty('visibility');
      if (parseFloat(opacity) < 1) rule.style.removeProperty('opacity');
    }
  }

  // Whether a rule is for elements with text. Others, such as placeholders of images, would only take place. The `&` of
  // a rule inside another one counts as the root: it may select more.
  function selectsText({ selectorText }) {
    return [...selectAll(selectorText)].some((element) => /\S/.test(textContent.call(element)));
  }

  // Readers have scripts, so media queries about scripts are answered as in their browsers.
  function assumeScripts() {
    const answer = (_, value) => (/^(undefined|enabled)$/i.test(value) ? '(min-width: 0px)' : '(max-width: 0px)');
    const roots = [doc, ...[...selectAll('*')].map((element) => shadowRoot.call(element)).filter((each) => each !== null)];
    for (const sheet of roots.flatMap((each) => [...each.styleSheets])) {
      for (const { media } of [sheet, ...rulesIn(sheet)]) {
        if (media?.mediaText.includes('scripting')) media.mediaText = media.mediaText.replace(SCRIPTING, answer);
      }
    }
  }

  // Content that `content-visibility: auto` skips has no boxes before it is scrolled into view; `hidden` stays hidden.
  function elementsWithContents(visibility) {
    const elements = options.skipping ? [...selectAll('body *')] : [];
    return elements.filter((element) => getComputedStyle(element).contentVisibility === visibility);
  }

  // A marquee scrolls by an animation that scripts cannot reach. A copy has not moved yet, and shows all of its text.
  function restartMarquees() {
    for (const marquee of selectAll('marquee:not(marquee marquee)')) marquee.replaceWith(marquee.cloneNode(true));
  }

  // Moves the parts of a page that React streams to their places, as its script does: see static/rewriting.py.
  function placeParts() {
    const parts = selectAll('div[hidden][id^="S:"]');
    const places = new Map([...selectAll('template[id^="B:"]')].map((each) => [getAttribute.call(each, 'id').slice(2), each]));
    for (const part of parts) {
      const id = getAttribute.call(part, 'id').slice(2);
      if (!/^[0-9a-f]+$/.test(id)) continue;
      part.removeAttribute('hidden');
      const place = places.get(id);
      if (place && !part.contains(place)) place.after(part);
    }
  }

  // The end state is what a reader sees, and the only state that does not depend on the clock. Animations that are paused,
  // or begin after more than a minute (readers do not wait longer), stay as they are.
  function finishAnimations() {
    const clock = doc.timeline;
    for (const animation of doc.getAnimations().filter(({ playState }) => playState !== 'paused')) {
      try {
        const { delay, endTime } = animation.effect.getComputedTiming();
        if (animation.timeline !== clock || endTime === Infinity) holdClearest(animation, clock);
        else if (delay > 60000) animation.pause();
        else animation.finish();
      } catch {
        animation.cancel(); // it has no effect, or one that cannot be changed
      }
    }
  }

  // An animation that is endless, or driven by scrolling, has no end state. Its most opaque one counts, for a reader waits
  // for it or scrolls to it, and what it moves comes into view.
  function holdClearest(animation, clock) {
    const { effect } = animation;
    const frames = effect.getKeyframes().filter(({ opacity }) => opacity !== undefined);
    if (frames.length === 0) {
      const names = effect.getKeyframes().flatMap((frame) => Object.keys(frame)).join(' ');
      const moves = /transform|translate|left|right|top|bottom|margin|inset/i.test(names);
      if (moves && effect.pseudoElement === null) MOVING.add(effect.target);
      animation.cancel();
      return;
    }
    const clearest = frames.reduce((best, each) => (Number(each.opacity) > Number(best.opacity) ? each : best));
    const timing = { delay: 0, endDelay: 0, duration: 1000, iterations: 1, iterationStart: 0, direction: 'normal', fill: 'both' };
    animation.timeline = clock;
    effect.updateTiming(timing);
    animation.pause();
    animation.currentTime = 1000 * clearest.computedOffset;
  }

  // Returns promises of embedded fonts, which load after the first layout, and of images with unusual media types,
  // which load after the document. Both are available at once if an earlier page had them too.
  function loadingParts() {
    const images = [...selectAll('img[src^="data:" i]')].filter((image) => !image.complete);
    const waits = images.map((image) => image.decode());
    if (!options.fonts) return waits;
    const fonts = doc.fonts;
    getBoundingClientRect.call(root);
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

  // The box between two others (`Math.max`, `Math.min`), or around both (`Math.min`, `Math.max`).
  function combine(a, b, start, end) {
    return {
      left: start(a.left, b.left),
      top: start(a.top, b.top),
      right: end(a.right, b.right),
      bottom: end(a.bottom, b.bottom),
    };
  }

  function isShut(clip) {
    return clip.right - clip.left <= MAX_SHUT_SIZE || clip.bottom - clip.top <= MAX_SHUT_SIZE;
  }

  function isOutside(box, clip) {
    return box.right <= clip.left || box.left >= clip.right || box.bottom <= clip.top || box.top >= clip.bottom;
  }

  // What a clip path leaves is left to pixels. The property `clip` applies to absolutely positioned elements (CSS
  // Masking 1, 8).
  function shapedClip(style, position, box, clip, index) {
    if (declares['clip-path'] && style.clipPath !== 'none') column.clip_path.push(index);
    if (!/absolute|fixed/.test(position)) return clip;
    const rectangle = /^rect\(([^)]*)\)/.exec(style.clip);
    if (!rectangle) return { ...clip }; // no longer that of the viewport: see clippedCode
    const [top, right, bottom, left] = rectangle[1].split(/[ ,]+/).map(parseFloat); // NaN for `auto`
    const window = {
      left: box.left + (left || 0),
      top: box.top + (top || 0),
      right: Number.isNaN(right) ? box.right : box.left + right,
      bottom: Number.isNaN(bottom) ? box.bottom : box.top + bottom,
    };
    return combine(clip, window, Math.max, Math.min);
  }

  // What scrolling brings into view.
  function scrolledWindow(element, style, box, overflow, shown) {
    const scrolled = { ...shown };
    if (/auto|scroll/.test(overflow.y)) {
      scrolled.top = box.top;
      scrolled.bottom = box.top + scrollHeight.call(element);
    }
    if (/auto|scroll/.test(overflow.x)) {
      const width = scrollWidth.call(element);
      scrolled.left = style.direction === 'rtl' ? box.right - width : box.left;
      scrolled.right = scrolled.left + width;
    }
    return scrolled;
  }

  // The window through which the contents of an element are seen. Overflow of html and body is the viewport's.
  function contentClip(element, index, style, row, box, outer) {
    const clip = declares.clip ? shapedClip(style, row.position, box, outer, index) : outer;
    let { overflow } = row;
    if (declares.contain && /paint|strict|content/.test(style.contain)) overflow = { x: 'clip', y: 'clip' };
    // The cells of a collapsed column have no width, and clip their contents (CSS 2.2, 17.5.5).
    if (row.display === 'table-cell' && box.right === box.left) return { left: 0, top: 0, right: 0, bottom: 0 };
    if (overflow.x === 'visible' && overflow.y === 'visible') return clip;
    if (element === root || element === body || row.display === 'inline') return clip;
    if (row.display === 'contents' || /^table-(?!cell|caption)/.test(row.display)) return clip;
    // `overflow: clip` may clip outside the box (CSS Overflow 4, 3.2).
    const margin = () => parseFloat(/[\d.]+px/.exec(style.overflowClipMargin)?.[0] ?? 0);
    const outside = (value) => (value === 'visible' ? Infinity : value === 'clip' ? margin() : 0);
    const [x, y] = [outside(overflow.x), outside(overflow.y)];
    const reach = { left: box.left - x, top: box.top - y, right: box.right + x, bottom: box.bottom + y };
    const shown = combine(clip, reach, Math.max, Math.min);
    const isLow = shown.right - shown.left < LEAST_SCROLLER || shown.bottom - shown.top < LEAST_SCROLLER;
    return isLow ? shown : scrolledWindow(element, style, box, overflow, shown);
  }

  // Fixed elements do not scroll: what lies outside the viewport stays there, unless it is fixed to another element, a
  // transformed or filtered one around it (CSS Transforms 1, 3).
  function fixedClip(element) {
    for (let above = parentElement.call(element); above && above !== root; above = parentElement.call(above)) {
      const { transform, filter, perspective, willChange, contain } = getComputedStyle(above);
      if (transform !== 'none' || filter !== 'none' || perspective !== 'none') return EVERYTHING;
      if (/transform|filter|perspective/.test(willChange) || /paint|strict|content/.test(contain)) return EVERYTHING;
    }
    return viewport;
  }

  function isDisplayed(element, parent, display) {
    // An element outside the flat tree (fallback of a video, unslotted child) has no computed style.
    if (display === 'none' || display === '') return false;
    if (skipsContents.has(parent.element)) return false;
    const isDetails = parent.name === 'details' && parent.element instanceof HTMLDetailsElement;
    return !isDetails || parent.element.open || element === parent.element.querySelector(':scope > summary');
  }

  function clippedCode(clip) {
    return clip === viewport ? HIDDEN.OFF_PAGE : HIDDEN.CLIPPED;
  }

  function hiddenCode(style, opacity, row, box, clip, inner) {
    if (!row.visible) return HIDDEN.VISIBILITY;
    if (opacity < INVISIBLE_OPACITY) return HIDDEN.OPACITY;
    const hasSize = box.right > box.left || box.bottom > box.top;
    if ((inner !== EVERYTHING && isShut(inner)) || (hasSize && clip !== EVERYTHING && isOutside(box, clip))) {
      return clippedCode(clip);
    }
    if (declares['text-indent'] && parseFloat(style.textIndent) <= FAR_INDENT) return HIDDEN.CLIPPED;
    return hasSize && (box.right + shift.x <= 0 || box.bottom + shift.y <= 0) ? HIDDEN.OFF_PAGE : HIDDEN.NO;
  }

  // ---- columns ----

  const tags = new Map();
  const rows = new Map();
  const rowByStyle = new Map();
  const column = {
    tag: [], parent: [], box: [], hidden: [], style: [], attr_node: [], attr_name: [],
    text_parent: [], text_after: [], text_hidden: [], line_text: [], line_box: [], image: [], formula: [],
    area: [], area_box: [], clip_path: [],
  };
  const attributeValues = [];
  const [elements, nodes] = [[], []]; // elements and texts by their numbers, for omissions and probe.js
  const texts = [];
  let characters = 0;

  function intern(table, key) {
    if (!table.has(key)) table.set(key, table.size);
    return table.get(key);
  }

  // Properties that no style of the page declares have their initial values everywhere.
  const declares = Object.fromEntries(options.properties.map((name) => [name, !options.undeclared.includes(name)]));
  const effects = EFFECTS.filter((name) => declares[name]);
  const hasFrames = ['box-shadow', 'border-image', 'backdrop-filter'].some((name) => declares[name]);

  // Every read of a style property costs microseconds. The shorthands `font`, `borderWidth` and `overflow` replace many
  // reads; the longhands are read once for each distinct row. For an unusual font the shorthand is empty.
  function rowOf(style) {
    const { display, position, visibility, overflow, font, whiteSpace } = style;
    const opacity = declares.opacity ? style.opacity : '1';
    const letters = font || [style.fontSize, style.fontWeight, style.fontStyle, style.fontFamily, style.lineHeight].join('\n');
    const key = [display, position, style.float, visibility, opacity, overflow, style.textAlign, whiteSpace, style.color,
      style.textDecorationLine, style.backgroundColor, style.backgroundImage, style.borderWidth, style.listStyleType,
      style.cursor, letters, ...effects.map((name) => style.getPropertyValue(name))].join('\n');
    let row = rowByStyle.get(key);
    if (row === undefined) {
      const [overflowX, overflowY = overflowX] = overflow.split(' ');
      row = {
        index: intern(rows, options.styles.map((name) => style.getPropertyValue(name).slice(0, STYLE_VALUE_LIMIT)).join('\n')),
        display, position, overflow: { x: overflowX, y: overflowY },
        visible: visibility === 'visible', opacity: parseFloat(opacity), preformatted: /^(pre|break)/.test(whiteSpace),
        unreadable: !/^(none|)$/.test(style.webkitTextSecurity ?? ''),
        hasThickBorder: style.borderWidth.split(' ').some((width) => parseFloat(width) >= THICK),
      };
      rowByStyle.set(key, row);
    }
    return row;
  }

  // ---- declarations of the document ----

  // The elements in which a document declares something about itself, as source; see static/parse.py.
  function readHead() {
    const head = [];
    let rest = options.maxHead;
    for (const element of [...selectAll(options.declarations)].slice(0, options.maxEntries)) {
      const source = outerHTML.call(element);
      if (source.length > rest) continue;
      rest -= source.length;
      head.push(source.toWellFormed());
    }
    return head;
  }

  // Whether an attribute may name an element by its id; see snapshot.NAMING.
  function namesElement(name, value) {
    return value.length <= options.idLimit && NAMING.test(name) && (value.includes('#') || (value !== '' && getElementById(value) !== null));
  }

  // Images that a script loads later have the address in an attribute of any name; see static/parse.py.
  function isLazyAddress(element, name, value) {
    return name.startsWith('data-') && element.localName === 'img' && !/^(https?:)?\//i.test(getAttribute.call(element, 'src') ?? '')
      && /^((https?:)?\/)?\/[^\s,]*\.(avif|gif|jpe?g|png|webp)([?#][^\s,]*)?$/i.test(value.trim());
  }

  function addAttributes(element, index) {
    for (const name of getAttributeNames.call(element)) {
      const value = getAttribute.call(element, name);
      let stored = name;
      if (!ATTRIBUTE.has(name)) stored = isLazyAddress(element, name, value) ? 'data-src' : namesElement(name, value) ? 'data-names' : name;
      const limit = /^\s*data:/i.test(value) ? options.dataLimit : options.valueLimit;
      if (ATTRIBUTE.has(stored)) addAttribute(index, stored, value.slice(0, limit).toWellFormed());
    }
  }

  function addAttribute(element, name, value) {
    column.attr_node.push(element);
    column.attr_name.push(ATTRIBUTE.get(name));
    attributeValues.push(value);
  }

  function addElement(name, parent) {
    column.parent.push(parent);
    return column.tag.push(intern(tags, name)) - 1;
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
        line = combine(line, box, Math.min, Math.max);
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

  // Half of a line's height, and half of its width or that of a word, 40 px: the rest may be cut off by an ellipsis.
  function isSeen(box, clip) {
    const width = Math.min(box.right, clip.right) - Math.max(box.left, clip.left);
    const height = Math.min(box.bottom, clip.bottom) - Math.max(box.top, clip.top);
    return width >= Math.min(box.width / 2, 40) && height >= box.height / 2;
  }

  function onSameLine(a, b) {
    const overlap = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    return overlap > Math.min(a.bottom - a.top, b.bottom - b.top) / 2;
  }

  function addText(node, parent) {
    const text = data.call(node);
    const blank = !/\S/.test(text);
    const index = texts.length;
    nodes[index] = node;
    let { hidden } = parent;
    if (skipsContents.has(parent.element)) hidden = HIDDEN.DISPLAY;
    else if (!blank && hidden === HIDDEN.NO) {
      if (!addLines(index, node, parent.clip)) hidden = clippedCode(parent.clip);
      else if (parent.unreadable) hidden = HIDDEN.GLYPHS;
    }
    addTextRow(blank && !parent.preformatted ? ' ' : text, text.length, parent.index, hidden);
  }

  function addTextRow(text, length, parent, hidden) {
    characters += length;
    column.text_parent.push(parent);
    column.text_after.push(column.tag.length - 1);
    column.text_hidden.push(hidden);
    return texts.push(text.toWellFormed()) - 1;
  }

  // ---- what is painted outside of elements ----

  // Adds an area in which something is painted that styles of elements do not tell.
  function addArea(index, box, clip) {
    const { left, top, right, bottom } = combine(box, clip, Math.max, Math.min);
    if (right - left <= 1 || bottom - top <= 1) return;
    column.area.push(index);
    column.area_box.push(left + shift.x, top + shift.y, right - left, bottom - top);
  }

  // Adds what an element paints besides its background, as far as it reaches: a filtered backdrop, a border image, a
  // thick border, and shadows that are not soft.
  function addFrame(index, style, row, box, clip) {
    const fills = style.backdropFilter !== 'none' || (style.borderImageSource !== 'none' && /fill/.test(style.borderImageSlice));
    let reach = fills || row.hasThickBorder ? 0 : -1;
    const lengths = (style.boxShadow.match(/-?[\d.]+px/g) ?? []).map(parseFloat); // four of each shadow
    for (let first = 0; first < lengths.length; first += 4) {
      const [x, y, blur, spread] = lengths.slice(first, first + 4);
      const offset = Math.max(Math.abs(x), Math.abs(y));
      if (Math.max(spread, offset) - blur / 2 >= THICK) reach = Math.max(reach, spread + offset + blur / 2);
    }
    const { left, top, right, bottom } = box;
    if (reach >= 0) addArea(index, { left: left - reach, top: top - reach, right: right + reach, bottom: bottom + reach }, clip);
  }

  // Adds the areas of placed pseudo-elements of an element with this box.
  function addPseudos(frame, box) {
    for (const name of ['::before', '::after']) {
      const style = getComputedStyle(frame.element, name);
      if (!/absolute|fixed/.test(style.position) || /^(none|normal)$/.test(style.content)) continue;
      const isPainted = style.backgroundColor !== 'rgba(0, 0, 0, 0)' || style.backgroundImage !== 'none'
        || style.backdropFilter !== 'none';
      if (style.visibility !== 'visible' || parseFloat(style.opacity) < FAINT || !isPainted) continue;
      addArea(frame.index, pseudoBox(style.position === 'fixed' ? viewport : box, style), frame.absolute);
    }
  }

  // About the border box of a placed pseudo-element, which has no accessor.
  function pseudoBox(outer, style) {
    const { e: x, f: y } = new DOMMatrix(style.transform === 'none' ? '' : style.transform);
    const inset = (side, margin) => (parseFloat(style[side]) || 0) + (parseFloat(style[margin]) || 0);
    return {
      left: outer.left + inset('left', 'marginLeft') + x,
      top: outer.top + inset('top', 'marginTop') + y,
      right: outer.right - inset('right', 'marginRight') + x,
      bottom: outer.bottom - inset('bottom', 'marginBottom') + y,
    };
  }

  function setStyles(element, styles) {
    const { style } = unshadowed(element);
    for (const [name, value] of Object.entries(styles)) style.setProperty(name, value, 'important');
  }

  // Paints parts of the page that was read no more, until the next document. Its layout stays.
  function omit(page) {
    const isPlaced = (element) => element !== undefined && getComputedStyle(element).position !== 'static';
    const omitted = options.omitted.elements.map((index) => page.elements[index]).filter(isPlaced);
    for (const element of omitted) setStyles(element, { transition: 'none', opacity: '0' });
    if (omitted.length > 0) adopt(`${page.rules} ::backdrop { display: none !important }`);
    const texts = options.omitted.texts.map((index) => page.nodes[index]).filter((node) => node !== undefined);
    for (const parent of new Set(texts.map((node) => parentElement.call(node)))) omitLetters(parent);
  }

  // Paints the letters of an element in no color. Colors made of theirs stay.
  function omitLetters(element) {
    setStyles(element, { transition: 'none', 'text-shadow': 'none', '-webkit-text-fill-color': 'transparent',
      '-webkit-text-stroke-color': 'transparent' });
    for (let above = element; above; above = parentElement.call(above)) {
      if (getComputedStyle(above).backgroundClip.includes('text')) setStyles(above, { background: 'none' });
    }
  }

  // ---- formulas ----

  // The formulas of the page by the element that is read as one: a wrapper, `math`, a script of MathJax, what MathJax
  // drew, or what may be an image of TeX. What is drawn before a script is null. See vclean.render.static.formulas.
  function findFormulas() {
    const formulas = new Map();
    for (const drawn of selectAll(options.drawings)) {
      formulas.set(drawn, { source: outerHTML.call(drawn), display: matches.call(drawn, options.displayWrappers) });
    }
    if (!select('math, script[type^="math/" i]')) return formulas;
    for (const math of selectAll('math')) {
      let [outer, display] = [math, getAttribute.call(math, 'display') === 'block'];
      for (let above = parentElement.call(math); above; above = parentElement.call(above)) {
        if (!matches.call(above, options.formulaWrappers) || querySelectorAll.call(above, 'math').length > 1) continue;
        outer = above;
        display ||= matches.call(above, options.displayWrappers);
      }
      formulas.set(outer, { source: outerHTML.call(math), display });
    }
    for (const script of selectAll('script[type^="math/" i]')) {
      const type = getAttribute.call(script, 'type');
      if (!/^\s*math\/(tex|mml)\b/i.test(type)) continue;
      let drawn = previousElementSibling.call(script);
      for (; drawn && matches.call(drawn, options.drawnFormulas); drawn = previousElementSibling.call(drawn)) {
        formulas.set(drawn, null);
      }
      formulas.set(script, { source: textContent.call(script), display: /mode\s*=\s*display/i.test(type) });
    }
    return formulas;
  }

  // Adds a formula to a `math` element, or in a new one inside of an element, as a text; walker.py writes it as a line.
  function addFormula({ source, display }, frame, box) {
    let parent = frame.index;
    if (frame.name !== 'math') {
      parent = addElement('math', frame.index);
      column.box.push(...box);
      column.style.push(column.style[frame.index]);
      column.hidden.push(frame.hidden);
      if (display) addAttribute(parent, 'display', 'block');
    }
    const index = addTextRow(source.slice(0, options.maxFormula), source.length, parent, frame.hidden);
    column.formula.push(index);
    if (frame.hidden !== HIDDEN.NO || !(box[2] > 0 && box[3] > 0)) return;
    column.line_text.push(index);
    column.line_box.push(...box);
  }

  // ---- the walk ----

  // Adds an element and returns its stack frame. Descendants inherit `clip` (contents in flow) and `absolute`
  // (absolutely positioned contents). `next` is the next child to visit; `assigned` are the nodes that replace the
  // children of a slot, last first.
  function visit(element, name, parent) {
    const index = addElement(name, parent.index);
    elements[index] = element;
    const flat = shadowRoot.call(element) ?? element; // the shadow root replaces the children of its host
    const isSlot = name === 'slot' && element instanceof HTMLSlotElement && element.assignedNodes().length > 0;
    const frame = {
      element, name, index, preformatted: false, hidden: HIDDEN.DISPLAY, opacity: 0, clip: EVERYTHING,
      absolute: EVERYTHING, unreadable: false, next: REPLACED.has(name) ? null : firstChild.call(flat),
      assigned: isSlot ? element.assignedNodes().reverse() : null,
    };
    if (options.onlyNumbers) return frame;
    const style = getComputedStyle(element);
    addAttributes(element, index);
    const row = rowOf(style);
    column.style.push(row.index);
    frame.preformatted = row.preformatted;
    const isShown = parent.hidden !== HIDDEN.DISPLAY && isDisplayed(element, parent, row.display);
    if (isShown) measure(frame, style, row, parent);
    else column.box.push(0, 0, 0, 0);
    column.hidden.push(frame.hidden);
    if (element instanceof HTMLImageElement && element.complete && element.naturalWidth > 0) column.image.push(index);
    return frame;
  }

  function measure(frame, style, row, parent) {
    const { x, y, width, height } = getBoundingClientRect.call(frame.element);
    column.box.push(x + shift.x, y + shift.y, width, height);
    const box = { left: x, top: y, right: x + width, bottom: y + height };
    let outer = row.position === 'absolute' ? parent.absolute :
      row.position === 'fixed' ? fixedClip(frame.element) : parent.clip;
    if (MOVING.has(frame.element) && !isShut(outer)) outer = EVERYTHING;
    frame.clip = contentClip(frame.element, frame.index, style, row, box, outer);
    frame.absolute = row.position === 'static' ? parent.absolute : frame.clip;
    frame.opacity = parent.opacity * row.opacity;
    frame.hidden = hiddenCode(style, frame.opacity, row, box, outer, frame.clip);
    frame.unreadable = row.unreadable;
    if (frame.hidden !== HIDDEN.NO) return;
    if (row.hasThickBorder || hasFrames) addFrame(frame.index, style, row, box, outer);
    if (options.pseudos && row.position !== 'static') addPseudos(frame, box);
    else if (options.pseudos && frame.element === body) addPseudos(frame, viewport);
  }

  // Adds an element with a formula as its only content, or a formula whose element is not part of the page: a script.
  function visitFormula(element, name, formula, parent) {
    if (name === 'script') return addFormula(formula, parent, [0, 0, 0, 0]);
    const frame = visit(element, name, parent);
    if (formula !== null) addFormula(formula, frame, column.box.slice(4 * frame.index, 4 * frame.index + 4));
  }

  function nextOf(frame) {
    if (frame.assigned !== null) return frame.assigned.pop() ?? null;
    const child = frame.next;
    if (child !== null) frame.next = nextSibling.call(child);
    return child;
  }

  function walkTree() {
    const top = {
      element: null, name: '', index: -1, preformatted: false, hidden: HIDDEN.NO, opacity: 1, clip: EVERYTHING,
      absolute: EVERYTHING, next: null, assigned: null,
    };
    const stack = [visit(root, localName.call(root), top)];
    while (stack.length > 0) {
      const frame = stack[stack.length - 1];
      const child = nextOf(frame);
      const type = child === null ? 0 : nodeType.call(child);
      if (child === null) stack.pop();
      else if (type === TEXT) addText(child, frame);
      else if (type === ELEMENT) {
        const name = localName.call(child);
        const formula = formulas.size > 0 ? formulas.get(child) : undefined;
        if (formula !== undefined) visitFormula(child, name, formula, frame);
        else if (!SKIPPED.has(name)) stack.push(visit(child, name, frame));
      }
    }
  }

  // Whether the canvas is dark without a background (CSS Color Adjustment 1, 2): `light dark` takes what the reader prefers.
  function isDark() {
    const meta = select('meta[name="color-scheme" i]');
    const declared = getComputedStyle(root).colorScheme;
    const schemes = declared === 'normal' && meta ? getAttribute.call(meta, 'content') ?? '' : declared;
    const prefers = matchMedia('(prefers-color-scheme: dark)').matches;
    return /\bdark\b/i.test(schemes) && (prefers || !/\blight\b/i.test(schemes));
  }

  // ---- packing ----

  function packColumns() {
    const types = {
      box: Float32Array, line_box: Float32Array, area_box: Float32Array, hidden: Uint8Array, text_hidden: Uint8Array,
    };
    const packed = {};
    for (const [name, values] of Object.entries(column)) {
      const bytes = new Uint8Array(new (types[name] ?? Int32Array)(values).buffer);
      packed[name] = bytes.toBase64?.() ?? btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
    }
    return packed;
  }

  if (options.omitted) {
    omit(globalThis[READ] ?? { elements: [], nodes: [], rules: '' });
    return '';
  }
  const count = doc.getElementsByTagName('*').length;
  if (count > options.maxNodes) return JSON.stringify({ nodes: count });
  // Chromium reuses styles of earlier pages with equal rules, and with them their link colors.
  if (document[USED] && !options.onlyNumbers && select(LINK_COLORS)) return '{"needsNewDocument":true}';

  const head = readHead();
  restartMarquees();
  if (!options.scripts) placeParts();
  const noscript = needsNoscript();
  if (!noscript) SKIPPED.add('noscript');
  let pageRules = noscript ? '' : 'noscript { display: none !important }';
  adopt(pageRules);
  if (!noscript && !options.scripts) unhideNoscript();
  if (options.scripting && !options.scripts) assumeScripts();
  const skipsContents = new Set(elementsWithContents('hidden'));
  if (elementsWithContents('auto').length > 0) {
    pageRules += ' * { content-visibility: visible !important }';
    adopt(pageRules);
  }
  finishAnimations();
  const waits = loadingParts();
  if (waits.length > 0) return Promise.allSettled(waits).then(() => walk(options));

  const scroller = doc.scrollingElement ?? root;
  const width = scrollWidth.call(scroller);
  // Right-to-left pages scroll to the left of x = 0; the left edge of the document is then negative.
  const left = Math.min(0, clientWidth.call(root) - width);
  const origin = getComputedStyle(root).direction === 'rtl' ? left : 0;
  const shift = { x: scrollX - origin, y: scrollY }; // from viewport to document
  const range = doc.createRange();
  const viewport = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const formulas = findFormulas();
  globalThis[READ] = { elements, nodes, rules: pageRules };
  walkTree();
  if (options.onlyNumbers) return '';
  document[USED] = true;
  if (characters > options.maxCharacters) return JSON.stringify({ characters });
  const answer = JSON.stringify({
    columns: packColumns(),
    tags: [...tags.keys()],
    rows: [...rows.keys()],
    texts,
    attributes: attributeValues,
    title: doc.title.toWellFormed(),
    head,
    language: (getAttribute.call(root, 'lang') ?? '').toLowerCase().toWellFormed(),
    width,
    height: scrollHeight.call(scroller),
    noscript,
    dark: isDark(),
    sticky: isSticky(),
  });
  if (options.discard) unshadowed(root).style.display = 'none'; // avoids painting a page that is not needed
  return answer;
})
