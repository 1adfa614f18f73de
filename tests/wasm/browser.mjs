/* The package in Chromium, from a plain file server with a strict content security policy: the sound of the AudioWorklet has the bits of node's,
 * a Worker and the page have those of the other engines. Skipped where there is no chromium. */
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { checkEqual, finish, folder, load } from './common.mjs';

try {
    execFileSync('chromium', ['--version'], { stdio: 'ignore' });
} catch {
    console.log('skipped: there is no chromium (Debian: chromium)');
    process.exit(77);
}

const SECONDS = 0.5;
const RATES = [44100, 48000];
const BLOCK = 128;
const PAGE = '<!doctype html><meta charset=utf-8><link rel=icon href="data:,"><script type=module src=/page.js></script>';
const SCRIPT = `
import { createSynth } from '/package/audio.js';
import { compile, Cloth } from '/package/cloth.js';
import { open } from '/package/css.js';
const answer = (result) => fetch('/result', { method: 'POST', body: JSON.stringify(result) });
const text = await (await fetch('/vibes.json')).text();
try {
    const words = [];
    for (const rate of ${JSON.stringify(RATES)}) {
        const context = new OfflineAudioContext(2, ${SECONDS} * rate, rate);
        const synth = await createSynth(context, text, { strict: true });
        synth.connect(context.destination);
        context.suspend(0).then(async () => {
            synth.noteOn(60, 100);
            await synth.save();
            context.resume();
        });
        const sound = await context.startRendering();
        for (const channel of [0, 1])
            words.push(Array.from(new Uint32Array(sound.getChannelData(channel).buffer)).reduce((sum, word) => (Math.imul(sum, 31) + word) >>> 0, 0));
    }
    const worker = new Worker('/worker.js', { type: 'module' });
    const hash = await new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = (event) => reject(new Error(event.message));
        compile().then((module) => worker.postMessage({ module }));
    });
    const matcher = await open({ sheets: ['p {} .x {} :root {}'], pages: [{ tree: document }, '<p class=x>'] });
    await answer({ words, hash, counts: [...matcher.match().counts] });
} catch (error) {
    await answer({ error: String(error) });
}
`;
const WORKER = `
import { Cloth } from '/package/cloth.js';
onmessage = async ({ data: { module } }) => {
    const scene = await (await fetch('/flag.json')).text();
    postMessage(new Cloth(module, scene, { strict: true }).step(2).measure().hash);
};
`;
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.json': 'application/json', '.html': 'text/html' };
const files = { '/': ['text/html', PAGE], '/page.js': [TYPES['.js'], SCRIPT], '/worker.js': [TYPES['.js'], WORKER],
    '/vibes.json': [TYPES['.json'], fs.readFileSync('data/instruments/vibes.json')], '/flag.json': [TYPES['.json'], fs.readFileSync('data/scenes/flag.json')] };
let finishPage;
const answered = new Promise((resolve) => { finishPage = resolve; });
const server = http.createServer(async (request, response) => {
    if (request.url === '/result') {
        let body = '';
        for await (const part of request) body += part;
        response.end();
        return finishPage(JSON.parse(body));
    }
    const name = request.url.startsWith('/package/') && path.join(folder, path.basename(request.url));
    const [type, body] = files[request.url] ?? (name && fs.existsSync(name) ? [TYPES[path.extname(name)], fs.readFileSync(name)] : []);
    if (!type) return response.writeHead(404).end();
    return response.writeHead(200, { 'Content-Type': type,
        'Content-Security-Policy': "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src data:" }).end(body);
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));

const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'heddle-wasm-'));
const chromium = spawn('chromium', ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--remote-debugging-port=0',
    `--user-data-dir=${profile}`, `http://127.0.0.1:${server.address().port}/`], { stdio: 'ignore', detached: true });
const patience = setTimeout(() => finishPage({ error: 'no result after 5 minutes' }), 300000);
const { error, words, hash, counts } = await answered;
clearTimeout(patience);
process.kill(-chromium.pid, 'SIGKILL');
server.close();
server.closeAllConnections();
await new Promise((resolve) => chromium.once('exit', resolve));
fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
checkEqual(error, undefined, 'error of the page');

/* the same in node */
const { open } = await load('synth.js');
const sums = [];
for (const rate of RATES) {
    const synth = await open(fs.readFileSync('data/instruments/vibes.json', 'utf8'), { strict: true, rate, block: BLOCK });
    const sum = [0, 0];
    synth.noteOn(60, 100);
    for (let done = 0; done < SECONDS * rate; done += BLOCK) {
        const frames = Math.min(BLOCK, SECONDS * rate - done);
        const { left, right } = synth.process();
        [left, right].forEach((channel, i) => {
            for (const word of new Uint32Array(channel.buffer, channel.byteOffset, frames)) sum[i] = (Math.imul(sum[i], 31) + word) >>> 0;
        });
    }
    sums.push(...sum);
}
checkEqual(String(words), String(sums), 'sums of the sound of the AudioWorklet at both rates');
checkEqual(hash, fs.readFileSync('tests/golden/runs.txt', 'utf8').match(/^(\w+) cloth run flag --frames 2/m)[1], 'hash of a cloth in a Worker');
checkEqual(String(counts), '1,1,2', 'counts of rules, of the page itself and of a text');
finish('wasm browser: an AudioWorklet, a Worker and a page in Chromium');
