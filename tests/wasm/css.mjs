/* Style sheets in WebAssembly: counts and hashes of every rule are those of `heddle css match`, from HTML and from trees; unused rules are
 * those of `heddle css unused`. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { check, checkEqual, finish, folder, heddle, load } from './common.mjs';

const { compile, Matcher, open, unused, unusedIn, HeddleError } = await load('css.js');
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'heddle-wasm-'));
process.on('exit', () => fs.rmSync(scratch, { recursive: true }));

/* ---- matches ---- */

/* Rows of `heddle css match --tsv`: rule, status, elements, hash. */
function nativeRows(page, sheet) {
    return execFileSync(heddle, ['css', 'match', page, sheet, '--tsv', '--quiet'], { encoding: 'utf8', maxBuffer: 1 << 28 })
        .split('\n').filter((line) => /^\d/.test(line)).map((line) => line.split('\t'));
}

/* A page and a sheet of many elements and rules. */
function writeLarge() {
    const tags = ['div', 'p', 'span', 'li', 'a', 'section'];
    let html = '<!doctype html><html><head><title>x</title></head><body>';
    let depth = 0;
    for (let i = 0; i < 4000; i++) {
        const tag = tags[i * 7 % tags.length];
        html += `<${tag === 'p' || tag === 'a' ? 'div' : tag} class="c${i % 31} d${i % 7}" id=e${i} data-n="${i % 5}">t`;
        if (++depth > 20 || i % 3 === 0) html += `</${tag === 'p' || tag === 'a' ? 'div' : tag}>`, depth--;
    }
    let css = '';
    for (let i = 0; i < 900; i++)
        css += [`.c${i % 40} > .d${i % 9}`, `#e${i * 5} ~ [data-n="${i % 6}"]`, `div:nth-child(${i % 11 + 1}n + 1) .c${i % 33}`,
            `:is(.c${i % 31}, .d${i % 7}):not(.c${i % 5})`, `section .d${i % 8}:has(> .c${i % 30})`, `li:first-child + span`][i % 6] + ` { top: ${i}px }\n`;
    fs.writeFileSync(path.join(scratch, 'large.html'), html);
    fs.writeFileSync(path.join(scratch, 'large.css'), css);
    return [path.join(scratch, 'large.html'), path.join(scratch, 'large.css')];
}

const pairs = [['data/site/shop.html', 'data/site/shop.css'], ['data/site/basket.html', 'data/site/shop.css'],
    ['data/site/contact.html', 'data/site/shop.css'], ['tests/css_record/index.html', 'tests/css_record/page.css'], writeLarge()];
let equal = 0;
let total = 0;
const module = await compile();
for (const [page, sheet] of pairs) {
    const matcher = new Matcher(module, { sheets: [fs.readFileSync(sheet, 'utf8')], pages: [fs.readFileSync(page, 'utf8')] }).match();
    const rows = nativeRows(page, sheet);
    checkEqual(matcher.counts.length, rows.length, `${page}: number of rules`);
    for (const [i, [, , count, hash]] of rows.entries()) {
        const isEqual = matcher.counts[i] === Number(count) && matcher.hashes[i] === parseInt(hash, 16);
        total++;
        equal += isEqual;
        check(isEqual, `${page}, rule ${i} (${matcher.rules[0][i].selector}): ${matcher.counts[i]} elements, hash ` +
            `${matcher.hashes[i].toString(16)}; expected ${count}, ${hash}`);
    }
    matcher.close();
}

/* ---- @supports: the grammar of values is a module of its own ---- */

const SUPPORTS = '@supports (display: grid) { p {} } @supports (display: gird) { p {} } @supports not (color: rgb(1, 2)) { p {} }' +
    '@supports (unknown: 1px) { p {} } @supports (--x: anything) { p {} } @supports (width: calc(1px + 2em)) and (top: é) { p {} }';
const shop = [fs.readFileSync('data/site/shop.html', 'utf8')];
const supporting = new Matcher(module, { sheets: [SUPPORTS], pages: shop });
checkEqual(supporting.rules[0].map(({ applies }) => applies).join(), 'true,false,true,false,true,false', 'rules in @supports apply');
const lazy = await open({ sheets: [SUPPORTS], pages: shop }); /* loads the grammar */
checkEqual(JSON.stringify(lazy.rules), JSON.stringify(supporting.rules), 'rules of open()');
const search = { sheets: ['@supports (color: red) { .nothing {} p {} }'], pages: ['<p>'] };
checkEqual(JSON.stringify(await unused(search)), JSON.stringify(unusedIn(module, search)), 'result of unused()');
const isRefused = (use, expected) => {
    try {
        use();
        check(false, `no error; expected ${expected}`);
    } catch (error) {
        check(expected.test(error.message), `error is ${error}; expected ${expected}`);
    }
};
isRefused(() => new Matcher({ css: module.css }, { sheets: [SUPPORTS], pages: shop }), /@supports, and the module of values is missing/);
isRefused(() => new Matcher(module.css, { sheets: [], pages: shop }), /expected the result of compile\(\)/);
new Matcher({ css: module.css }, { sheets: ['p {}'], pages: shop }).match();
/* an instance is kept from search to search, but not after a failure; another pair of modules has its own */
const large = { sheets: [`${SUPPORTS}.gone {}`], pages: [`<!doctype html>\r\n${'<p class=x>\r\n'.repeat(20000)}`] };
const alone = JSON.stringify(unusedIn({ ...module, values: await WebAssembly.compile(fs.readFileSync(path.join(folder, 'heddle-values-exact.wasm'))) }, large));
for (let i = 0; i < 3; i++) {
    isRefused(() => unusedIn(module, { sheets: ['p {}'] }), /neither a page nor a text with words/);
    checkEqual(JSON.stringify(unusedIn(module, large)), alone, 'a search after a failed one');
    checkEqual(JSON.stringify(unusedIn(module, large)), alone, 'a second search in the same instance');
}
isRefused(() => unusedIn({}, search), /expected the result of compile\(\)/);

/* ---- trees of other parsers ---- */

/* The same small page as HTML, as the DOM has it, as parse5, and as htmlparser2. */
const HTML = '<!doctype html><html><head></head><body><div id="a" class="x y"><p>text</p><svg><g class="x"></g></svg></div><p title=""></p></body></html>';
const SHEET = 'p {} .x {} div > p:first-child {} p:empty {} [title] {} g {} #a .x {} html body p + p {} :root {}';
const XHTML = 'http://www.w3.org/1999/xhtml';
const SVG = 'http://www.w3.org/2000/svg';
const page = (element, text) => element('html', XHTML, {}, [element('head', XHTML, {}, []), element('body', XHTML, {}, [
    element('div', XHTML, { id: 'a', class: 'x y' }, [element('p', XHTML, {}, [text('text')]), element('svg', SVG, {}, [element('g', SVG, { class: 'x' }, [])])]),
    element('p', XHTML, { title: '' }, [])])]);
const named = (attributes) => Object.entries(attributes).map(([name, value]) => ({ name, value }));
const TREES = {
    DOM: { nodeType: 9, childNodes: [page((name, space, attributes, children) => ({ nodeType: 1, localName: name, namespaceURI: space,
        attributes: named(attributes), childNodes: children }), (text) => ({ nodeType: 3, nodeValue: text }))] },
    parse5: { nodeName: '#document', childNodes: [page((name, space, attributes, children) => ({ nodeName: name, tagName: name, namespaceURI: space,
        attrs: named(attributes), childNodes: children }), (text) => ({ nodeName: '#text', value: text }))] },
    htmlparser2: { type: 'root', children: [page((name, space, attribs, children) => ({ type: 'tag', name, namespace: space, attribs, children }),
        (text) => ({ type: 'text', data: text }))] },
};
const fromHtml = new Matcher(module, { sheets: [SHEET], pages: [HTML] }).match();
for (const [name, tree] of Object.entries(TREES)) {
    const matcher = new Matcher(module, { sheets: [SHEET], pages: [{ tree }] }).match();
    checkEqual([...matcher.counts].join(), [...fromHtml.counts].join(), `counts of a tree of ${name}`);
    checkEqual([...matcher.hashes].join(), [...fromHtml.hashes].join(), `hashes of a tree of ${name}`);
}
checkEqual(fromHtml.elementsOf(1).map((element) => fromHtml.describe(element)).join(), 'div#a.x.y,g.x', 'elements of .x');

/* ---- unused rules: the cases of the command ---- */

/* Cases of tests/css_cases/unused.txt with a sheet alone: {name, html, sheet, marks}. */
function readCases(file) {
    return fs.readFileSync(file, 'utf8').split(/^== /m).slice(1).map((text) => {
        const [name, ...lines] = text.split('\n');
        const split = lines.indexOf('--');
        const head = lines.slice(0, split);
        const found = { name, html: '<!doctype html><link rel=stylesheet href=s.css><meta charset=utf-8>', sheet: '', marks: [] };
        if (head.some((line) => line.startsWith('!config')) || lines.some((line) => line.startsWith('-- '))) return undefined;
        for (const line of head) {
            if (line === '!quirks') found.html = '<link rel=stylesheet href=s.css><meta charset=utf-8>';
            else found.html += `${line}\n`;
        }
        for (const line of lines.slice(split + 1)) {
            const mark = /^[+~*-] /.test(line) ? line[0] : '';
            let rule = mark ? line.slice(2) : line;
            if (mark) {
                const number = found.marks.push({ mark, rule });
                if (!rule.includes('{}') && !rule.includes('@@')) rule += '{}';
                rule = rule.replaceAll('{}', `{--r${number}:1}`).replaceAll('@@', `--r${number}:1`);
            }
            found.sheet += `${rule}\n`;
        }
        found.sheet += `:root{content:${found.marks.map((_, i) => `var(--r${i + 1})`).join('')}}\n`;
        return found;
    }).filter(Boolean);
}

let rules = 0;
const cases = readCases('tests/css_cases/unused.txt');
for (const { name, html, sheet, marks } of cases) {
    const { sheets: [result] } = unusedIn(module, { sheets: [sheet], pages: [html] });
    marks.forEach(({ mark, rule }, i) => {
        rules++;
        checkEqual(result.text.includes(`--r${i + 1}:1`), mark !== '-' && mark !== '*', `case "${name}": "${rule}" stays`);
    });
}

const options = { sheets: [{ name: 'a.css', text: '.a { top: 0 }\n.b { top: 1px }\n.js-x, .c { top: 2px }\n' }],
    pages: [{ name: 'p.html', text: '<p class=a>é</p>' }], keep: ['js-*', 'nothing'] };
const { sheets: [reduced], warnings } = unusedIn(module, options);
checkEqual(reduced.text, '.a { top: 0 }\n.js-x { top: 2px }\n', 'reduced sheet');
checkEqual(JSON.stringify(reduced.removed.map(({ line, kind, selector }) => [line, kind, selector])), '[[2,"rule",".b"],[3,"selector",".c"]]', 'removed rules');
check(warnings.length === 1 && warnings[0].includes('nothing'), `warnings are ${warnings}`);
try {
    unusedIn(module, { sheets: ['a{}'], pages: [], words: [] });
    check(false, 'no error without pages');
} catch (error) {
    check(error instanceof HeddleError && error.status === 'argument', `error is ${error}`);
}

finish(`wasm css: ${equal} of ${total} rules have the native counts and hashes; ${rules} marks of ${cases.length} cases`);
