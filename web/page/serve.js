// The dashboard: every run of every tuning in the database, and one that is being made, followed while it runs.
import { timeText } from './view.js';

const token = location.hash.slice(1), $ = id => document.getElementById(id);
const LIVE = 20; // s since the last measurement: the tuning may still be running
const PAGE = 100; // rows of the list that are added at once
const COLOURS = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#999933', '#882255']; // Okabe and Ito (2008), and two more
const VIRIDIS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

let state = null, runs = [];
const shown = { run: '', other: '', follows: true, filters: new Map(), sort: ['number', 1], limit: PAGE, kernel: '' };

function element(tag, text, properties = {}) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  return Object.assign(made, properties);
}

function svg(tag, attributes, text) {
  const made = document.createElementNS(document.getElementById('chart').namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

const number = text => (text !== '' && isFinite(text) ? Number(text) : null);
const byValue = (a, b) => (number(a) !== null && number(b) !== null ? a - b : String(a).localeCompare(String(b)));
const worked = row => row.seconds > 0;

function ageText(seconds) {
  const [unit, size] = seconds < 120 ? ['s', 1] : seconds < 7200 ? ['min', 60] : seconds < 172800 ? ['h', 3600] : ['days', 86400];
  return `${Math.round(seconds / size)} ${unit}`;
}

// A value of the tuning's objective: seconds, joules, or the unit of its own metric.
function valueText(value, objective) {
  if (!(value > 0)) return '';
  if (objective === 'energy') return `${value.toPrecision(4)} J`;
  return objective === 'metric' ? value.toPrecision(4) : timeText(value);
}

// ---- data ----

// Adds a measurement to a run. Another one of the same configuration, of the final rounds, replaces the first, in its place of the order.
function addRow(run, row) {
  const first = run.rows.find(r => r.config === row.config);
  if (first) Object.assign(first, row, { number: Math.min(first.number, row.number), at: Math.max(first.at ?? 0, row.at ?? 0) });
  else run.rows.push(row);
}

// Splits measurements into runs, newest first: a run is one session of one tuning.
function runsOf({ tunings, measurements }) {
  const found = new Map();
  for (const m of measurements) {
    const id = `${m.tuning}/${m.session}`;
    if (!found.has(id)) found.set(id, { id, tuning: tunings[m.tuning], begun: m.begun, settings: m.settings, rows: [], names: [] });
    const run = found.get(id), values = {};
    for (const pair of m.config.split(' ').filter(Boolean)) { const at = pair.indexOf('='); values[pair.slice(0, at)] = pair.slice(at + 1); }
    for (const name of Object.keys(values)) if (!run.names.includes(name)) run.names.push(name);
    addRow(run, { ...m, values });
  }
  for (const run of found.values()) {
    run.rows.sort((a, b) => a.number - b.number);
    run.best = run.rows.filter(worked).reduce((best, row) => (!best || row.seconds < best.seconds ? row : best), null);
    run.last = run.begun + Math.max(...run.rows.map(row => row.at ?? 0));
  }
  return [...found.values()].sort((a, b) => b.last - a.last);
}

const current = () => runs.find(run => run.id === shown.run) ?? runs[0];
const compared = () => runs.find(run => run.id === shown.other);
const passes = row => [...shown.filters].every(([name, values]) => !values.size || values.has(name === 'outcome' ? row.outcome : row.values[name]));
const rowsOf = run => run.rows.filter(passes);

// Quantities that an axis may have.
function quantities(run) {
  return [['number', 'order of trying', row => row.number], ['seconds', run.tuning.objective, row => row.seconds], ['at', 'time of the tuning, s', row => row.at],
    ['build_seconds', 'compile time, s', row => row.build_seconds], ['runs', 'timed runs', row => row.runs],
    ['spread', 'width of the interval, %', row => (row.high > 0 ? 100 * (row.high - row.low) / row.seconds : null)],
    ...run.names.map(name => [`=${name}`, name, row => row.values[name]])];
}

// ---- choices ----

function options(select, entries, value) {
  const have = [...select.options].map(o => `${o.value}\n${o.textContent}`).join('\r');
  if (have !== entries.map(e => e.join('\n')).join('\r')) select.replaceChildren(...entries.map(([v, text]) => element('option', text, { value: v })));
  select.value = entries.some(([v]) => v === value) ? value : entries[0]?.[0] ?? '';
}

const runText = run => `${run.tuning.kernel}, ${run.tuning.problem || 'any size'}, ${new Date(1000 * run.begun).toLocaleString()}, ${run.rows.length} tried`;

function drawChoices(run) {
  options($('run'), runs.map(r => [r.id, runText(r)]), run.id);
  options($('other'), [['', 'no other run'], ...runs.filter(r => r !== run).map(r => [r.id, runText(r)])], shown.other);
  shown.other = $('other').value;
  const axes = quantities(run).map(([id, text]) => [id, text]);
  const known = id => axes.some(([v]) => v === id);
  options($('x'), axes, known($('x').value) ? $('x').value : 'number');
  options($('y'), axes, known($('y').value) ? $('y').value : 'seconds');
  options($('colour'), [['run', 'run'], ['outcome', 'outcome'], ...run.names.map(n => [`=${n}`, n])], $('colour').value);
  const names = run.names.map(n => [n, n]);
  options($('rows'), names, $('rows').value);
  options($('columns'), names, $('columns').value && $('columns').value !== $('rows').value ? $('columns').value : run.names.find(n => n !== $('rows').value));
}

function drawFilters(run) {
  const lines = [['outcome', [...new Set(run.rows.map(r => r.outcome))]], ...run.names.map(n => [n, [...new Set(run.rows.map(r => r.values[n]))].sort(byValue)])];
  $('filters').replaceChildren(...lines.filter(([, values]) => values.length > 1).map(([name, values]) => {
    const line = element('div'), marked = shown.filters.get(name) ?? new Set();
    line.append(element('b', name), ...values.map(value => {
      const button = element('button', value, { type: 'button' });
      button.setAttribute('aria-pressed', marked.has(value));
      button.onclick = () => { marked.has(value) ? marked.delete(value) : marked.add(value); shown.filters.set(name, marked); draw(); };
      return button;
    }));
    return line;
  }));
}

// ---- figures ----

function drawFigures(run) {
  const t = run.tuning, rows = rowsOf(run), best = rows.filter(worked).sort((a, b) => a.seconds - b.seconds)[0];
  const failed = rows.filter(r => !worked(r)).length, age = Date.now() / 1000 - run.last, live = age < LIVE;
  $('kernel').textContent = t.kernel;
  $('about').textContent = [t.device, t.driver, t.problem || 'any size', run.settings].filter(Boolean).join(' · ');
  $('state').textContent = live ? 'being tuned' : `measured ${ageText(age)} ago`;
  $('state').className = live ? 'live' : '';
  const figures = [['best', best && valueText(best.seconds, t.objective), best?.config],
    ['default', valueText(t.default_seconds, t.objective)],
    ['gain', best && t.default_seconds ? `${(t.default_seconds / best.seconds).toFixed(2)} ×` : '', 'over the default'],
    ['tried', String(rows.length), failed ? `${failed} failed` : 'all worked'],
    ['time', `${(run.last - run.begun).toFixed(0)} s`]];
  $('figures').replaceChildren(...figures.map(([name, value, note]) => {
    const box = element('div'), dd = element('dd', value || '–');
    if (note) dd.append(element('small', note));
    box.append(element('dt', name), dd);
    return box;
  }));
  document.title = best ? `${valueText(best.seconds, t.objective)} – ${t.kernel}` : t.kernel;
}

// ---- chart ----

// A scale from values to 0..1, with ticks: logarithmic, linear, or one place for each text.
function scaleOf(values, logarithmic) {
  const texts = values.filter(v => v !== null && v !== undefined && number(v) === null);
  if (texts.length) {
    const all = [...new Set(values.map(String))].sort(byValue);
    return { at: v => (all.indexOf(String(v)) + 0.5) / all.length, ticks: all.map(v => [(all.indexOf(v) + 0.5) / all.length, v]), has: v => all.includes(String(v)) };
  }
  const numbers = values.map(Number).filter(isFinite), low = Math.min(...numbers), high = Math.max(...numbers);
  const log = logarithmic && low > 0 && high > low, f = log ? Math.log : v => v, [a, b] = [f(low), f(high)];
  const at = v => (b > a ? 0.03 + 0.94 * (f(Number(v)) - a) / (b - a) : 0.5);
  const few = [...new Set(numbers)].sort((p, q) => p - q);
  const apart = few.every((v, i) => i === 0 || at(v) - at(few[i - 1]) > 0.06); // labels of nearer values would overlap
  const ticks = few.length <= 8 && apart ? few : log ? logTicks(low, high) : linearTicks(low, high);
  return { at, ticks: ticks.map(v => [at(v), v]), has: v => v !== null && v !== undefined && isFinite(v) };
}

function logTicks(low, high) {
  const found = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) for (const m of high / low > 1e3 ? [1] : [1, 2, 5]) { const v = m * 10 ** e; if (v >= low && v <= high) found.push(v); }
  return found.length > 1 ? found : [low, high];
}

function linearTicks(low, high) {
  const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].map(m => m * power).find(s => s >= rough);
  const found = [];
  for (let v = Math.ceil(low / step) * step; v <= high; v += step) found.push(Number(v.toPrecision(12)));
  return found;
}

const tickText = (id, v, objective) => (id === 'seconds' ? valueText(Number(v), objective) : number(v) !== null ? String(Number(Number(v).toPrecision(4))) : v);

function colourOf(run, other, id) {
  if (id === 'run') return { of: (row, r) => (r === other ? 'var(--orange)' : 'var(--blue)'), keys: [['this run', 'var(--blue)'], ...(other ? [['other run', 'var(--orange)']] : [])] };
  const value = row => (id === 'outcome' ? row.outcome : row.values[id.slice(1)]);
  const all = [...new Set([...run.rows, ...(other?.rows ?? [])].map(value))].sort(byValue);
  return { of: row => COLOURS[all.indexOf(value(row)) % COLOURS.length], keys: all.map((v, i) => [v, COLOURS[i % COLOURS.length]]) };
}

function bestLine(run, x, y, place, className) {
  let best = Infinity, path = '';
  for (const row of rowsOf(run)) {
    if (!worked(row) || row.seconds >= best) continue;
    const [px, py] = place(row);
    path += path ? `H${px}V${py}` : `M${px} ${py}`;
    best = row.seconds;
  }
  return path && svg('path', { class: className, d: `${path}H${x}` });
}

function drawChart(run, other) {
  const chart = $('chart'), width = Math.max(320, chart.clientWidth), height = 352;
  chart.setAttribute('viewBox', `0 0 ${width} ${height}`);
  const all = quantities(run), of = id => all.find(q => q[0] === id), [x, y] = [of($('x').value), of($('y').value)];
  const points = [run, ...(other ? [other] : [])].flatMap(r => rowsOf(r).map(row => ({ row, run: r })));
  const value = (q, row) => (q[0] === 'seconds' && !worked(row) ? null : q[2](row));
  const drawn = points.filter(p => worked(p.row) || (x[0] !== 'seconds' && y[0] !== 'seconds'));
  const sx = scaleOf(drawn.map(p => value(x, p.row)).filter(v => v !== null && v !== undefined), $('logarithmic').checked && x[0] !== 'number' && x[0] !== 'at');
  const sy = scaleOf(drawn.map(p => value(y, p.row)).filter(v => v !== null && v !== undefined), $('logarithmic').checked);
  const place = row => [width * sx.at(value(x, row)), height * (1 - sy.at(value(y, row)))], colour = colourOf(run, other, $('colour').value), parts = [];
  for (const [at, v] of sy.ticks) parts.push(svg('line', { class: 'grid', x1: 0, x2: width, y1: height * (1 - at), y2: height * (1 - at) }), svg('text', { class: 'left', x: -8, y: height * (1 - at) + 4 }, tickText(y[0], v, run.tuning.objective)));
  for (const [at, v] of sx.ticks) parts.push(svg('text', { class: 'below', x: width * at, y: height + 18 }, tickText(x[0], v, run.tuning.objective)));
  if (y[0] === 'seconds' && ['number', 'at'].includes(x[0])) {
    $('plotted').textContent = 'Convergence';
    for (const [r, name] of [[other, 'best other'], [run, 'best']]) if (r) { const line = bestLine(r, width, sy, place, name); if (line) parts.push(line); }
  } else { $('plotted').textContent = `${y[1]} by ${x[1]}`; }
  for (const { row, run: r } of drawn) {
    if (!sx.has(value(x, row)) || !sy.has(value(y, row))) continue;
    const [cx, cy] = place(row), mark = svg('circle', { cx, cy, r: row === r.best ? 6 : 3.5, fill: colour.of(row, r), 'fill-opacity': row.outcome === 'dropped' ? 0.35 : 0.75 });
    if (!worked(row)) mark.setAttribute('class', 'failed');
    mark.onpointerenter = () => { $('told').textContent = `${row.number}: ${row.config}, ${worked(row) ? valueText(row.seconds, r.tuning.objective) : `${row.outcome}: ${row.text}`}`; };
    parts.push(mark);
  }
  chart.replaceChildren(...parts);
  chart.style.marginBottom = '1.8rem';
  $('keys').replaceChildren(...colour.keys.slice(0, 24).map(([text, c]) => { const key = element('span', text, { className: 'key' }); key.style.setProperty('--key', c); return key; }));
}

// ---- map ----

function viridis(share) {
  const at = share * (VIRIDIS.length - 1), i = Math.min(VIRIDIS.length - 2, Math.floor(at)), f = at - i;
  return VIRIDIS[i].map((v, k) => Math.round(v + f * (VIRIDIS[i + 1][k] - v)));
}

function drawMap(run) {
  const [r, c] = [$('rows').value, $('columns').value], rows = rowsOf(run).filter(worked);
  $('map').hidden = run.names.length < 2 || !rows.length;
  if ($('map').hidden) return;
  const values = n => [...new Set(run.rows.map(row => row.values[n]))].sort(byValue), best = new Map();
  for (const row of rows) { const k = `${row.values[r]}\n${row.values[c]}`; if (!(best.get(k) <= row.seconds)) best.set(k, row.seconds); }
  const least = Math.min(...best.values()), most = Math.max(...best.values());
  const cells = [element('span', `${r} \\ ${c}`, { className: 'name' }), ...values(c).map(v => element('span', v, { className: 'name' }))];
  for (const y of values(r)) {
    cells.push(element('span', y, { className: 'name' }));
    for (const x of values(c)) {
      const seconds = best.get(`${y}\n${x}`), cell = element('span', seconds ? (seconds / least).toFixed(2) : '', { className: !seconds ? 'none' : seconds === least ? 'winner' : '' });
      if (seconds) {
        const share = most > least ? 1 - Math.log(seconds / least) / Math.log(most / least) : 1, rgb = viridis(share);
        cell.style.background = `rgb(${rgb})`;
        cell.style.color = rgb[0] * 0.3 + rgb[1] * 0.6 + rgb[2] * 0.1 > 120 ? '#000' : '#fff';
        cell.title = valueText(seconds, run.tuning.objective);
      }
      cells.push(cell);
    }
  }
  $('heat').style.gridTemplateColumns = `repeat(${values(c).length + 1}, max-content)`;
  $('heat').replaceChildren(...cells);
}

// ---- tables ----

function fill(table, heads, rows) {
  const line = (tag, cells) => {
    const tr = element('tr');
    for (const cell of cells) tr.append(cell instanceof Node ? cell : element(tag, cell ?? ''));
    return tr;
  };
  table.tHead.replaceChildren(line('th', heads));
  table.tBodies[0].replaceChildren(...rows.map(({ cells, ...properties }) => Object.assign(line('td', cells), properties)));
}

function drawRaw(run) {
  const columns = [['number', '#', r => r.number], ['seconds', run.tuning.objective, r => r.seconds, r => valueText(r.seconds, run.tuning.objective)],
    ['low', 'from', r => r.low, r => valueText(r.low, run.tuning.objective)], ['high', 'to', r => r.high, r => valueText(r.high, run.tuning.objective)],
    ...run.names.map(n => [`=${n}`, n, r => r.values[n]]), ['outcome', 'outcome', r => r.outcome], ['runs', 'runs', r => r.runs],
    ['build_seconds', 'compile, s', r => r.build_seconds, r => r.build_seconds?.toFixed(2)], ['at', 'at, s', r => r.at, r => r.at?.toFixed(1)], ['text', 'cause', r => r.text]];
  const [id, direction] = shown.sort, by = columns.find(c => c[0] === id) ?? columns[0], rows = rowsOf(run);
  const missing = v => v === null || v === undefined || v === '';
  rows.sort((a, b) => { const [p, q] = [by[2](a), by[2](b)]; return missing(p) || missing(q) ? missing(p) - missing(q) : direction * byValue(p, q); });
  const heads = columns.map(([column, text]) => {
    const th = element('th'), button = element('button', `${text}${column === id ? (direction > 0 ? ' ▲' : ' ▼') : ''}`, { type: 'button' });
    button.onclick = () => { shown.sort = [column, column === id ? -direction : 1]; draw(); };
    th.append(button);
    return th;
  });
  fill($('raw'), heads, rows.slice(0, shown.limit).map(row => ({ className: row === run.best ? 'winner' : '',
    cells: columns.map(([column, , get, show]) => element('td', (show ?? get)(row) ?? '', { className: column === 'outcome' && !worked(row) ? 'bad' : '' })) })));
  $('count').textContent = `${Math.min(shown.limit, rows.length)} of ${rows.length} measurements${state.hidden ? `; ${state.hidden} older ones of the database are not shown` : ''}`;
  $('more').hidden = rows.length <= shown.limit;
  const quote = v => (/[",\n]/.test(v) ? `"${String(v).replaceAll('"', '""')}"` : v);
  const csv = [columns.map(c => (c[0] === 'seconds' ? 'value' : c[0].replace(/^=/, ''))), ...rows.map(row => columns.map(c => c[2](row) ?? ''))];
  $('csv').href = `data:text/csv;charset=utf-8,${encodeURIComponent(csv.map(line => line.map(quote).join(',')).join('\r\n'))}`;
}

// Configurations that both runs have measured, and the best of each.
function drawPairs(run, other) {
  $('both').hidden = !other;
  if (!other) return;
  const have = new Map(rowsOf(other).filter(worked).map(row => [row.config, row])), objective = run.tuning.objective;
  const both = rowsOf(run).filter(row => worked(row) && have.has(row.config)).map(row => [row, have.get(row.config), row.seconds / have.get(row.config).seconds]);
  both.sort((a, b) => a[0].seconds - b[0].seconds);
  const ratios = both.map(b => b[2]).sort((a, b) => a - b), median = ratios[ratios.length >> 1];
  const best = run.best && other.best ? `The best of this run takes ${(run.best.seconds / other.best.seconds).toFixed(3)} of the other's: ${valueText(run.best.seconds, objective)} (${run.best.config}), ${valueText(other.best.seconds, objective)} (${other.best.config}). ` : '';
  $('verdict').textContent = best + (both.length ? `${both.length} configurations are in both runs; the median of their ratios is ${median.toFixed(3)}.` : 'No configuration is in both runs.');
  fill($('pairs'), both.length ? ['configuration', 'this run', 'other run', 'ratio'] : [], both.slice(0, 20).map(([a, b, ratio]) => ({
    cells: [a.config, valueText(a.seconds, objective), valueText(b.seconds, objective), ratio.toFixed(3)] })));
}

function drawTunings() {
  const words = $('search').value.toLowerCase().split(' ').filter(Boolean);
  const rows = state.tunings.map((t, i) => ({ t, i })).filter(({ t }) => words.every(w => `${t.kernel} ${t.device} ${t.problem}`.toLowerCase().includes(w)));
  fill($('tunings'), ['kernel', 'size', 'device', 'best', 'gain', 'configuration', 'tried'], rows.map(({ t }) => ({
    className: t === current()?.tuning ? 'link chosen' : 'link',
    onclick: () => { const run = runs.find(r => r.tuning === t); if (run) choose(run.id); },
    cells: [t.kernel, t.problem, t.device, valueText(t.seconds, t.objective), t.gain ? `${t.gain.toFixed(2)} ×` : '', t.config, t.measurements] })));
}

// ---- the page ----

function choose(id) {
  shown.run = id;
  shown.follows = id === runs[0]?.id;
  shown.limit = PAGE;
  draw();
}

function draw() {
  if (shown.follows) shown.run = runs[0]?.id ?? '';
  const run = current();
  $('choice').hidden = $('details').hidden = !run;
  drawTunings();
  fill($('devices'), ['id', 'name', 'platform', 'driver'], state.devices.map(d => ({ cells: [d.id, d.name, d.platform, d.driver] })));
  if (!run) { $('state').textContent = 'nothing was tuned yet: heddle tune blur.wgsl'; $('about').textContent = state.database.path; return; }
  if (shown.kernel !== run.tuning.kernel) { shown.filters.clear(); shown.kernel = run.tuning.kernel; }
  drawChoices(run);
  const other = compared();
  drawFilters(run);
  drawFigures(run);
  drawChart(run, other);
  drawMap(run);
  drawPairs(run, other);
  drawRaw(run);
}

$('run').onchange = () => choose($('run').value);
$('other').onchange = () => { shown.other = $('other').value; draw(); };
for (const id of ['x', 'y', 'colour', 'logarithmic', 'rows', 'columns', 'search']) $(id).oninput = () => draw();
$('clear').onclick = () => { shown.filters.clear(); draw(); };
$('more').onclick = () => { shown.limit += 10 * PAGE; draw(); };
addEventListener('resize', () => state && draw());

async function main() {
  for (let before = ''; ;) {
    const answer = await fetch('/api/state', { headers: { authorization: `Bearer ${token}` }, cache: 'no-store' });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    if (text !== before) {
      state = JSON.parse(before = text);
      runs = runsOf(state);
      draw();
    } else if (current()) { drawFigures(current()); }
    await new Promise(done => setTimeout(done, 2000));
  }
}

main().catch(e => { $('state').textContent = `heddle serve has ended (${e.message})`; $('state').className = 'bad'; });
