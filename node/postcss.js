'use strict';
/* PostCSS plugin: removes unused rules, with the options of @fullhuman/postcss-purgecss. */
const path = require('path');
const { unused } = require('./index.js');
const { reduceTree } = require('./postcss_tree.js');

/* options of PurgeCSS that are functions, or that PostCSS replaces */
const NOT_READ = ['extractors', 'defaultExtractor'];
const REPLACED = ['css', 'output', 'stdin', 'stdout', 'sourceMap', 'rejected', 'rejectedCss', 'contentFunction', 'heddle', 'keep', 'words',
    ...NOT_READ];

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
            let answer;
            const lines = await reduceTree(root, { parse, stringify }, async (text) => {
                answer = await unused({
                    sheets: [{ name: path.basename(file || 'style.css'), text }],
                    config, keep: options.keep, words: options.words, heddle: options.heddle,
                });
                return answer.sheets[0].text;
            });
            const [sheet] = answer.sheets;
            addDependencies(config.content, file, result);
            for (const warning of answer.warnings) result.warn(warning);
            result.messages.push({
                type: 'heddle-css',
                plugin: 'heddle-css',
                parent: file,
                removed: sheet.removed.map(({ line, kind, selector }) => ({ line: lines.get(line) || line, kind, selector })),
            });
        },
    };
}

module.exports = plugin;
module.exports.postcss = true;
module.exports.default = plugin;
