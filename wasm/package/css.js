/* Style sheets against whole pages: the css engine of Heddle (docs/css.md). */
import { compile as compileFiles, HeddleError, Instance, STATUSES } from './module.js';
import { packTree } from './tree.js';

export { HeddleError } from './module.js';

/* one build each: matching multiplies nothing */
const files = {
    css: { exact: new URL('./heddle-css-exact.wasm', import.meta.url) },
    values: { exact: new URL('./heddle-values-exact.wasm', import.meta.url) },
};

/** Compiles the modules of css: matching, and the grammar of values, which @supports needs. The result can be posted to a Worker. */
export async function compile() {
    const [css, values] = await Promise.all([compileFiles(files.css, 'exact'), compileFiles(files.values, 'exact')]);
    return { css, values };
}

/* Calls use(modules) with the modules of the options, or with those that the sheets need: the grammar of values is loaded if the first
 * run meets @supports. */
async function withModules(options, use) {
    if (options.module) return use(options.module);
    try {
        return use({ css: await compileFiles(files.css, 'exact') });
    } catch (error) {
        if (!(error instanceof ValuesMissing)) throw error;
        return use(await compile());
    }
}

/* kinds of texts of a search, text_kind in wasm/module/css_unused_exports.c */
const [SHEET, PAGE, WORDS, PATTERN] = [0, 1, 2, 3];

/** Opens sheets and pages for matching. */
export const open = (options = {}) => withModules(options, (modules) => new Matcher(modules, options));

/** Removes the rules of sheets that no page uses. */
export const unused = (options = {}) => withModules(options, (modules) => unusedIn(modules, options));

/* ---- the modules ---- */

class ValuesMissing extends HeddleError {
    constructor() {
        super(STATUSES.indexOf('argument'), 'module: a sheet has @supports, and the module of values is missing; expected the result of compile()');
    }
}

/* Instance of the module of css. Its calls for values are answered by an instance of the module of values, made at the first of them. */
class CssInstance extends Instance {
    #grammar;
    #isMissing = false;

    constructor({ css, values }) {
        if (!css) throw new TypeError('module: invalid value; expected the result of compile()');
        super(css, {}, {
            heddle_css_property_known: (property) => this.#judge((grammar) => grammar.with(this.text(property), (name) =>
                grammar.call.hedw_values_property_known(name))),
            heddle_css_value_valid: (property, value, length, quirks) => this.#judge((grammar) => grammar.with(this.text(property), (name) =>
                grammar.with(this.bytes(value, length), (text) => grammar.call.hedw_values_valid(name, text, length, quirks)))),
        });
        this.values = values;
    }

    #judge(use) {
        if (!this.values) {
            this.#isMissing = true;
            return 0;
        }
        this.#grammar ??= new Instance(this.values);
        return use(this.#grammar);
    }

    /** Throws if a value had to be judged without the module of values, or else as Instance.check(). */
    check(result) {
        if (this.#isMissing) throw new ValuesMissing();
        return super.check(result);
    }
}

/* Items with name and text, from a list of texts or of such items. */
function textsOf(list, subject) {
    if (!Array.isArray(list)) throw new TypeError(`${subject}: invalid value; expected an array`);
    return list.map((item, i) => {
        if (typeof item === 'string') return { name: `${subject}[${i}]`, text: item };
        if (item && typeof item.text === 'string') return { name: item.name ?? `${subject}[${i}]`, text: item.text };
        throw new TypeError(`${subject}[${i}]: invalid item; expected a text, or an object with name and text`);
    });
}

/* ---- matching ---- */

/** Sheets and pages. Numbers of rules continue from sheet to sheet, those of elements from page to page. */
export class Matcher {
    #instance;
    #site;
    #rules;
    #sheetCount;

    /** `sheets`: texts, or {name, text}. `pages`: HTML as text or {name, text}, or {tree, quirks} with the document of a parser. */
    constructor(module, { sheets = [], pages = [], split = false, statesPossible = false } = {}) {
        this.#instance = new CssInstance(module);
        this.#site = this.#instance.check(this.#instance.call.hedw_css_open());
        const list = textsOf(sheets, 'sheets');
        for (const { name, text } of list) this.#add('sheet', name, text, split);
        pages.forEach((page, i) => {
            if (page && page.tree) this.#addTree(page);
            else for (const { name, text } of textsOf([page], 'pages')) this.#add('html', page.name ?? `pages[${i}]`, text, name);
        });
        this.#do('compile', statesPossible);
        this.#sheetCount = list.length;
    }

    #add(kind, name, text, ...options) {
        this.#instance.with(name, (namePointer) => this.#instance.with(text, (pointer, size) =>
            this.#do(kind, pointer, size, namePointer, ...options)));
    }

    #addTree({ tree, quirks = false }) {
        const { words, count, texts } = packTree(tree);
        this.#instance.with(words, (wordPointer) => this.#instance.with(texts, (pointer) =>
            this.#do('tree', wordPointer, count, pointer, quirks)));
    }

    #call(name, ...values) {
        return this.#instance.call[`hedw_css_${name}`](this.#site, ...values);
    }

    #do(name, ...values) {
        return this.#instance.check(this.#call(name, ...values));
    }

    #text(name, ...values) {
        const pointer = this.#do(name, ...values);
        return this.#instance.textOf(pointer, this.#call('text_size'));
    }

    /** Matches all elements against all rules. */
    match() {
        this.#do('match');
        return this;
    }

    /** Rules of each sheet: selector, line, column, position, validity. */
    get rules() {
        this.#rules ??= Array.from({ length: this.#sheetCount }, (_, i) => JSON.parse(this.#text('rules_text', i)));
        return this.#rules;
    }

    /** Number of elements of all pages. */
    get elements() {
        return this.#call('elements');
    }

    /** Number of elements that each rule matches, (rules), valid until the next call. */
    get counts() {
        return this.#instance.view(Uint32Array, this.#call('counts'), this.#call('rules'));
    }

    /** Hash of the elements that each rule matches, (rules), for comparing results. */
    get hashes() {
        return this.#instance.view(Uint32Array, this.#call('hashes'), this.#call('rules'));
    }

    /** Elements that a rule matches, as numbers in the order of the pages. */
    elementsOf(rule) {
        const total = this.elements;
        const bits = this.#instance.view(Uint32Array, this.#do('elements_of', rule), Math.ceil(total / 32));
        return Array.from({ length: total }, (_, i) => i).filter((i) => bits[i >>> 5] >>> (i & 31) & 1);
    }

    /** Element for people, such as "div#main.wide". */
    describe(element) {
        return this.#instance.text(this.#call('element_text', element));
    }

    /** Releases sheets and pages. */
    close() {
        this.#call('close');
        this.#site = 0;
    }
}

/* ---- unused rules ---- */

/* Instances that wait for the next search, by their module of css: a build tool searches once for each sheet. */
const waiting = new WeakMap();
const MAX_KEPT = 64 << 20; /* bytes of memory; a larger instance is not kept */

/** unused() in one call, from a compiled module. */
export function unusedIn(module, options) {
    const kept = waiting.get(module.css);
    const instance = kept && kept.values === module.values ? kept : new CssInstance(module);
    waiting.delete(module.css);
    const result = search(instance, options); /* an instance that has failed is not used again */
    if (instance.memory.byteLength <= MAX_KEPT) waiting.set(module.css, instance);
    return result;
}

function search(instance, options) {
    const { sheets = [], pages = [], words = [], keep = [], keyframes = true, fonts = true, properties = false } = options;
    const { call } = instance;
    const pointer = instance.check(call.hedw_unused_open());
    const given = textsOf(sheets, 'sheets');
    try {
        const add = (kind, { name, text }) => {
            const pointers = [instance.put(name), instance.put(text)];
            instance.check(call.hedw_unused_add(pointer, kind, pointers[0].pointer, pointers[1].pointer, pointers[1].size));
        };
        for (const sheet of given) add(SHEET, sheet);
        for (const page of textsOf(pages, 'pages')) add(PAGE, page);
        for (const text of textsOf(words, 'words')) add(WORDS, text);
        if (!Array.isArray(keep)) throw new TypeError('keep: invalid value; expected an array of patterns');
        for (const pattern of keep) add(PATTERN, { name: 'keep', text: String(pattern) });
        instance.check(call.hedw_unused_run(pointer, keyframes, fonts, properties));
        const read = (name, i) => instance.textOf(instance.check(call[name](pointer, i)), call.hedw_unused_size(pointer));
        return {
            sheets: given.map(({ name }, i) => {
                const entries = JSON.parse(read('hedw_unused_entries', i));
                return { name, text: read('hedw_unused_text', i), removed: entries.filter((entry) => entry.removed), entries };
            }),
            warnings: keep.filter((pattern, i) => !call.hedw_unused_fits(pointer, i)).map((pattern) => `keep: "${pattern}" fits no name of the sheets`),
        };
    } finally {
        call.hedw_unused_close(pointer);
    }
}
