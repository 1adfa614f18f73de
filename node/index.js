'use strict';
/* Style sheets without unused rules, for programs in JavaScript: `heddle css unused` on texts and files. */
const { spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

/* page that has the elements of every page */
const EMPTY_PAGE = '<!doctype html><html><head></head><body></body></html>';

/* ---- inputs as files ---- */

/* Folder of one call: the texts, the configuration and the reduced sheets. */
class Folder {
    constructor(folder) {
        this.path = folder;
        this.count = 0;
        this.names = new Map(); /* name of the caller of each path */
    }

    /* Writes a text into a folder of its own, because a sheet and its page may have equal names. */
    async write(name, text) {
        const file = path.join(this.path, 'in', String(this.count++), path.basename(name) || 'text');
        await fs.promises.mkdir(path.dirname(file), { recursive: true });
        await fs.promises.writeFile(file, text);
        this.names.set(file, name);
        return file;
    }

    /* Absolute path of an input: a path, or a name with a text. */
    async input(item, list) {
        if (typeof item === 'string') {
            const file = path.resolve(item);
            if (!this.names.has(file)) this.names.set(file, item);
            return file;
        }
        if (!item || typeof item.name !== 'string' || typeof item.text !== 'string')
            throw new TypeError(`${list}: invalid item; expected a path, or an object with name and text`);
        return this.write(item.name, item.text);
    }

    inputs(items, list) {
        if (!Array.isArray(items)) throw new TypeError(`${list}: invalid value; expected an array`);
        return Promise.all(items.map((item) => this.input(item, list)));
    }

    /* Replaces paths by the names of the caller. */
    named(text) {
        const files = [...this.names.keys()].sort((a, b) => b.length - a.length);
        return files.reduce((result, file) => result.split(file).join(this.names.get(file)), text);
    }
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

/* Writes options of PurgeCSS as a configuration file. Raw HTML becomes a page, as a file of that name would. */
async function writeConfiguration(folder, options, first) {
    const content = [...first];
    for (const item of contentOf(options)) {
        const page = item && typeof item.raw === 'string' && /^html?$/.test(item.extension);
        content.push(page ? await folder.write('raw.html', item.raw) : item);
    }
    return folder.write('purgecss.config.js', `module.exports = ${source({ ...options, content })};\n`);
}

/* Fails if no file fits `content`: with the empty page alone, every rule would count as unused. */
async function checkContent(folder, options, command) {
    const content = contentOf(options);
    if (content.some((item) => isFile(item) || (item && item.raw))) return;
    const config = await writeConfiguration(folder, options, []);
    const sheet = await folder.write('probe.css', 'a{}');
    const { code, err } = await run(command, ['css', 'unused', '--json', `--config=${config}`, `--css=${sheet}`]);
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

/* Arguments of the command for the inputs of a call. */
async function argumentsOf(folder, options, sheets) {
    const { pages = [], words = [], keep = [], config, properties = false } = options;
    const files = await folder.inputs(pages, 'pages');
    const list = ['css', 'unused', '--json', '--out', path.join(folder.path, 'out') + path.sep];
    for (const sheet of sheets) list.push(`--css=${sheet}`);
    for (const file of await folder.inputs(words, 'words')) list.push(`--words=${file}`);
    if (!Array.isArray(keep)) throw new TypeError('keep: invalid value; expected an array of patterns');
    for (const pattern of keep) list.push(`--keep=${pattern}`);
    if (properties) list.push('--properties');
    if (typeof config === 'string') list.push(`--config=${path.resolve(config)}`);
    else if (config) {
        const empty = await folder.write('empty.html', EMPTY_PAGE);
        list.push(`--config=${await writeConfiguration(folder, config, [empty])}`);
    } else {
        /* a heddle-css.json of the working folder has no effect on a call */
        list.push(`--config=${await folder.write('heddle-css.json', '{}')}`);
        if (!files.length) files.push(await folder.write('empty.html', EMPTY_PAGE));
    }
    return list.concat(files);
}

function run(command, list) {
    return new Promise((resolve, reject) => {
        const out = [];
        const err = [];
        const child = spawn(command, list, { stdio: ['ignore', 'pipe', 'pipe'] });
        child.stdout.on('data', (part) => out.push(part));
        child.stderr.on('data', (part) => err.push(part));
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

async function filesBelow(folder, below = '') {
    const found = [];
    for (const entry of await fs.promises.readdir(path.join(folder, below), { withFileTypes: true })) {
        const name = path.join(below, entry.name);
        if (entry.isDirectory()) found.push(...await filesBelow(folder, name));
        else found.push(name);
    }
    return found.sort();
}

/* Folder at which the paths of the reduced sheets begin: the deepest one that contains all sheets, and from which each has an output. */
function rootOf(sheets, outputs) {
    const known = new Set(outputs);
    for (let root = sheets.length ? path.dirname(sheets[0]) : '/'; ; root = path.dirname(root)) {
        if (sheets.every((sheet) => known.has(path.relative(root, sheet)))) return root;
        if (root === path.dirname(root)) return null;
    }
}

/* Reads the reduced sheets, those of the caller first and in their order. */
async function readSheets(folder, sheets, rows) {
    const out = path.join(folder.path, 'out');
    const outputs = await filesBelow(out);
    const texts = outputs.filter((name) => !name.endsWith('.map'));
    /* without sheets of the caller, the removed parts name them; texts of <style> elements have no output */
    const named = sheets.length ? sheets : [...new Set(rows.map((row) => path.resolve(row.file)))]
        .filter((file) => texts.some((name) => file.endsWith(path.sep + name)));
    const root = rootOf(named, texts);
    if (root === null) throw new Error('heddle: a reduced sheet is missing in the output of the command');
    const order = new Set([...named.map((file) => path.relative(root, file)), ...texts]);
    return Promise.all([...order].map(async (name) => {
        const file = path.join(root, name);
        const sheet = {
            name: folder.names.get(file) || path.relative('', file),
            text: await fs.promises.readFile(path.join(out, name), 'utf8'),
            removed: rows.filter((row) => path.resolve(row.file) === file).map(({ file: _, ...part }) => part),
        };
        if (outputs.includes(`${name}.map`)) sheet.map = await fs.promises.readFile(path.join(out, `${name}.map`), 'utf8');
        return sheet;
    }));
}

/* Removes unused rules from sheets. The private folder of the texts is removed in any case. */
async function unused(options = {}) {
    const folder = new Folder(await fs.promises.realpath(await fs.promises.mkdtemp(path.join(os.tmpdir(), 'heddle-css-'))));
    try {
        const sheets = await folder.inputs(options.sheets || [], 'sheets');
        const { heddle = 'heddle', config } = options;
        if (config && typeof config === 'object' && !(options.pages || []).length) await checkContent(folder, config, heddle);
        const result = await run(heddle, await argumentsOf(folder, options, sheets));
        const { warnings, error } = messagesOf(folder.named(result.err));
        if (result.code !== 0)
            throw new Error(error || `heddle: ended by ${result.signal || `exit code ${result.code}`}`);
        const rows = JSON.parse(result.out);
        return {
            sheets: await readSheets(folder, sheets, rows),
            removed: rows.map((row) => ({ ...row, file: folder.names.get(path.resolve(row.file)) || row.file })),
            warnings: [...missingContent(config), ...warnings],
        };
    } finally {
        await fs.promises.rm(folder.path, { recursive: true, force: true });
    }
}

module.exports = { unused };
