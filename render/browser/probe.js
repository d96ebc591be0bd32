// Clicks the controls of a page, and finds the hidden texts that get a place in sight; see clicks.py. `record` runs in the
// world of the page before its scripts, `mark` there later, `start` in the isolated world in which walker.js has read it.
({
  record() {
    for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection']) delete globalThis[name]; // pass no interception
    delete Navigator.prototype.serviceWorker;
    const types = new Set(['click', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'touchstart', 'touchend', 'change']);
    const hovers = new Set(['mouseenter', 'mouseover', 'pointerenter', 'pointerover']);
    const marks = globalThis[Symbol.for('vclean.marks')] = { listens: new Set(), hovers: new Set() };
    const add = EventTarget.prototype.addEventListener;
    EventTarget.prototype.addEventListener = function addEventListener(type, ...rest) {
      if (this instanceof Element && types.has(type)) marks.listens.add(this);
      if (this instanceof Element && hovers.has(type)) marks.hovers.add(this);
      return add.call(this, type, ...rest);
    };
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
    const STATEFUL = 'summary, select, [role=tab], [aria-expanded], [aria-controls], [aria-haspopup], [popovertarget], [commandfor]';
    const MAX_CHOICES = 6; // options of a menu
    const LEVELS = 5; // above a hidden text, in which its control is expected first
    const nodes = globalThis[Symbol.for('vclean.texts')] ?? [];
    const waiting = new Map(hidden.map((index) => [index, nodes[index]]).filter(([, node]) => node?.isConnected));
    const revealed = [];
    const clicked = new Set();
    const again = [];
    const range = document.createRange();
    const near = new Set();
    for (const node of waiting.values()) {
      for (let each = node.parentElement, level = 0; each && level < LEVELS; each = each.parentElement, level += 1) near.add(each);
    }
    let queue = [];

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
        if (opacity < 0.02 || (style.clip !== 'auto' && style.position === 'absolute')) return false;
        if (style.clipPath !== 'none' && !/^inset\(0(px|%)?\)$/.test(style.clipPath)) return false;
        const isAround = position === 'static' || position === 'relative' || (position === 'absolute' && style.position !== 'static');
        if (isAround && each !== document.body && each !== document.documentElement) {
          const box = each.getBoundingClientRect();
          if (/hidden|clip/.test(style.overflowX)) [clip.left, clip.right] = [Math.max(clip.left, box.left), Math.min(clip.right, box.right)];
          if (/hidden|clip/.test(style.overflowY)) [clip.top, clip.bottom] = [Math.max(clip.top, box.top), Math.min(clip.bottom, box.bottom)];
        }
        if (isAround) position = style.position;
      }
      return boxes.some(({ left, top, right, bottom }) => right - left > 1 && bottom - top > 1 &&
        Math.min(right, clip.right) - Math.max(left, clip.left) > Math.min(4, (right - left) / 2) &&
        Math.min(bottom, clip.bottom) - Math.max(top, clip.top) >= (bottom - top) / 2);
    }

    function check() {
      for (const animation of document.getAnimations()) {
        try { animation.finish(); } catch { /* it is endless */ }
      }
      const count = revealed.length;
      for (const [index, node] of waiting) {
        range.selectNodeContents(node);
        if (!isInSight(node.parentElement, [...range.getClientRects()])) continue;
        if (parseFloat(getComputedStyle(node.parentElement).fontSize) < 5) continue;
        waiting.delete(index);
        revealed.push(index);
      }
      return revealed.length > count;
    }

    function isReady(element) {
      const box = element.getBoundingClientRect();
      const isRoot = box.width * box.height > 0.6 * innerWidth * innerHeight && !element.matches('button, summary, label');
      return element.isConnected && !isRoot && isInSight(element, [box]);
    }

    function rootsIn(root) {
      const hosts = [...root.querySelectorAll('*')].filter((each) => each.shadowRoot);
      return [root, ...hosts.flatMap((each) => rootsIn(each.shadowRoot))];
    }

    function isNear(element) {
      for (let each = element, level = 0; each && level < LEVELS; each = each.parentElement, level += 1) if (near.has(each)) return true;
      return false;
    }

    function collect() {
      const found = new Set(rootsIn(document).flatMap((root) => [...root.querySelectorAll(OPERABLE)]));
      for (const element of document.body?.querySelectorAll('*') ?? []) {
        const isPointed = getComputedStyle(element).cursor === 'pointer' && getComputedStyle(element.parentElement).cursor !== 'pointer';
        if (isPointed && !element.matches('a[href]')) found.add(element);
      }
      const rank = (element) => 2 * !isNear(element) + !element.matches(STATEFUL);
      const ready = [...found].filter((element) => !clicked.has(element) && isReady(element));
      queue = ready.map((element) => [rank(element), element]).sort((a, b) => a[0] - b[0]).map(([, element]) => element);
    }

    function fire(element, type, names) {
      for (const name of names) {
        const Type = name.startsWith('pointer') ? PointerEvent : MouseEvent;
        element.dispatchEvent(new Type(name, { bubbles: type !== 'enter', cancelable: true, composed: true, view: window }));
      }
    }

    function operate(element) {
      if (element instanceof HTMLSelectElement) {
        element.selectedIndex = (element.selectedIndex + 1) % Math.max(element.options.length, 1);
        for (const name of ['input', 'change']) element.dispatchEvent(new Event(name, { bubbles: true }));
        return;
      }
      fire(element, 'press', ['pointerdown', 'mousedown', 'pointerup', 'mouseup']);
      if (element.click) element.click();
      else fire(element, 'press', ['click']);
    }

    // Applies the rules for `:hover` to the elements in sight that a pointer can be above, and tells scripts of it.
    function hover() {
      const copies = [];
      for (const sheet of document.styleSheets) {
        let rules = [];
        try { rules = [...sheet.cssRules]; } catch { /* of another origin */ }
        for (const rule of rules.filter(({ selectorText }) => selectorText?.includes(':hover'))) {
          const trigger = rule.selectorText.split(',').map((each) => each.split(':hover')[0].trim()).filter((each) => /[\w\])*]$/.test(each));
          if (trigger.length > 0) for (const element of document.querySelectorAll(trigger.join())) if (isReady(element)) element.setAttribute('data-vclean-hover', '');
          copies.push(`${rule.selectorText.replaceAll(':hover', '[data-vclean-hover]')} { ${rule.style.cssText} }`);
        }
      }
      const style = new CSSStyleSheet();
      style.replaceSync(copies.join('\n'));
      document.adoptedStyleSheets.push(style);
      for (const element of document.querySelectorAll('[data-vclean-hovers]')) if (isReady(element)) fire(element, 'enter', ['pointerenter', 'mouseenter', 'pointerover', 'mouseover']);
      return () => {
        for (const element of document.querySelectorAll('[data-vclean-hover]')) element.removeAttribute('data-vclean-hover');
        for (const element of document.querySelectorAll('[data-vclean-hovers]')) fire(element, 'leave', ['pointerleave', 'mouseleave', 'pointerout', 'mouseout']);
      };
    }

    let leave = null;
    let last = null;
    // Judges the last action, and takes the next one. Returns whether there was one.
    function step() {
      const isNew = check();
      if (waiting.size === 0) return false;
      if (leave === null) {
        leave = hover();
        return true;
      }
      if (last === null) {
        leave();
        collect();
      } else if (isNew) {
        again.push(last);
        const rest = queue;
        collect();
        queue = [...queue.filter((element) => !rest.includes(element)), ...rest];
      }
      do last = queue.shift() ?? again.shift(); while (last && !isReady(last));
      if (!last) return false;
      clicked.add(last);
      operate(last);
      return true;
    }
    globalThis[Symbol.for('vclean.probe')] = { check, step, revealed: () => JSON.stringify(revealed) };
    return '';
  },
})
