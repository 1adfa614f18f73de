// The page's display: progress, the best configuration, and a map of two parameters.

const $ = id => document.getElementById(id);

export function timeText(s) {
  if (!(s > 0)) return '';
  const [unit, scale] = s >= 1 ? ['s', 1] : s >= 1e-3 ? ['ms', 1e3] : ['µs', 1e6];
  return `${(s * scale).toPrecision(4)} ${unit}`;
}

function element(tag, text, className) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

export class View {
  constructor() { this.rows = []; this.kernel = null; this.drawing = false; }

  say(text, bad) { $('state').textContent = text; $('state').className = bad ? 'bad' : ''; }

  device({ adapter, stamps, quantum, limits }) {
    const name = [adapter.vendor, adapter.description || adapter.device || adapter.architecture].filter(Boolean).join(' ') || 'a GPU of this browser';
    const clock = stamps ? `time stamps of ${Math.round(quantum * 1e9)} ns` : "the page's clock";
    $('device').textContent = `${name}${adapter.fallback ? ' (software)' : ''}, groups up to ${limits.maxComputeInvocationsPerWorkgroup}, ${clock}`;
    this.say('ready');
  }

  // Sets the text about compared elements, if not all are compared.
  compared(text) { this.counted = text; }

  show(m) {
    if (this.kernel !== m.kernel) {
      this.kernel = m.kernel;
      this.rows = [];
      this.names = m.parameters;
      for (const id of ['rows', 'columns']) {
        $(id).replaceChildren(...m.parameters.map((name, i) => { const o = element('option', name); o.value = i; return o; }));
        $(id).onchange = () => this.draw();
      }
      $('columns').value = Math.min(1, m.parameters.length - 1);
    }
    if (m.last) this.rows.push(m.last);
    this.now = m;
    document.title = `${m.done} of ${m.total} – ${m.kernel}`;
    if (this.drawing) return;
    this.drawing = true;
    requestAnimationFrame(() => { this.drawing = false; this.draw(); });
  }

  draw() {
    const m = this.now;
    this.say(`${m.kernel}: ${m.stage}`);
    $('bar').firstElementChild.style.width = `${100 * Math.min(1, m.done / Math.max(1, m.total))}%`;
    const numbers = [['tried', `${m.done} of ${m.total}`], ['failed', String(m.failed)], ['best', timeText(m.best?.seconds)], ['default', timeText(m.fallback)],
      ['gain', m.best && m.fallback ? `${(m.fallback / m.best.seconds).toFixed(2)} ×` : ''], ['time', `${m.seconds.toFixed(0)} s`]];
    if (this.counted) numbers.push(['compared', this.counted]);
    $('numbers').replaceChildren(...numbers.map(([name, value]) => { const d = document.createElement('div'); d.append(element('dt', name), element('dd', value || '–')); return d; }));
    const worked = this.rows.filter(r => r.seconds > 0).sort((a, b) => a.seconds - b.seconds);
    $('found').hidden = $('map').hidden = !worked.length;
    if (!worked.length) return;
    const table = $('found').querySelector('table');
    const line = (tag, cells) => { const tr = document.createElement('tr'); tr.append(...cells.map(c => element(tag, c))); return tr; };
    table.tHead.replaceChildren(line('th', ['time', ...this.names]));
    table.tBodies[0].replaceChildren(...worked.slice(0, 8).map(r => line('td', [timeText(r.seconds), ...r.values])));
    this.drawMap(worked);
  }

  drawMap(worked) {
    const [r, c] = [+$('rows').value, +$('columns').value];
    const values = i => [...new Set(this.rows.map(row => row.values[i]))].sort((a, b) => a - b);
    const [rows, columns] = [values(r), values(c)];
    const best = new Map();
    for (const row of worked) { const k = `${row.values[r]},${row.values[c]}`; if (!best.has(k)) best.set(k, row.seconds); }
    const least = worked[0].seconds, most = Math.max(...best.values());
    const cells = [element('span', `${this.names[r]} \\ ${this.names[c]}`, 'name'), ...columns.map(v => element('span', v, 'name'))];
    for (const y of rows) {
      cells.push(element('span', y, 'name'));
      for (const x of columns) {
        const seconds = best.get(`${y},${x}`);
        const cell = element('span', timeText(seconds), seconds ? '' : 'none');
        if (seconds) {
          const share = most > least ? Math.log(seconds / least) / Math.log(most / least) : 0;
          cell.style.background = `hsl(${140 - 120 * share} 55% 50% / ${0.75 - 0.35 * share})`;
        }
        cells.push(cell);
      }
    }
    $('heat').style.gridTemplateColumns = `repeat(${columns.length + 1}, max-content)`;
    $('heat').replaceChildren(...cells);
  }

  end() { this.say(this.now?.best ? `done: the best takes ${timeText(this.now.best.seconds)}; heddle has the rest` : 'done'); $('bar').firstElementChild.style.width = '100%'; document.title = 'done'; }
}
