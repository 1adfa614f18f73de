/* Unused rules of a pasted sheet, as `heddle css unused` finds them. */
import { unused } from './engine/css.js';

const $ = (id) => document.getElementById(id);
const PAGE = `<!doctype html>
<body>
<header class="bar"><h1>Shop</h1></header>
<ul class="goods">
  <li class="item">Tea <input type="checkbox" id="a"><label for="a">Gift</label>
  <li class="item">Cups
</ul>
<footer>Open daily</footer>
`;
const SHEET = `body { margin: 0 }
.bar h1 { font-size: 1.4em }
.bar .logo { width: 3em }
.goods > .item { padding: 1em }
.goods > .item.sold { opacity: .5 }
.item:nth-child(3) { color: red }
:checked + label { color: green }
footer a:hover { color: blue }
@media print { .bar, .ad { display: none } }
@keyframes turn { to { rotate: 1turn } }
`;

function show(sheet, entries) {
    const removed = entries.filter((entry) => entry.removed).sort((a, b) => a.begin - b.begin), parts = [];
    let at = 0;
    for (const { begin, end } of removed) {
        if (begin < at) continue;
        parts.push(sheet.slice(at, begin), Object.assign(document.createElement('span'), { className: 'gone', textContent: sheet.slice(begin, end) }));
        at = end;
    }
    $('result').replaceChildren(...parts, sheet.slice(at));
    return removed.length;
}

try {
    const run = async () => {
        try {
            const sheet = $('sheet').value, start = performance.now();
            const [result] = (await unused({ sheets: [sheet], pages: [$('page').value] })).sheets;
            if (sheet !== $('sheet').value) return; /* typed on while the modules were loaded */
            const milliseconds = performance.now() - start, count = show(sheet, result.entries);
            $('state').textContent = `${count} part${count === 1 ? '' : 's'} unused, ${sheet.length - result.text.length} of ${sheet.length} bytes, in ${milliseconds.toFixed(1)} ms`;
            $('state').className = '';
        } catch (error) {
            $('state').textContent = error.message;
            $('state').className = 'bad';
        }
    };
    $('page').value = PAGE;
    $('sheet').value = SHEET;
    await unused({ sheets: [SHEET], pages: [PAGE] }); /* loads the modules, so that the time shown is the search's */
    $('page').oninput = run;
    $('sheet').oninput = run;
    await run();
    document.title += ' (ready)';
} catch (error) {
    $('state').textContent = error.message;
    $('state').className = 'bad';
}
