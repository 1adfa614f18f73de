/* What Chromium makes of style sheets on a page, in the words of `heddle css match --tsv`: for each style
 * rule its number, M (valid), E (invalid) or U (in an @container), how many
 * elements it matches, the FNV-1a hash of their numbers, and its selector; then for each element the
 * rule that wins if every rule declares one same property. Rules are found by a reader of our own (CSS
 * Syntax 3, section 5), all else is asked of the browser. The page is in a frame without scripts. */
'use strict';

/* ---- rules of a text ---- */

const word = /[#@]?(?:[-\w\u0080-\uffff]|\\[^\n])+/y;
const bare_url = /\(\s*(?!["'\s])/y;
const closers = {'(': ')', '[': ']', '{': '}'};

/* Behind the token at `at`, as far as brackets, quotes and comments go. */
function behind_token(text, at) {
    const quote = text[at];
    if (text.startsWith('/*', at)) return (text.indexOf('*/', at + 2) + 1 || text.length - 1) + 1;
    if (quote === '"' || quote === "'") {
        for (at++; at < text.length && text[at] !== '\n'; at++) {
            if (text[at] === quote) return at + 1;
            if (text[at] === '\\') at++;
        }
        return at;
    }
    word.lastIndex = at;
    const name = word.exec(text);
    if (!name) return at + 1;
    at = word.lastIndex;
    bare_url.lastIndex = at;
    if (name[0].toLowerCase() !== 'url' || !bare_url.test(text)) return at;
    for (at = bare_url.lastIndex; at < text.length && text[at] !== ')'; at++)
        if (text[at] === '\\') at++;
    return at + 1;
}

/* The first of `stops` outside of brackets, from `at` on; or the end. */
function find_stop(text, at, stops) {
    const open = [];
    while (at < text.length) {
        const c = text[at];
        if (!open.length && stops.includes(c)) return at;
        if (closers[c]) open.push(closers[c]);
        else if (c === open[open.length - 1]) open.pop();
        at = behind_token(text, at);
    }
    return text.length;
}

const without_comments = text => {
    let out = '';
    for (let at = 0, next; at < text.length; at = next) {
        next = behind_token(text, at);
        out += text.startsWith('/*', at) ? '' : text.slice(at, next);
    }
    return out.trim();
};

const groups = ['media', 'supports', 'layer', 'starting-style', 'container', 'scope'];

/* A reader of one sheet: `rules` in source order, with the preludes of the rules around. */
class Reader {
    constructor(url) {
        this.rules = [];
        this.check = new CSSStyleSheet();
        this.url = url;
        this.namespaces = '';
    }

    /* The rule as the browser has it; null: invalid. */
    compile(prelude, around) {
        const depth = around.length;
        this.check.replaceSync(this.namespaces + around.map(p => p + '{').join('') + prelude + '{}' + '}'.repeat(depth));
        const block = list => [...list].find(r => r instanceof CSSStyleRule || r instanceof CSSScopeRule);
        let rule = block(this.check.cssRules);
        for (let i = 0; rule && i < depth; i++) rule = block(rule.cssRules);
        return rule || null;
    }

    /* Reads the block, or the text, from `at` on; gives the position behind it. `frame`: top, nested, around
     * (preludes), unsupported, rule (that declarations are of), style (the style rule around). */
    read(text, at, frame) {
        while (at < text.length) {
            const c = text[at];
            if (/[ \t\n]/.test(c) || text.startsWith('/*', at)) at = behind_token(text, at);
            else if (frame.top && (text.startsWith('<!--', at) || text.startsWith('-->', at))) at += c === '<' ? 4 : 3;
            else if (!frame.top && c === ';') at++;
            else if (!frame.top && c === '}') return at + 1;
            else if (c === '@' && behind_token(text, at) > at + 1) at = this.read_at_rule(text, at, frame);
            else at = this.read_item(text, at, frame);
        }
        return at;
    }

    read_at_rule(text, at, frame) {
        const from = behind_token(text, at), name = text.slice(at + 1, from).toLowerCase();
        const stop = find_stop(text, from, frame.top ? ';{' : ';{}'), prelude = text.slice(from, stop);
        if (text[stop] !== '{') {
            if (name === 'import' && frame.top && !this.rules_begun) this.read_import(prelude, frame);
            if (name === 'namespace' && !this.rules_begun) this.namespaces += `@namespace ${prelude};`;
            return text[stop] === '}' ? stop : stop + 1;
        }
        if (!groups.includes(name)) return find_stop(text, stop + 1, '}') + 1;
        this.rules_begun = true;
        if (name === 'layer' && !/^(-?[a-z_][-\w]*(\.-?[a-z_][-\w]*)*)?$/i.test(without_comments(prelude)))
            return find_stop(text, stop + 1, '}') + 1;
        const unsupported = frame.unsupported || name === 'container';
        frame.rule = null; // declarations behind the block are a rule of their own
        if (name === 'scope') {
            const scope = text.slice(at, stop), around = [...frame.around, scope];
            if (!this.compile(scope, frame.around)) return find_stop(text, stop + 1, '}') + 1;
            return this.read(text, stop + 1, {...frame, top: false, nested: true, around, rule: null, style: {around, list: [':where(:scope)']}});
        }
        return this.read(text, stop + 1, {...frame, top: false, unsupported, rule: null});
    }

    read_import(prelude, frame) {
        const url = /^\s*(?:url\(\s*)?(?:"([^"]*)"|'([^']*)'|([^\s)"']+))/i.exec(prelude);
        const inner = url && new Reader(new URL(url[1] || url[2] || url[3], this.url).href);
        if (!inner) return;
        inner.read(text_at(inner.url), 0, {...frame});
        this.rules.push(...inner.rules);
    }

    read_item(text, at, frame) {
        const stop = find_stop(text, at, frame.top ? '{' : '{;}'), item = text.slice(at, stop);
        const custom = /^--(?:[-\w\u0080-\uffff]|\\.)*\s*:/.test(item);
        if (frame.nested && (text[stop] !== '{' || custom)) {
            const end = custom ? find_stop(text, at, ';}') : stop;
            if (/^(?:[-\w\u0080-\uffff]|\\.)+\s*:/.test(item)) this.declare(text.slice(at, end), frame);
            return end;
        }
        if (text[stop] !== '{') return text[stop] === '}' ? stop : stop + 1;
        return this.read_rule(text, stop, item, frame);
    }

    read_rule(text, stop, item, frame) {
        const compiled = this.compile(item, frame.around), rule = {item, around: frame.around, namespaces: this.namespaces};
        rule.validity = !compiled ? 'E' : frame.unsupported ? 'U' : 'M';
        if (compiled) {
            this.rules_begun = true;
            rule.list = split(compiled.selectorText);
        }
        this.rules.push(rule);
        if (!compiled) return find_stop(text, stop + 1, '}') + 1;
        frame.rule = null;
        return this.read(text, stop + 1,
            {top: false, nested: true, around: [...frame.around, item], unsupported: rule.validity === 'U', rule, style: rule});
    }

    /* A declaration; behind a nested block, or directly in a condition's block, it is of a rule with the
     * selectors of the style rule around it. */
    declare(text, frame) {
        if (!frame.rule) {
            const {around, list} = frame.style, rule = {item: '&', around, list, namespaces: this.namespaces};
            rule.validity = frame.unsupported ? 'U' : 'M';
            frame.rule = rule;
            this.rules.push(rule);
        }
        if (/!\s*important$/i.test(without_comments(text))) frame.rule.important = true;
    }
}

/* A selector list at its commas. */
function split(list) {
    const parts = [];
    for (let at = 0; at < list.length;) {
        const comma = find_stop(list, at, ',');
        parts.push(list.slice(at, comma).trim());
        at = comma + 1;
    }
    return parts;
}

/* Selectors of the elements from which pseudo-elements originate. A pseudo-element that has to be in a
 * state itself is none of a static page: those are left out, and what the browser has nothing left of. */
const never = /:(?:hover|active|focus|window-inactive|target-current)|:(?:is|where)\(\)/;

function originating(list) {
    const out = [];
    for (const selector of list) {
        if (/::(?:part|slotted)\(/.test(selector)) continue; // elements of other trees
        let at = 0;
        while (at < selector.length) {
            at = find_stop(selector, at, ':');
            if (selector[at + 1] === ':' || at === selector.length) break;
            at++;
        }
        if (at < selector.length && never.test(selector.slice(at + 2))) continue;
        const bare = at < selector.length && (at === 0 || /[\s>+~|]/.test(selector[at - 1]));
        out.push(selector.slice(0, at) + (bare ? '*' : ''));
    }
    return out;
}

/* ---- questions to the browser ---- */

function text_at(url) {
    const request = new XMLHttpRequest();
    request.open('GET', url, false);
    request.overrideMimeType('text/plain; charset=utf-8');
    request.send();
    return request.responseText.replace(/\r\n?|\f/g, '\n').replace(/\0/g, '\ufffd');
}

function hash_of(numbers) {
    let hash = 2166136261;
    for (const number of numbers)
        for (let shift = 0; shift < 32; shift += 8) hash = Math.imul(hash ^ (number >>> shift & 255), 16777619);
    return (hash >>> 0).toString(16).padStart(8, '0');
}

/* A rule with a declaration, in the rules around it. */
const whole = (rule, selectors, declaration) =>
    rule.around.map(p => p + '{').join('') + selectors + `{${declaration}}` + '}'.repeat(rule.around.length);

class Page {
    constructor(frame) {
        this.document = frame.contentDocument;
        this.window = frame.contentWindow;
        this.elements = [...this.document.getElementsByTagName('*')];
        this.number = new Map(this.elements.map((e, i) => [e, i]));
        this.sheet = new this.window.CSSStyleSheet();
        for (const name of ['--w', '--m'])
            this.window.CSS.registerProperty({name, syntax: '<integer>', inherits: false, initialValue: '-1'});
    }

    /* Computed values of a property of each element under a sheet; NaN: it has no style (inside of a video). */
    values(text, property) {
        this.sheet.replaceSync(text);
        this.document.adoptedStyleSheets = [this.sheet];
        const values = this.elements.map(e => parseInt(this.window.getComputedStyle(e).getPropertyValue(property)));
        this.document.adoptedStyleSheets = [];
        return values;
    }

    matches(rule) {
        const list = originating(rule.list);
        if (!list.length || rule.validity !== 'M') return [];
        if (!rule.around.length && !rule.namespaces)
            return [...this.document.querySelectorAll(list.join(','))].map(e => this.number.get(e));
        const found = [];
        this.values(rule.namespaces + whole(rule, list.join(','), '--m:1'), '--m').forEach((value, e) => {
            if (value === 1) found.push(e);
        });
        return found;
    }

    winners(rules) {
        const lines = rules.map((rule, i) => rule.validity !== 'M' ? '' :
            whole(rule, rule.list.join(','), `--w:${i}${rule.important ? '!important' : ''}`));
        return this.values((rules[0] ? rules[0].namespaces : '') + lines.join('\n'), '--w');
    }
}

function answer(page, url) {
    const reader = new Reader(url), out = [];
    reader.read(text_at(url), 0, {top: true, nested: false, around: [], unsupported: false, rule: null});
    reader.rules.forEach((rule, i) => {
        const matches = rule.validity === 'M' ? page.matches(rule) : [];
        out.push([i, rule.validity, matches.length, hash_of(matches), rule.item.replace(/\s+/g, ' ').trim()].join('\t'));
    });
    page.winners(reader.rules).forEach((winner, e) => out.push(`winner\t${e}\t${winner < 0 ? '-' : winner >= 0 ? winner : '?'}`));
    return out;
}

window.addEventListener('load', () => {
    const sheets = JSON.parse(document.getElementById('sheets').textContent), lines = [];
    const pre = document.getElementById('answers');
    try {
        const page = new Page(document.querySelector('iframe'));
        for (const sheet of sheets) lines.push('sheet\t' + sheet, ...answer(page, 'file://' + sheet));
        lines.push('end');
    } catch (error) {
        lines.push('failed\t' + error.stack);
    }
    pre.textContent = lines.join('\n');
});
