// Clicks the controls of a page, and finds the hidden texts that get a place in sight; see clicks.py. `record` runs in the
// world of the page before its scripts, `mark` there later, `start` in the isolated world in which walker.js has read it.
({
  record() {
    for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection']) delete globalThis[name]; // pass no interception
    delete Navigator.prototype.serviceWorker;
    const marks = globalThis[Symbol.for('vclean.marks')] = { listens: new Set(), hovers: new Set() };
    const add = EventTarget.prototype.addEventListener;
    EventTarget.prototype.addEventListener = function addEventListener(type, ...rest) {
      if (this instanceof Element && /^(click|change|(mouse|pointer)(down|up)|touch(start|end))$/.test(type)) marks.listens.add(this);
      if (this instanceof Element && /^(mouse|pointer)(enter|over)$/.test(type)) marks.hovers.add(this);
      return add.call(this, type, ...rest);
    };
    let seed = 1; // names that a script draws, such as ids, are the same at each rendering
    Math.random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
    // Frames take real time, timers only virtual time.
    globalThis.requestAnimationFrame = (callback) => setTimeout(() => callback(performance.now()), 16);
    globalThis.cancelAnimationFrame = clearTimeout;
  },

  mark() {
    const { listens, hovers } = globalThis[Symbol.for('vclean.marks')];
    for (const element of document.querySelectorAll('*')) {
      if (element.onclick || listens.has(element)) element.setAttribute('data-vclean-listens', '');
      if (element.onmouseenter || element.onmouseover || hovers.has(element)) element.setAttribute('data-vclean-hovers', '');
    }
  },

  start(hidden) {
    const OPERABLE = `button, summary, label, select, input[type=checkbox], input[type=radio], input[type=button], [onclick],
      [role=button], [role=tab], [role=switch], [role=menuitem], [role=option], [role=radio], [role=checkbox],
      [aria-expanded], [aria-controls], [data-vclean-listens], a[href^="#"], a[href^="javascript:"], a:not([href])`;
    const LEVELS = 5; // above a hidden text, in which its control is expected first
    const nodes = globalThis[Symbol.for('vclean.read')]?.nodes ?? [];
    const waiting = new Map(hidden.map((index) => [index, nodes[index]]).filter(([, node]) => node?.isConnected));
    const revealed = [];
    const clicked = new Set();
    const again = []; // controls that revealed text, twice, as that for the next slide may first have to undo another one's
    let queue = [];
    const range = document.createRange();
    const around = (element, levels = LEVELS) => (element && levels > 0 ? [element, ...around(element.parentElement, levels - 1)] : []);
    const near = new Set([...waiting.values()].flatMap((node) => around(node.parentElement)));

    const isFragment = (link) => link.protocol === 'javascript:' || link.href.split('#')[0] === location.href.split('#')[0];
    addEventListener('click', (event) => {
      const link = event.composedPath().find((each) => each instanceof HTMLAnchorElement && each.href);
      if (link && !isFragment(link)) event.preventDefault();
    }, true);
    addEventListener('submit', (event) => event.preventDefault(), true);

    // Whether half of a line of one of the boxes remains after opacities and clips of all ancestors.
    function isInSight(element, boxes) {
      if (!boxes.some(({ width, height }) => width > 1 && height > 1)) return false;
      if (!element?.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false;
      let opacity = 1;
      let position = 'static';
      const clip = { left: -scrollX, top: -scrollY, right: Infinity, bottom: Infinity };
      for (let each = element; each; each = each.parentElement ?? each.getRootNode().host) {
        const style = getComputedStyle(each);
        opacity *= style.opacity;
        if (opacity < 0.02 || (style.clip !== 'auto' && /absolute|fixed/.test(style.position))) return false;
        if (style.clipPath !== 'none' && !/^inset\(0(px|%)?\)$/.test(style.clipPath)) return false;
        if (position === 'fixed' || (position === 'absolute' && style.position === 'static')) continue; // it does not clip
        position = style.position;
        if (each === document.body || each === document.documentElement) continue; // the viewport scrolls
        const { left, top, right, bottom } = each.getBoundingClientRect();
        if (/hidden|clip/.test(style.overflowX)) Object.assign(clip, { left: Math.max(clip.left, left), right: Math.min(clip.right, right) });
        if (/hidden|clip/.test(style.overflowY)) Object.assign(clip, { top: Math.max(clip.top, top), bottom: Math.min(clip.bottom, bottom) });
      }
      return boxes.some(({ left, top, right, bottom }) => right - left > 1 && bottom - top > 1 &&
        Math.min(right, clip.right) - Math.max(left, clip.left) > Math.min(4, (right - left) / 2) &&
        Math.min(bottom, clip.bottom) - Math.max(top, clip.top) >= (bottom - top) / 2);
    }

    function check() {
      for (const animation of document.getAnimations()) {
        try { animation.finish(); } catch { /* it is endless */ }
      }
      const count = waiting.size;
      for (const [index, node] of waiting) {
        range.selectNodeContents(node);
        const isSeen = isInSight(node.parentElement, [...range.getClientRects()]);
        if (isSeen && parseFloat(getComputedStyle(node.parentElement).fontSize) >= 5 && waiting.delete(index)) revealed.push(index);
      }
      return waiting.size < count;
    }

    function isReady(element) {
      const box = element.getBoundingClientRect();
      const isRoot = box.width * box.height > 0.6 * innerWidth * innerHeight && !element.matches('button, summary, label');
      return element.isConnected && !isRoot && isInSight(element, [box]);
    }

    // Finds the controls that can be clicked, those near hidden texts first.
    function collect() {
      const rootsIn = (root) => [root, ...[...root.querySelectorAll('*')].flatMap((each) => (each.shadowRoot ? rootsIn(each.shadowRoot) : []))];
      const found = new Set(rootsIn(document).flatMap((root) => [...root.querySelectorAll(OPERABLE)]));
      for (const element of document.body?.querySelectorAll('*') ?? []) {
        const isPointed = getComputedStyle(element).cursor === 'pointer' && getComputedStyle(element.parentElement).cursor !== 'pointer';
        if (isPointed && !element.matches('a[href]')) found.add(element);
      }
      const ready = [...found].filter((element) => !clicked.has(element) && isReady(element));
      const isNear = (element) => around(element).some((each) => near.has(each));
      queue = [...ready.filter(isNear), ...ready.filter((element) => !isNear(element))];
    }

    function fire(element, ...names) {
      const options = { bubbles: true, cancelable: true, composed: true, view: window };
      for (const name of names) element.dispatchEvent(new (name.startsWith('pointer') ? PointerEvent : MouseEvent)(name, options));
    }

    function operate(element) {
      if (element instanceof HTMLSelectElement) {
        element.selectedIndex = (element.selectedIndex + 1) % Math.max(element.options.length, 1);
        fire(element, 'input', 'change');
      } else {
        fire(element, 'pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click');
      }
    }

    // Applies the rules for `:hover` to the elements in sight that a pointer can be above, and tells scripts of it.
    function hover() {
      const copies = new CSSStyleSheet();
      for (const sheet of document.styleSheets) {
        try {
          for (const rule of [...sheet.cssRules].filter(({ selectorText }) => selectorText?.includes(':hover'))) {
            const hovered = rule.selectorText.split(',').map((each) => each.split(':hover')[0]).filter((each) => /[\w\])*]$/.test(each));
            const ready = [...document.querySelectorAll(hovered.join() || 'x')].filter(isReady);
            for (const element of ready) element.setAttribute('data-vclean-hover', '');
            copies.insertRule(rule.cssText.replaceAll(':hover', '[data-vclean-hover]'), copies.cssRules.length);
          }
        } catch { /* a style sheet of another origin, or a selector with commas inside of it */ }
      }
      document.adoptedStyleSheets.push(copies);
      const hovered = [...document.querySelectorAll('[data-vclean-hovers]')].filter(isReady);
      for (const element of hovered) fire(element, 'pointerenter', 'mouseenter', 'pointerover', 'mouseover');
    }

    // Takes one action after another. After each, `isNew` tells whether it revealed a text.
    let isNew = false;
    function* actions() {
      hover();
      yield;
      collect();
      for (let element; (element = queue.shift() ?? again.shift());) {
        if (!isReady(element)) continue;
        clicked.add(element);
        operate(element);
        yield;
        if (!isNew) continue;
        again.push(element, element);
        const rest = queue;
        collect();
        queue = [...queue.filter((each) => !rest.includes(each)), ...rest];
      }
    }

    const steps = actions();
    function step() { // judges the last action, and takes the next one; returns whether there was one
      isNew = check();
      return waiting.size > 0 && !steps.next().done;
    }

    globalThis[Symbol.for('vclean.probe')] = { check, step, revealed: () => JSON.stringify(revealed) };
    return '';
  },
})
