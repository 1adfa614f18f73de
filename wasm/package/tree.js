/* Trees of other parsers for Heddle's css: the document of a browser, of parse5, or of htmlparser2 (cheerio) as numbers and one text. */

const NAME_SPACES = { 'http://www.w3.org/1999/xhtml': 0, 'http://www.w3.org/2000/svg': 1, 'http://www.w3.org/1998/Math/MathML': 2 };
const OTHER_NAME_SPACE = 3;
const HAS_TEXT = 256;
const NONE = 0xffffffff;

const isElement = (node) => (node.nodeType ? node.nodeType === 1 : Boolean(node.tagName ?? node.attribs));
const isText = (node) => (node.nodeType ? node.nodeType === 3 || node.nodeType === 4 : node.nodeName === '#text' || node.type === 'text');
const textOf = (node) => node.value ?? node.data ?? node.nodeValue ?? '';
/* Children, without the inert content of a template. */
const childrenOf = (node) => node.childNodes ?? node.children ?? [];

function nameSpaceOf(node) {
    const name = node.namespaceURI ?? node.namespace;
    return name === undefined || name === null ? 0 : NAME_SPACES[name] ?? OTHER_NAME_SPACE;
}

const nameOf = (node) => node.localName ?? node.tagName ?? node.name;

/* Attributes as pairs of name and value. */
function attributesOf(node) {
    if (node.attrs) return node.attrs.map(({ prefix, name, value }) => [prefix ? `${prefix}:${name}` : name, value]); // parse5
    if (node.attribs) return Object.entries(node.attribs);                                                               // htmlparser2
    return Array.from(node.attributes ?? [], ({ name, value }) => [name, value]);                                        // DOM
}

/** Packs a document or an element: {words, count, texts} of hedw_css_tree(). */
export function packTree(root) {
    const words = [];
    const pieces = [];
    const offsets = new Map();
    let size = 0;
    let count = 0;
    const encoder = new TextEncoder();
    const put = (text) => {
        let place = offsets.get(text);
        if (!place) {
            const bytes = encoder.encode(text);
            place = { offset: size, length: bytes.length };
            pieces.push(bytes);
            size += bytes.length + 1;
            offsets.set(text, place);
        }
        return place;
    };
    const stack = [[root, NONE]];
    while (stack.length) {
        const [node, parent] = stack.pop();
        let self = parent;
        if (isElement(node)) {
            self = count++;
            const attributes = attributesOf(node);
            const hasText = childrenOf(node).length > 0 && Array.prototype.some.call(childrenOf(node), (child) => isText(child) && textOf(child).length > 0);
            words.push(parent, nameSpaceOf(node) | (hasText ? HAS_TEXT : 0), put(nameOf(node)).offset, attributes.length);
            for (const [name, value] of attributes) {
                const { offset, length } = put(value ?? '');
                words.push(put(name).offset, offset, length);
            }
        }
        const children = childrenOf(node);
        for (let i = children.length - 1; i >= 0; i--) stack.push([children[i], self]);
    }
    const texts = new Uint8Array(size);
    let at = 0;
    for (const bytes of pieces) {
        texts.set(bytes, at);
        at += bytes.length + 1;
    }
    return { words: Uint32Array.from(words), count, texts };
}
