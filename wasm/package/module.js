/* Loading of Heddle's WebAssembly modules: in a page, a Worker, an AudioWorklet or node. Each module has two builds with the same bits
 * in strict mode: "relaxed" uses fused multiply-add of relaxed SIMD, "exact" computes it. compile() takes the relaxed one where the
 * machine rounds once. */
import probe from './probe.js';

/** Names of hed_status, in its order. */
export const STATUSES = ['ok', 'argument', 'memory', 'device memory', 'no device', 'unsupported', 'limit', 'bounds', 'build', 'driver', 'timeout',
    'lost', 'io', 'format', 'not ready'];
const ENOSYS = 52;

/** An error of Heddle's: `status` is its kind, `message` names the subject, the problem and the expected value. */
export class HeddleError extends Error {
    constructor(status, message) {
        super(message);
        this.name = 'HeddleError';
        this.status = STATUSES[status] ?? 'unknown';
    }
}

/** True if this machine runs relaxed SIMD, and its multiply-add rounds once. */
export function hasFusedMultiplyAdd() {
    try {
        const module = new WebAssembly.Module(Uint8Array.from(probe.match(/../g), (digits) => parseInt(digits, 16)));
        return new WebAssembly.Instance(module).exports.fuses() === 1;
    } catch {
        return false;
    }
}

async function readBytes(url) {
    if (url.protocol === 'file:') {
        const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ 'node:fs/promises');
        return readFile(url);
    }
    const response = await fetch(url);
    if (!response.ok) throw new HeddleError(STATUSES.indexOf('io'), `${url}: cannot be read (HTTP status ${response.status})`);
    return response.arrayBuffer();
}

const compiled = new Map();

/** Compiles one of the two files of a module, once. `build`: "exact", "relaxed", or the faster one that this machine runs. */
export function compile(files, build = hasFusedMultiplyAdd() ? 'relaxed' : 'exact') {
    const url = files[build];
    if (!url) throw new HeddleError(STATUSES.indexOf('argument'), `build is "${build}"; expected "exact" or "relaxed"`);
    if (!compiled.has(url.href)) {
        const result = readBytes(url).then((bytes) => WebAssembly.compile(bytes));
        result.catch(() => compiled.delete(url.href));
        compiled.set(url.href, result);
    }
    return compiled.get(url.href);
}

/* ---- text: an AudioWorklet has neither TextEncoder nor TextDecoder ---- */

function encode(text) {
    if (globalThis.TextEncoder) return new TextEncoder().encode(text);
    return Uint8Array.from(unescape(encodeURIComponent(text)), (letter) => letter.charCodeAt(0));
}

function decode(bytes) {
    if (globalThis.TextDecoder) return new TextDecoder().decode(bytes);
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    return decodeURIComponent(escape(text));
}

/* Bytes of a text, an ArrayBuffer or a view. */
function bytesOf(value) {
    if (typeof value === 'string') return encode(value);
    return value instanceof ArrayBuffer ? new Uint8Array(value) : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}

/* Path without "." and "..". */
function normal(path) {
    const parts = [];
    for (const part of path.split('/')) {
        if (part === '..' && parts.length && parts.at(-1) !== '..') parts.pop();
        else if (part && part !== '.') parts.push(part);
    }
    return parts.join('/');
}

/* ---- an instance ---- */

/** A running module. Its memory may grow in any call: take views again after each. */
export class Instance {
    #files = new Map();

    /** `files`: texts or bytes by the paths at which the module looks for them. `functions`: further functions that the module calls. */
    constructor(module, files = {}, functions = {}) {
        for (const [path, content] of Object.entries(files)) this.#files.set(normal(path), bytesOf(content));
        const imports = {};
        const system = { ...this.#system(), ...functions };
        for (const { module: from, name } of WebAssembly.Module.imports(module))
            (imports[from] ??= {})[name] = system[name] ?? (() => (from === 'env' ? -ENOSYS : ENOSYS));
        this.call = new WebAssembly.Instance(module, imports).exports;
        this.call._initialize();
    }

    #system() {
        return {
            clock_time_get: (clock, precision, pointer) => {
                const now = globalThis.performance ? performance.now() : Date.now();
                new DataView(this.memory).setBigUint64(pointer, BigInt(Math.round(now * 1e6)), true);
                return 0;
            },
            fd_write: (file, list, count, written) => {
                const words = new DataView(this.memory);
                let total = 0;
                for (let i = 0; i < count; i++) total += words.getUint32(list + 8 * i + 4, true);
                words.setUint32(written, total, true);
                return 0;
            },
            heddle_file_size: (path) => this.#files.get(normal(this.text(path)))?.length ?? -1,
            heddle_file_read: (path, pointer) => {
                new Uint8Array(this.memory).set(this.#files.get(normal(this.text(path))), pointer);
            },
            emscripten_notify_memory_growth: () => {},
            proc_exit: (code) => {
                throw new Error(`heddle: the module ended (code ${code})`);
            },
        };
    }

    get memory() {
        return this.call.memory.buffer;
    }

    /** Throws the module's last error if `result` is 0, and returns the result otherwise. */
    check(result) {
        if (result) return result;
        const status = this.call.hedw_error_status();
        throw new HeddleError(status, this.text(this.call.hedw_error()) || 'heddle: failed without a reason');
    }

    /** Text at a pointer, up to its zero; undefined for a null pointer. */
    text(pointer) {
        if (!pointer) return undefined;
        const bytes = new Uint8Array(this.memory);
        return decode(bytes.slice(pointer, bytes.indexOf(0, pointer)));
    }

    /** Text of `size` bytes at a pointer. */
    textOf(pointer, size) {
        return decode(this.bytes(pointer, size));
    }

    /** Copy of `size` bytes at a pointer. */
    bytes(pointer, size) {
        return new Uint8Array(this.memory).slice(pointer, pointer + size);
    }

    /** View of numbers in the module's memory, without a copy. */
    view(Type, pointer, length) {
        return new Type(this.memory, pointer, length);
    }

    /** Copies text or bytes into the module's memory, followed by a zero; hedw_free() releases them. */
    put(value) {
        const bytes = bytesOf(value);
        const pointer = this.call.hedw_alloc(bytes.length + 1);
        if (!pointer) throw new HeddleError(STATUSES.indexOf('memory'), `out of memory for ${bytes.length} bytes`);
        const memory = new Uint8Array(this.memory, pointer, bytes.length + 1);
        memory.set(bytes);
        memory[bytes.length] = 0;
        return { pointer, size: bytes.length };
    }

    /** Calls `use(pointer, size)` with text or bytes in the module's memory. */
    with(value, use) {
        const { pointer, size } = this.put(value);
        try {
            return use(pointer, size);
        } finally {
            this.call.hedw_free(pointer);
        }
    }
}
