'use strict';
/* PostCSS plugin: removes unused rules, with the options of @fullhuman/postcss-purgecss. Rules leave the tree of PostCSS, so that
 * those that stay keep their places in source maps. */
const crypto = require('crypto');
const path = require('path');
const { unused } = require('./index.js');

/* options of PurgeCSS that are functions, or that PostCSS replaces */
const NOT_READ = ['extractors', 'defaultExtractor'];
const REPLACED = ['css', 'output', 'stdin', 'stdout', 'sourceMap', 'rejected', 'rejectedCss', 'contentFunction', 'heddle', 'keep', 'words',
    ...NOT_READ];

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

/* ---- PostCSS ---- */

/* Tells the build tool to run again when content changes. */
function addDependencies(content, file, result) {
    const plugin = 'heddle-css';
    for (const item of content) {
        if (typeof item !== 'string' || item[0] === '!') continue;
        const wild = item.search(/[*?{[]/);
        if (wild < 0) {
            result.messages.push({ type: 'dependency', plugin, file: path.resolve(item), parent: file });
            continue;
        }
        const slash = item.lastIndexOf('/', wild) + 1;
        result.messages.push({
            type: 'dir-dependency', plugin, dir: path.resolve(item.slice(0, slash)), glob: item.slice(slash), parent: file,
        });
    }
}

/* Options of PurgeCSS that the command reads, for one sheet. */
function configurationOf(options, file) {
    const config = Object.fromEntries(Object.entries(options).filter(([key]) => !REPLACED.includes(key)));
    const content = options.contentFunction ? options.contentFunction(file || '') : options.content;
    config.content = content && content.files ? content.files : content;
    if (!Array.isArray(config.content))
        throw new Error('heddle-css: missing "content"; expected paths of pages, templates and scripts');
    return config;
}

function plugin(options = {}) {
    return {
        postcssPlugin: 'heddle-css',
        async OnceExit(root, { result, parse, stringify }) {
            const file = root.source && root.source.input.file;
            const config = configurationOf(options, file);
            for (const name of NOT_READ)
                if (options[name]) result.warn(`${name} is not used: words of every text are found without it`);
            const marked = markedText(root, stringify);
            const answer = await unused({
                sheets: [{ name: path.basename(file || 'style.css'), text: marked.text }],
                config, keep: options.keep, words: options.words, heddle: options.heddle,
            });
            const [sheet] = answer.sheets;
            const reduced = parse(sheet.text);
            reduce(root, reduced, survivorsOf(marked, reduced));
            addDependencies(config.content, file, result);
            for (const warning of answer.warnings) result.warn(warning);
            result.messages.push({
                type: 'heddle-css',
                plugin: 'heddle-css',
                parent: file,
                removed: sheet.removed.map(({ line, kind, selector }) => ({ line: marked.lines.get(line) || line, kind, selector })),
            });
        },
    };
}

module.exports = plugin;
module.exports.postcss = true;
module.exports.default = plugin;
