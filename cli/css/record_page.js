// Observes the documents of a page for `heddle css record`: it is evaluated before any script of the
// page. Trees are sent through the binding heddleRecord as nodes and roots. A node is a text, the JSON
// of [name, namespace, attributes, has text, numbers of the children, numbers of the shadow root's
// children]; each different one is sent once and has a number from 0 on, after its children's.
(() => {
  const send = window.heddleRecord;
  delete window.heddleRecord;
  if (!send) return;
  const MOST_CONTEXT = 20000; // elements of the subtree that is sent for one change
  const QUIET_MS = 100; // a whole tree is sent after so long without a change
  const known = new Map(), roots = new Set(), observed = new WeakSet(), shadows = new WeakMap();
  const name = Math.random().toString(36).slice(2);
  let fresh = [], freshRoots = [], quiet = 0, count = 0;

  const spaces = {'http://www.w3.org/1999/xhtml': 0, 'http://www.w3.org/2000/svg': 1, 'http://www.w3.org/1998/Math/MathML': 2};
  const text = node => [...node.childNodes].some(c => (c.nodeType === 3 || c.nodeType === 4) && c.data !== '') ? 1 : 0;

  // The number of an element's text; `children` and `shadow` are numbers. `was`: an attribute as it was before, [name, value].
  function number(element, children, shadow, was) {
    const attributes = [...element.attributes].map(a => [a.name, a.value]).filter(a => !was || a[0] !== was[0]);
    if (was) attributes.push(was);
    const key = JSON.stringify([element.localName, spaces[element.namespaceURI] ?? 3, attributes, text(element), children, shadow]);
    let found = known.get(key);
    if (found === undefined) {
      found = known.size;
      known.set(key, found);
      fresh.push(key);
    }
    return found;
  }

  // Numbers of the elements below a node; those of a <template> are its content's.
  function below(node) {
    const content = node.localName === 'template' && node.content ? node.content : node;
    return [...content.children].map(whole);
  }

  function whole(element) {
    const shadow = shadows.get(element) || element.shadowRoot;
    if (shadow) observe(shadow);
    count++;
    return number(element, below(element), shadow ? below(shadow) : []);
  }

  // The number of the outermost element, if `node` had only these children and each of its ancestors had one child.
  function upwards(node, children) {
    for (; node; node = node.parentNode) {
      if (node.nodeType === 1) children = [number(node, children, [])];
      else if (node.host) children = [number(node.host, [], children)], node = node.host;
    }
    return children;
  }

  function root(numbers) {
    const key = numbers.join();
    if (!numbers.length || roots.has(key)) return;
    roots.add(key);
    freshRoots.push(numbers);
  }

  // The surroundings of a change: the parent's whole subtree below the chain of its ancestors.
  function around(node) {
    const parent = node.nodeType === 1 || node.nodeType === 11 || node.nodeType === 9 ? node : node.parentNode;
    if (!parent) return;
    count = 0;
    const few = parent.getElementsByTagName ? parent.getElementsByTagName('*').length <= MOST_CONTEXT : true;
    const children = few ? below(parent) : [];
    root(parent.nodeType === 1 ? upwards(parent.parentNode, [number(parent, children, [])]) : parent.host ? upwards(parent.host.parentNode, [number(parent.host, [], children)]) : children);
  }

  function flush() {
    if (!fresh.length && !freshRoots.length) return;
    const message = {document: name, url: location.href, quirks: document.compatMode === 'BackCompat', nodes: fresh, roots: freshRoots};
    fresh = [], freshRoots = [];
    send(JSON.stringify(message));
  }

  function all() {
    clearTimeout(quiet), quiet = 0;
    if (document.documentElement) root([whole(document.documentElement)]);
    flush();
  }

  const observer = new MutationObserver(records => {
    const seen = new Set();
    for (const record of records) {
      const node = record.type === 'attributes' ? record.target.parentNode : record.target;
      if (node && !seen.has(node)) seen.add(node), around(node);
      // states that are over already: nodes that were added and removed, values that were overwritten
      for (const added of record.addedNodes) if (added.nodeType === 1 && !added.isConnected) root(upwards(record.target, [whole(added)]));
      if (record.oldValue !== null && record.type === 'attributes')
        root(upwards(node, [number(record.target, [], [], [record.attributeName, record.oldValue])]));
    }
    flush();
    if (!quiet) quiet = setTimeout(all, QUIET_MS);
  });

  function observe(node) {
    if (observed.has(node)) return;
    observed.add(node);
    observer.observe(node, {subtree: true, childList: true, attributes: true, attributeOldValue: true, characterData: true});
  }

  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function attachShadow(options) {
    const shadow = attach.call(this, options);
    shadows.set(this, shadow);
    observe(shadow);
    return shadow;
  };
  observe(document);
  addEventListener('DOMContentLoaded', all);
  addEventListener('load', all);
  addEventListener('pagehide', all, true);
  window.addEventListener('beforeunload', all, true);
  Object.defineProperty(window, Symbol.for('heddle.record'), {value: all});
  // Scrolls the first element of a selector into view; its centre, or null.
  Object.defineProperty(window, Symbol.for('heddle.find'), {value: selector => {
    const element = document.querySelector(selector);
    if (!element) return null;
    element.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
    const box = element.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  }});
})();
