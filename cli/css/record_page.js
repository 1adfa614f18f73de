// Observes the documents of a page for `heddle css record`: it is evaluated before any script of the
// page. Trees are sent through the binding heddleRecord as nodes and roots. A node is a text, the JSON
// of [name, namespace, attributes, has text, numbers of the children, numbers of the shadow root's
// children]; each different one is sent once and has a number from 0 on, after its children's.
(() => {
  const send = window.heddleRecord;
  delete window.heddleRecord;
  if (!send) return;
  const MOST_CONTEXT = 500; // children of a parent that is sent whole for one change
  const MOST_VALUES = 200; // values of an attribute; further ones are sent with 0 for each number
  const QUIET_MS = 100; // a whole tree is sent so long after a change, or 10 times as long as that takes

  // Scripts of the page may replace methods of the language, and controls of a form hide its members by their names.
  const {stringify} = JSON, {apply} = Reflect;
  const own = (object, ...names) => (names.forEach(name => { object[name] = object[name]; }), object);
  const reader = (type, name) => {
    const {get} = Object.getOwnPropertyDescriptor(type.prototype, name);
    return object => apply(get, object, []);
  };
  const typeOf = reader(Node, 'nodeType'), parentOf = reader(Node, 'parentNode'), isConnected = reader(Node, 'isConnected');
  const firstOf = reader(Node, 'firstChild'), nextOf = reader(Node, 'nextSibling'), dataOf = reader(CharacterData, 'data');
  const nameOf = reader(Element, 'localName'), spaceOf = reader(Element, 'namespaceURI'), shadowOf = reader(Element, 'shadowRoot');
  const attributesOf = reader(Element, 'attributes'), hostOf = reader(ShadowRoot, 'host'), contentOf = reader(HTMLTemplateElement, 'content');
  const elementCount = {1: reader(Element, 'childElementCount'), 9: reader(Document, 'childElementCount'), 11: reader(DocumentFragment, 'childElementCount')};
  const previousElement = reader(Element, 'previousElementSibling'), nextElement = reader(Element, 'nextElementSibling');
  const isShadow = node => typeOf(node) === 11 && node instanceof ShadowRoot;

  const known = own(new Map(), 'get', 'set'), roots = own(new Set(), 'has', 'add'), values = own(new Map(), 'get', 'set');
  const observed = own(new WeakSet(), 'has', 'add'), shadows = own(new WeakMap(), 'get', 'set');
  // Numbers of elements that have not changed since, and whether they have a text.
  const numbers = own(new WeakMap(), 'get', 'set', 'delete'), texts = own(new WeakMap(), 'get', 'set', 'delete');
  const document_ = Math.random().toString(36).slice(2), now = performance.now.bind(performance);
  const later = setTimeout.bind(window), never = clearTimeout.bind(window);
  const spaces = {'http://www.w3.org/1999/xhtml': 0, 'http://www.w3.org/2000/svg': 1, 'http://www.w3.org/1998/Math/MathML': 2};
  let fresh = [], freshRoots = [], quiet = 0, took = 0, kept = true;

  const quote = text => stringify(text.toWellFormed().replaceAll('\0', '\ufffd'));
  const list = items => {
    let text = '';
    for (let i = 0; i < items.length; i++) text += (i ? ',' : '') + items[i];
    return `[${text}]`;
  };

  // A value of an attribute; animations make too many of them.
  function valueOf(name, value) {
    if (name === 'class' || name === 'id') return value;
    let seen = values.get(name);
    if (!seen) values.set(name, seen = own(new Set(), 'has', 'add'));
    if (seen.has(value)) return value;
    if (seen.size >= MOST_VALUES) return value.replace(/[0-9.]+(e-?[0-9]+)?/g, '0');
    seen.add(value);
    return value;
  }

  function hasText(node) {
    let found = texts.get(node);
    for (let child = found === undefined && firstOf(node); child && !found; child = nextOf(child)) {
      const type = typeOf(child);
      if ((type === 3 || type === 4) && dataOf(child) !== '') found = 1;
    }
    texts.set(node, found ||= 0);
    return found;
  }

  // The number of an element's text; `children` and `shadow` are numbers. `was`: an attribute as it was before, [name, value].
  function number(element, children, shadow, was) {
    const attributes = attributesOf(element), pairs = [];
    for (let i = 0; i < attributes.length; i++) {
      const {name, value} = attributes[i];
      if (!was || name !== was[0]) pairs.push(list([quote(name), quote(valueOf(name, value))]));
    }
    if (was) pairs.push(list([quote(was[0]), quote(valueOf(was[0], was[1]))]));
    const key = list([quote(nameOf(element)), spaces[spaceOf(element)] ?? 3, list(pairs), hasText(element), list(children), list(shadow)]);
    let found = known.get(key);
    if (found === undefined) {
      found = known.size;
      known.set(key, found);
      fresh.push(key);
    }
    return found;
  }

  // Numbers of the elements below a node; those of a <template> are its content's, which is not observed.
  function below(node) {
    let from = node;
    if (node instanceof HTMLTemplateElement) from = contentOf(node), kept = false;
    const found = [];
    for (let child = firstOf(from); child; child = nextOf(child)) if (typeOf(child) === 1) found.push(whole(child));
    return found;
  }

  function whole(element) {
    let found = numbers.get(element);
    if (found !== undefined) return found;
    const around = kept, shadow = shadows.get(element) || shadowOf(element);
    kept = true;
    if (shadow) observe(shadow);
    found = number(element, below(element), shadow ? below(shadow) : []);
    if (kept) numbers.set(element, found);
    kept = kept && around;
    return found;
  }

  // Forgets the numbers of a node and of all around it.
  function changed(node) {
    texts.delete(node);
    for (; node; node = isShadow(node) ? hostOf(node) : parentOf(node)) numbers.delete(node);
  }

  // The number of the outermost element, if `node` had only these children and each of its ancestors had one child.
  function upwards(node, children) {
    while (node)
      if (isShadow(node)) children = [number(node = hostOf(node), [], children)], node = parentOf(node);
      else {
        if (typeOf(node) === 1) children = [number(node, children, [])];
        node = parentOf(node);
      }
    return children;
  }

  function root(children) {
    const key = list(children);
    if (!children.length || roots.has(key)) return;
    roots.add(key);
    freshRoots.push(key);
  }

  // The surroundings of a change: the parent's whole subtree, or of many children only `children` and their
  // neighbours, below the chain of the ancestors.
  function around(parent, children) {
    if (!elementCount[typeOf(parent)]) return;
    if (elementCount[typeOf(parent)](parent) <= MOST_CONTEXT) return root(upwards(parent, below(parent)));
    for (const child of children) {
      if (typeOf(child) !== 1 || parentOf(child) !== parent) continue;
      root(upwards(parent, [previousElement(child), child, nextElement(child)].filter(e => e).map(whole)));
    }
  }

  function flush() {
    if (!fresh.length && !freshRoots.length) return;
    const quirks = document.compatMode === 'BackCompat', nodes = list(fresh.map(quote));
    const message = `{"document":${quote(document_)},"url":${quote(location.href)},"quirks":${quirks},"nodes":${nodes},"roots":${list(freshRoots)}}`;
    fresh = [], freshRoots = [];
    send(message);
  }

  function all() {
    never(quiet), quiet = 0;
    const begin = now();
    adoptListed();
    if (document.documentElement) root([whole(document.documentElement)]);
    flush();
    took = now() - begin;
  }

  function inspect(records) {
    const seen = new Map();
    for (const {target} of records) {
      changed(target);
      if (typeOf(target) === 3 && parentOf(target)) changed(parentOf(target));
    }
    for (const record of records) {
      const attribute = record.type === 'attributes', node = attribute ? parentOf(record.target) : record.target;
      const parent = node && typeOf(node) === 3 ? parentOf(node) : node;
      if (!parent) continue;
      if (!seen.has(parent)) seen.set(parent, new Set());
      if (attribute) seen.get(parent).add(record.target);
      for (const added of record.addedNodes) {
        seen.get(parent).add(added);
        // states that are over already: nodes that were added and removed, values that were overwritten
        if (typeOf(added) === 1 && !isConnected(added)) root(upwards(record.target, [whole(added)]));
      }
      if (attribute && record.oldValue !== null)
        root(upwards(parent, [number(record.target, [], [], [record.attributeName, record.oldValue])]));
    }
    for (const [parent, children] of seen) around(parent, children);
    flush();
    if (!quiet) quiet = later(all, Math.max(QUIET_MS, 10 * took));
  }
  const observer = own(new MutationObserver(inspect), 'observe');

  function observe(node) {
    if (observed.has(node)) return;
    observed.add(node);
    observer.observe(node, {subtree: true, childList: true, attributes: true, attributeOldValue: true, characterData: true});
  }

  // Constructed sheets: the names of the hosts whose trees have adopted one, '' for the page, and the last of these trees.
  // A list that a script has read can change unseen: it is read again with the whole tree.
  const adopted = own(new Map(), 'get', 'set', 'forEach'), isListed = own(new WeakSet(), 'has', 'add'), listed = [], lists = {};
  const reference = object => own(new WeakRef(object), 'deref');
  const listOf = root => apply(lists[typeOf(root)].get, root, []);

  function adopt(root) {
    if (root !== document && !isShadow(root)) return;
    const sheets = listOf(root), host = root === document ? '' : nameOf(hostOf(root));
    for (let i = 0; i < sheets.length; i++) {
      const found = adopted.get(sheets[i]) || {hosts: own(new Set(), 'add', 'forEach')};
      found.hosts.add(host);
      found.root = reference(root);
      adopted.set(sheets[i], found);
    }
  }

  function adoptListed() {
    for (let i = 0; i < listed.length; i++) {
      const root = listed[i].deref();
      if (root) adopt(root);
    }
  }

  // Trees that have together every sheet that a tree still has, after the JSON of the hosts by tree and sheet.
  function findAdopted() {
    const found = [], hosts = [], done = own(new Set(), 'has', 'add');
    adoptListed();
    adopted.forEach(({root: last}, sheet) => {
      const root = last.deref(), sheets = root ? listOf(root) : [], inside = [];
      if (!root || done.has(sheet)) return;
      for (let i = 0; i < sheets.length; i++) {
        const names = [];
        adopted.get(sheets[i]).hosts.forEach(name => { names[names.length] = quote(name); });
        inside[i] = list(names);
        done.add(sheets[i]);
      }
      hosts[hosts.length] = list(inside);
      found[found.length] = root;
    });
    return [list(hosts), ...found];
  }

  for (const [number, type] of [[9, Document], [11, ShadowRoot]]) {
    const property = lists[number] = Object.getOwnPropertyDescriptor(type.prototype, 'adoptedStyleSheets');
    if (!property) continue;
    Object.defineProperty(type.prototype, 'adoptedStyleSheets', {...property,
      get() {
        const found = apply(property.get, this, []);
        if (!isListed.has(this)) isListed.add(this), listed.push(reference(this));
        return found;
      },
      set(value) {
        apply(property.set, this, [value]);
        adopt(this);
      }});
  }

  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function attachShadow(options) {
    const shadow = apply(attach, this, [options]);
    shadows.set(this, shadow);
    changed(this);
    observe(shadow);
    return shadow;
  };
  observe(document);
  addEventListener('DOMContentLoaded', all);
  addEventListener('load', all);
  addEventListener('pagehide', all, true);
  window.addEventListener('beforeunload', all, true);
  Object.defineProperty(window, Symbol.for('heddle.record'), {value: all});
  Object.defineProperty(window, Symbol.for('heddle.adopted'), {value: findAdopted});
  // Scrolls the first element of a selector into view; its centre, or null.
  Object.defineProperty(window, Symbol.for('heddle.find'), {value: selector => {
    const element = document.querySelector(selector);
    if (!element) return null;
    element.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
    const box = element.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  }});
})();
