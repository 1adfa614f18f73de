'use strict';
/* Reduction of a tree of PostCSS by the text of the reduced sheet: rules leave the tree, so that those that stay keep their places in source
 * maps. Part of heddle-css, and of heddle, the package of WebAssembly. */
const crypto = require('crypto');

/* ---- a sheet with marked blocks ---- */

/* Text of a tree with a comment at the beginning of each block, which identifies the block after the reduction. `lines`: line in the
 * source of each line of the text. Addresses of source maps are left out: the map is PostCSS's. */
function markedText(root, stringify) {
    const token = crypto.randomBytes(8).toString('hex');
    const marked = { token, text: '', blocks: [], lines: new Map() };
    let line = 1;
    stringify(root, (part, node, type) => {
        if (node && node.type === 'comment' && /^[#@]\s*sourceMappingURL=/.test(node.text)) return;
        if (node && type !== 'end' && node.type !== 'root' && node.source && node.source.start && !marked.lines.has(line))
            marked.lines.set(line, node.source.start.line);
        line += part.split('\n').length - 1;
        marked.text += part;
        if (type !== 'start' || node.type === 'root') return;
        marked.text += `/*${token}:${marked.blocks.length}*/`;
        marked.blocks.push(node);
    });
    return marked;
}

/* Blocks of the reduced tree by the blocks of the original one. */
function survivorsOf(marked, reduced) {
    const survivors = new Map();
    reduced.walkComments((comment) => {
        const [token, index] = comment.text.split(':');
        if (token !== marked.token) return;
        survivors.set(marked.blocks[index], comment.parent);
        comment.remove();
    });
    const found = new Set(survivors.values());
    reduced.walk((node) => {
        if (node.nodes && !found.has(node)) throw node.error('heddle: a block of the reduced sheet is not one of the original');
    });
    return survivors;
}

/* ---- the reduction of a tree ---- */

const isLayer = (node) => node && node.type === 'atrule' && node.name.toLowerCase() === 'layer';

/* Removes a block. A layer keeps its position among the layers by its name. */
function removeBlock(node) {
    if (isLayer(node) && node.params) node.replaceWith(node.clone({ nodes: undefined, raws: { ...node.raws, between: '' } }));
    else node.remove();
}

/* Removes from a container of the original tree the children that its reduction has not. */
function reduce(container, reduction, survivors) {
    const rest = reduction.nodes.filter((node) => node.type !== 'comment');
    for (const node of [...container.nodes]) {
        if (node.type === 'comment') continue;
        if (survivors.has(node)) {
            const stays = survivors.get(node);
            rest.splice(0, rest.indexOf(stays) + 1);
            if (stays.type === 'rule' && stays.selector !== node.selector) {
                node.selector = stays.selector;
                if (stays.raws.selector) node.raws.selector = stays.raws.selector;
            }
            const wasEmpty = !node.nodes.length;
            reduce(node, stays, survivors);
            /* the mark kept a block whose custom properties were removed */
            if (!wasEmpty && !node.nodes.length) removeBlock(node);
        } else if (!node.nodes && rest.length && rest[0].toString() === node.toString()) {
            rest.shift();
        } else if (node.nodes && isLayer(node) && isLayer(rest[0]) && !rest[0].nodes && rest[0].params === node.params) {
            rest.shift();
            removeBlock(node);
        } else {
            node.remove();
        }
    }
}

/* Reduces a tree. `search` returns the reduced text of a sheet, or a promise of it. Returns the line in the source for each line of the text
 * that was searched. */
async function reduceTree(root, { parse, stringify }, search) {
    const marked = markedText(root, stringify);
    const reduced = parse(await search(marked.text));
    reduce(root, reduced, survivorsOf(marked, reduced));
    return marked.lines;
}

module.exports = { reduceTree };
