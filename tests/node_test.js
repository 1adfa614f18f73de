'use strict';
/* node_test.js HEDDLE: the Node package (node/) over the command: texts in and out, errors, patterns, and its PostCSS plugin where PostCSS
 * is found (Debian: node-postcss, with NODE_PATH=/usr/share/nodejs). */
const assert = require('assert');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { unused } = require('../node');

const heddle = path.resolve(process.argv[2]);
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'node-test-'));
process.env.TMPDIR = path.join(scratch, 'temporary');
fs.mkdirSync(process.env.TMPDIR);

const PAGE = { name: 'index.html', text: '<!doctype html><title>t</title><main><p class=a>x</p></main>' };
const SHEET = { name: 'src/app.css', text: '.a { top: 1px }\n.b { top: 2px }\n.a, .c { top: 3px }\n' };

function file(name, text) {
    const place = path.join(scratch, name);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.writeFileSync(place, text);
    return place;
}

/* ---- unused() ---- */

async function textsInAndOut() {
    const result = await unused({ pages: [PAGE], sheets: [SHEET], heddle });
    assert.deepStrictEqual(result.sheets, [{
        name: 'src/app.css', text: '.a { top: 1px }\n.a { top: 3px }\n',
        removed: [{ line: 2, kind: 'rule', bytes: 15, selector: '.b' }, { line: 3, kind: 'selector', bytes: 2, selector: '.c' }],
        kept: [1, 3].map((line) => ({ line, kind: 'selector', selector: '.a', reason: 'element', from: 'p.a in index.html:1' })),
    }]);
    assert.deepStrictEqual(fs.readdirSync(process.env.TMPDIR), []); /* nothing is written */
    assert.deepStrictEqual(result.removed.map((row) => row.file), ['src/app.css', 'src/app.css']);
    assert.deepStrictEqual(result.warnings, []);
}

async function keepAndWords() {
    const kept = await unused({ pages: [PAGE], sheets: [SHEET], keep: ['b', 'zz-*'], heddle });
    assert.strictEqual(kept.sheets[0].text, '.a { top: 1px }\n.b { top: 2px }\n.a { top: 3px }\n');
    assert.match(kept.warnings.join('\n'), /zz-\*/);
    /* without a page */
    const words = await unused({ words: [{ name: 'App.jsx', text: '<i className="c" />' }], sheets: [SHEET], heddle });
    assert.strictEqual(words.sheets[0].text, '.c { top: 3px }\n');
    const properties = { name: 'p.css', text: ':root { --x: 1; --y: 2; top: var(--y) }\n' };
    assert.match((await unused({ pages: [PAGE], sheets: [properties], heddle })).sheets[0].text, /--x/);
    const [sheet] = (await unused({ pages: [PAGE], sheets: [properties], properties: true, heddle })).sheets;
    assert.ok(!sheet.text.includes('--x') && sheet.text.includes('--y: 2'), sheet.text);
}

/* Sheets and pages on the disk, with equal names, an import and a source map. */
async function paths() {
    const page = file('site/index.html', '<!doctype html><link rel=stylesheet href=css/main.css><style>.q{top:0}</style><p class=a>x</p>');
    const map = { version: 3, sources: ['main.scss'], names: [], mappings: 'AAAA;AACA;AACA' };
    file('site/css/main.css.map', JSON.stringify(map));
    const main = file('site/css/main.css', '@import "parts/more.css";\n.b{top:0}\n.a{top:0}\n/*# sourceMappingURL=main.css.map */\n');
    const more = file('site/css/parts/more.css', '.a{left:0}.d{left:0}\n');
    const other = file('site/other/main.css', '.a{right:0}.e{right:0}\n');
    const result = await unused({ pages: [page], sheets: [other, main, SHEET], heddle });
    assert.deepStrictEqual(result.sheets.slice(0, 3).map((sheet) => sheet.name), [other, main, 'src/app.css']);
    assert.strictEqual(result.sheets[0].text, '.a{right:0}\n');
    assert.ok(!result.sheets[1].text.includes('.b{') && result.sheets[1].text.includes('.a{top:0}'), result.sheets[1].text);
    assert.strictEqual(JSON.parse(result.sheets[1].map).version, 3);
    assert.strictEqual(path.resolve(result.sheets[3].name), more);
    assert.strictEqual(result.sheets[3].text, '.a{left:0}\n');
    /* the sheets that a page names */
    const own = await unused({ pages: [page], heddle });
    assert.deepStrictEqual(own.sheets.map((sheet) => path.resolve(sheet.name)).sort(), [main, more]);
    assert.ok(own.removed.some((row) => row.selector === '.q'));
    assert.deepStrictEqual(own.sheets.find((sheet) => path.resolve(sheet.name) === more).removed.map((row) => row.selector), ['.d']);
}

async function errors() {
    await assert.rejects(unused({ pages: [path.join(scratch, 'none.html')], sheets: [SHEET], heddle }), /cannot open .*none\.html/);
    await assert.rejects(unused({ pages: [{ name: 'App.jsx', text: 'export default () => <p className="a">{x}</p>' }], sheets: [SHEET], heddle }),
        (error) => /App\.jsx/.test(error.message) && !error.message.includes(process.env.TMPDIR));
    await assert.rejects(unused({ pages: [PAGE], sheets: [SHEET], heddle: path.join(scratch, 'no-heddle') }), /command not found .*no-heddle/);
    await assert.rejects(unused({ pages: [PAGE], sheets: [{ name: 'a.css' }], heddle }), /sheets: invalid item/);
    await assert.rejects(unused({ pages: [PAGE], sheets: [SHEET], keep: ['/(/'], heddle }));
}

async function configuration() {
    const config = { content: [{ raw: '<p class=b>', extension: 'html' }, { raw: 'x = "d"', extension: 'js' }], safelist: { greedy: [/^c$/] } };
    const result = await unused({ sheets: [{ name: 'a.css', text: '.a{}.b{}p > .d{}div > .b{}.c .q{}' }], config, heddle });
    assert.strictEqual(result.sheets[0].text, '.b{}p > .d{}.c .q{}');
    const settings = file('heddle-css.json', '{ "keep": ["b"], "failOver": "1%" }');
    await assert.rejects(unused({ pages: [PAGE], sheets: [SHEET], config: settings, heddle }), Error);
}

/* ---- the PostCSS plugin ---- */

function postcssIfFound() {
    try {
        return require('postcss');
    } catch (error) {
        console.log('skipped: the plugin, as PostCSS was not found (Debian: node-postcss)');
        return null;
    }
}

const SOURCE = `/* head */
@layer base { .gone { top: 0 } }
@layer empty;
.gone { color: red }
@media print { .gone { top: 0 } .used > p { top: 1px } }
@media print { .gone { top: 0 } }
.gone, .used /* why */ > p, .late:hover { color: blue }
@keyframes spin { from { top: 0 } to { top: 1px } }
/* purgecss ignore */
.ignored { top: 0 }
.md\\:w-1\\/2 { width: 50%;
  &:hover { width: 40% } & .gone { top: 0 } }
:root { --x: 1; --y: 2; width: var(--y) }
`;

const REDUCED = `/* head */
@layer base;
@layer empty;
@media print { .used > p { top: 1px } }
.used /* why */ > p { color: blue }
/* purgecss ignore */
.ignored { top: 0 }
.md\\:w-1\\/2 { width: 50%;
  &:hover { width: 40% } }
:root { --y: 2; width: var(--y) }
`;

async function plugin(postcss) {
    const removeUnused = require('../node/postcss');
    file('app/index.html', '<!doctype html><div class=used><p>x</p></div>');
    file('app/src/App.jsx', 'export default () => <p className="md:w-1/2" />');
    process.chdir(path.join(scratch, 'app'));
    const options = { content: ['index.html', 'src/**/*.jsx'], keyframes: true, variables: true, heddle };
    const from = path.join(scratch, 'app', 'app.css');
    const result = await postcss([removeUnused(options)]).process(SOURCE, { from, to: from, map: { inline: false } });
    assert.strictEqual(result.css.replace(/\/\*# sourceMappingURL.*\n?/, '').trim(), REDUCED.trim());
    const { SourceMapConsumer } = require('source-map-js');
    const map = new SourceMapConsumer(JSON.parse(result.map.toString()));
    for (const text of ['.used > p', '.ignored', '&:hover', 'width: var(--y)']) {
        const lineOf = (whole) => whole.slice(0, whole.indexOf(text)).split('\n').length;
        const line = lineOf(result.css);
        const column = result.css.split('\n')[line - 1].indexOf(text);
        assert.strictEqual(map.originalPositionFor({ line, column }).line, lineOf(SOURCE), text);
    }
    assert.deepStrictEqual(result.messages.filter((message) => /dependency/.test(message.type)).map((message) => message.glob || message.file),
        [path.join(scratch, 'app', 'index.html'), '**/*.jsx']);
    const { removed } = result.messages.find((message) => message.type === 'heddle-css');
    assert.ok(removed.some((part) => part.selector === '.gone' && part.line === 4 && part.kind === 'rule'), JSON.stringify(removed));
}

/* Options of PurgeCSS, a node without a source, and errors. */
async function pluginOptions(postcss) {
    const removeUnused = require('../node/postcss');
    const css = '.used{top:0}.gone{top:0}.gone[data-v-1]{top:0}.deep .gone{top:0}@keyframes k{from{top:0}}@font-face{font-family:F;src:url(f)}';
    const content = ['index.html'];
    const process_ = (options, text = css) => postcss([removeUnused({ heddle, ...options })]).process(text, { from: undefined });
    const kept = '@keyframes k{from{top:0}}@font-face{font-family:F;src:url(f)}';
    assert.strictEqual((await process_({ content })).css, `.used{top:0}${kept}`);
    assert.strictEqual((await process_({ content, safelist: ['gone'], blocklist: ['used'] })).css, `.gone{top:0}${kept}`);
    assert.strictEqual((await process_({ content, safelist: { deep: [/^deep$/] } })).css, `.used{top:0}.deep .gone{top:0}${kept}`);
    assert.strictEqual((await process_({ content, keyframes: true, fontFace: true, safelist: { keyframes: ['k'] } })).css,
        '.used{top:0}@keyframes k{from{top:0}}');
    const replaced = await process_({ contentFunction: () => [{ raw: 'gone data-v-1', extension: 'js' }], css: ['none.css'], extractors: [] });
    assert.strictEqual(replaced.css, `.gone{top:0}.gone[data-v-1]{top:0}${kept}`);
    assert.match((await process_({ content, defaultExtractor: () => [] })).warnings()[0].text, /defaultExtractor is not used/);
    await assert.rejects(Promise.resolve(process_({})), /missing "content"/);
    await assert.rejects(Promise.resolve(process_({ content: ['none.html'] })), /content: no file found \(none\.html\)/);
    assert.match((await process_({ content: ['none.html', 'index.html'] })).warnings()[0].text, /content: no file none\.html/);
    /* no page among the content */
    assert.strictEqual((await process_({ content: ['src/*.{html,jsx}'] }, 'body{top:0}*{top:0}.gone{top:0}.md\\:w-1\\/2{top:0}')).css,
        'body{top:0}*{top:0}.md\\:w-1\\/2{top:0}');
    /* blocks of custom properties alone */
    const variables = '@layer l{:root{--x:1}}@media print{:root{--x:1}}.used{}.used{--x:2}';
    assert.strictEqual((await process_({ content, variables: true }, variables)).css, '@layer l;.used{}');
    /* a rule that another plugin made */
    const adds = { postcssPlugin: 'adds', Once(root) { root.append('.made { top: 0 }', '.used { left: 0 }'); } };
    assert.strictEqual((await postcss([adds, removeUnused({ content, heddle })]).process('.gone{top:0}', { from: undefined })).css,
        '.used { left: 0 }');
    assert.strictEqual((await process_({ content }, '')).css, '');
}

async function main() {
    const tests = [textsInAndOut, keepAndWords, paths, errors, configuration];
    const postcss = postcssIfFound();
    if (postcss) tests.push(() => plugin(postcss), () => pluginOptions(postcss));
    for (const test of tests) {
        await test();
        assert.deepStrictEqual(fs.readdirSync(process.env.TMPDIR), [], 'a temporary folder was left');
    }
    console.log(`${tests.length} tests passed`);
}

main().finally(() => fs.rmSync(scratch, { recursive: true })).catch((error) => {
    console.log('FAILED:', error);
    process.exitCode = 1;
});
