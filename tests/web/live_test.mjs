// node live_test.mjs: reason of a page that dispatches nothing.
import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import vm from 'node:vm';

const listeners = {}, entries = [];
globalThis.addEventListener = (name, listener) => { listeners[name] = listener; };
globalThis.performance = { getEntriesByType: () => entries, now: () => 0 };
console.error = () => {};
const H = globalThis.__heddle = { config: {}, meta: new WeakMap(), devices: [], state: {}, pipelines: [], errors: [], call() {}, wrap() {}, fail() {} };
vm.runInThisContext(readFileSync(new URL('../../web/record/live.js', import.meta.url), 'utf8'), { filename: 'live.js' });

assert.deepEqual(H.silence(), { stage: 'no device was requested', complaints: [] });

// A file that is missing, a script that cannot be loaded, an exception, a rejection and a message of the page.
entries.push({ name: 'http://x/app.js', responseStatus: 404 }, { name: 'http://x/favicon.ico', responseStatus: 404 }, { name: 'http://x/a.css', responseStatus: 200 });
assert.deepEqual(H.silence().complaints, ['http://x/app.js is missing (404)']);
listeners.error({ target: { src: 'http://y/lib.js' } });
listeners.error({ target: globalThis, message: 'Uncaught TypeError: a is\n  undefined' });
assert.deepEqual(H.silence().complaints.slice(1), ['http://y/lib.js cannot be loaded', 'Uncaught TypeError: a is undefined']);
entries.length = 0;
listeners.unhandledrejection({ reason: new Error('no adapter') });
assert.equal(H.silence().complaints.length, 3, 'the first three');

// How far it has come.
H.devices.push({});
assert.equal(H.silence().stage, 'a device without a compute pipeline');
H.pipelines.push({}, {});
assert.equal(H.silence().stage, '2 compute pipelines, none dispatched');

// An inline module whose import fails: its element has no address, and its event no message.
entries.push({ name: 'http://cdn/pane.js', responseStatus: 0, initiatorType: 'other' }, { name: 'http://x/a.png', responseStatus: 0, initiatorType: 'img' });
listeners.error({ target: { src: '' } });
assert.equal(H.silence().complaints[0], 'a module that an inline script imports cannot be loaded: http://cdn/pane.js');
assert.ok(!H.silence().complaints.some(text => text.includes('undefined') && !text.includes('a is undefined')));

// A rejection without a reason, in another page.
const second = { addEventListener: (name, listener) => { second[name] = listener; }, performance: { getEntriesByType: () => [], now: () => 0 }, console: { error() {} },
  __heddle: { config: {}, meta: new WeakMap(), devices: [], state: {}, pipelines: [], errors: [], call() {}, wrap() {}, fail() {} } };
vm.runInNewContext(readFileSync(new URL('../../web/record/live.js', import.meta.url), 'utf8'), second);
second.unhandledrejection({});
assert.equal(second.__heddle.silence().complaints.join(), 'a promise was rejected without a reason');
