'use strict';
/* Style sheets without unused rules, for programs in JavaScript: `heddle css unused` on texts and files, by its standard
 * input and output. */
const { spawn } = require('child_process');
const fs = require('fs');
const path = require('path');

/* page that has the elements of every page */
const EMPTY_PAGE = '<!doctype html><html><head></head><body></body></html>';

/* ---- inputs ---- */

/* Checks inputs: paths, or names with texts. */
function inputs(items, list) {
    if (!Array.isArray(items)) throw new TypeError(`${list}: invalid value; expected an array`);
    return items.map((item) => {
        if (typeof item === 'string') return item;
        if (!item || typeof item.name !== 'string' || typeof item.text !== 'string')
            throw new TypeError(`${list}: invalid item; expected a path, or an object with name and text`);
        return { name: item.name, text: item.text };
    });
}

/* ---- configuration ---- */

/* Source text of a value in JavaScript, with regular expressions. A function is a comment, since the command runs nothing. */
function source(value) {
    if (value instanceof RegExp) return String(value);
    if (Array.isArray(value)) return `[${value.filter((item) => typeof item !== 'function').map(source).join(',')}]`;
    if (value === null || typeof value !== 'object') return JSON.stringify(value);
    const members = Object.entries(value).filter(([, item]) => item !== undefined && typeof item !== 'function');
    return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${source(item)}`).join(',')}}`;
}

/* Items of `content`, which is a list, or an object with the list as `files`. */
function contentOf(options) {
    const { content = [] } = options;
    return Array.isArray(content) ? content : content.files || [];
}

/* True for a path without wildcards of an existing file. */
const isFile = (item) => typeof item === 'string' && fs.existsSync(item);

/* Options of PurgeCSS as the text of a configuration file, with further content. */
function configurationText(options, first) {
    return { name: 'purgecss.config.js', text: `module.exports = ${source({ ...options, content: [...first, ...contentOf(options)] })};\n` };
}

/* Fails if no file fits `content`: with the empty page alone, every rule would count as unused. */
async function checkContent(options, command) {
    const content = contentOf(options);
    if (content.some((item) => isFile(item) || (item && item.raw))) return;
    const list = { sheets: [{ name: 'probe.css', text: 'a{}' }], config: configurationText(options, []) };
    const { code, err } = await run(command, list);
    if (code !== 0 && err.includes('neither a page nor'))
        throw new Error(`content: no file found (${content.join(', ')}); expected paths from ${process.cwd()}`);
}

/* Paths of `content` that do not exist. Such a path may be a slip, and PurgeCSS accepts it. */
function missingContent(config) {
    if (!config || typeof config !== 'object') return [];
    return contentOf(config).filter((item) => typeof item === 'string' && !/[*?{[(!]/.test(item) && !isFile(item))
        .map((item) => `content: no file ${item}`);
}

/* ---- the command ---- */

/* List of texts for the command: its standard input. */
function listOf(options, sheets) {
    const { pages = [], words = [], keep = [], config, properties = false } = options;
    const list = { pages: inputs(pages, 'pages'), sheets, words: inputs(words, 'words'), properties: Boolean(properties) };
    if (!Array.isArray(keep)) throw new TypeError('keep: invalid value; expected an array of patterns');
    list.keep = keep.map(String);
    if (typeof config === 'string') list.config = path.resolve(config);
    else if (config) list.config = configurationText(config, [{ raw: EMPTY_PAGE, extension: 'html' }]);
    else if (!list.pages.length) list.pages.push({ name: 'empty.html', text: EMPTY_PAGE });
    return list;
}

function run(command, list) {
    return new Promise((resolve, reject) => {
        const out = [];
        const err = [];
        const child = spawn(command, ['css', 'unused', '--json', '-'], { stdio: ['pipe', 'pipe', 'pipe'] });
        child.stdout.on('data', (part) => out.push(part));
        child.stderr.on('data', (part) => err.push(part));
        child.stdin.on('error', () => {}); /* a command that ends early has a message */
        child.stdin.end(JSON.stringify(list));
        child.on('error', (error) => reject(error.code === 'ENOENT'
            ? new Error(`heddle: command not found (${command}); install Heddle, or set "heddle" to its path`)
            : error));
        child.on('close', (code, signal) => resolve({
            code, signal, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString(),
        }));
    });
}

/* Splits messages of the command into warnings with notes, and errors. */
function messagesOf(text) {
    const lines = text.split('\n').filter(Boolean);
    const isWarning = (line) => /^heddle: (warning|note): /.test(line);
    return {
        warnings: lines.filter(isWarning).map((line) => line.replace(/^heddle: (warning: )?/, '')),
        error: lines.filter((line) => !isWarning(line)).join('\n'),
    };
}

/* ---- results ---- */

/* The sheets of the caller in their order, then the others. */
function sorted(sheets, given) {
    const rest = [...sheets];
    const first = given.map((item) => {
        const name = typeof item === 'string' ? item : item.name;
        const [sheet] = rest.splice(rest.findIndex((each) => each.name === name), 1);
        return sheet;
    });
    return [...first, ...rest];
}

/* Removes unused rules from sheets. */
async function unused(options = {}) {
    const sheets = inputs(options.sheets || [], 'sheets');
    const { heddle = 'heddle', config } = options;
    if (config && typeof config === 'object' && !(options.pages || []).length) await checkContent(config, heddle);
    const result = await run(heddle, listOf(options, sheets));
    const { warnings, error } = messagesOf(result.err);
    if (result.code !== 0)
        throw new Error(error || `heddle: ended by ${result.signal || `exit code ${result.code}`}`);
    const answer = JSON.parse(result.out);
    return {
        sheets: sorted(answer.sheets, sheets),
        removed: answer.removed,
        warnings: [...missingContent(config), ...warnings],
    };
}

module.exports = { unused };
