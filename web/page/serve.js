// The dashboard: the content of the database, and the tuning that measured last, followed while it
// runs.
import { View, timeText } from './view.js';

const token = location.hash.slice(1), $ = id => document.getElementById(id);
const view = new View();
const LIVE = 20; // s since the last measurement: the tuning may still be running

function fill(table, heads, rows) {
  const line = (tag, cells) => {
    const tr = document.createElement('tr');
    for (const cell of cells) { const td = document.createElement(tag); td.textContent = cell ?? ''; tr.append(td); }
    return tr;
  };
  table.tHead.replaceChildren(line('th', heads));
  table.tBodies[0].replaceChildren(...rows.map(row => line('td', row)));
}

// Splits "WG=64 TILE=4" into names and values.
const pairs = config => config.split(' ').filter(Boolean).map(pair => pair.split('='));

function showLast(state) {
  const { last, measurements } = state;
  if (!last) { view.say('nothing was tuned yet: heddle tune blur.wgsl'); return; }
  const rows = measurements.map(m => ({ values: pairs(m.config).map(([, value]) => value), seconds: m.seconds ?? 0, outcome: m.outcome }));
  const best = rows.filter(r => r.seconds > 0).sort((a, b) => a.seconds - b.seconds)[0];
  view.show({ kernel: `${last.kernel}, ${last.problem}, on ${last.device}`, stage: last.age < LIVE ? 'being tuned' : `measured ${ageText(last.age)} ago`,
    parameters: pairs(measurements[0]?.config ?? '').map(([name]) => name), done: rows.length, total: rows.length,
    failed: rows.filter(r => !(r.seconds > 0)).length, best, fallback: last.default_seconds ?? 0, seconds: measurements.at(-1)?.at ?? 0 });
  view.rows = rows;
}

function ageText(seconds) {
  const [unit, size] = seconds < 120 ? ['s', 1] : seconds < 7200 ? ['min', 60] : seconds < 172800 ? ['h', 3600] : ['days', 86400];
  return `${Math.round(seconds / size)} ${unit}`;
}

async function refresh() {
  const answer = await fetch('/api/state', { headers: { authorization: `Bearer ${token}` }, cache: 'no-store' });
  if (!answer.ok) throw new Error(await answer.text());
  const state = await answer.json();
  $('database').textContent = state.last?.database ?? '';
  showLast(state);
  fill($('tunings'), ['kernel', 'size', 'device', 'best', 'gain', 'configuration', 'tried'],
    state.tunings.map(t => [t.kernel, t.problem, t.device, timeText(t.seconds), t.gain ? `${t.gain.toFixed(2)} ×` : '', t.config, t.measurements]));
  fill($('devices'), ['id', 'name', 'platform', 'driver'], state.devices.map(d => [d.id, d.name, d.platform, d.driver]));
}

async function main() {
  for (;;) {
    await refresh();
    await new Promise(done => setTimeout(done, 2000));
  }
}

main().catch(e => view.say(`heddle serve has ended (${e.message})`, true));
