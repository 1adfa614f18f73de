/* An instrument file as text: values are read with their places and changed in place, so that order, spacing and texts of the author
 * stay as they are. Each change makes a new text; undo and redo walk over the texts. */

const scalar = /"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null/y;

/** Parses JSON. Nodes are {kind, start, end} with `value` (scalars), `items` (arrays) or `members` (objects: key, node, start). */
export function parse(text) {
    let at = 0;
    const fail = (expected) => {
        const line = text.slice(0, at).split('\n').length;
        throw new SyntaxError(`line ${line}: expected ${expected}, found ${at < text.length ? JSON.stringify(text.slice(at, at + 12)) : 'the end'}`);
    };
    const space = () => {
        while (' \t\r\n'.includes(text[at]) && at < text.length) at++;
    };
    const word = () => {
        scalar.lastIndex = at;
        const start = at, found = scalar.exec(text);
        if (!found) fail('a value');
        at += found[0].length;
        return { kind: 'scalar', start, end: at, value: JSON.parse(found[0]) };
    };
    const node = () => {
        space();
        const start = at, open = text[at];
        if (open !== '{' && open !== '[') return word();
        const made = { kind: open === '{' ? 'object' : 'array', start, end: 0, items: [], members: [] }, close = open === '{' ? '}' : ']';
        at++;
        space();
        while (text[at] !== close) {
            const first = at;
            if (open === '{') {
                const key = word();
                space();
                if (text[at] !== ':' || typeof key.value !== 'string') fail('"name":');
                at++;
                made.members.push({ key: key.value, start: first, node: node() });
            } else made.items.push(node());
            space();
            if (text[at] === ',') at++;
            else if (text[at] !== close) fail(`"," or "${close}"`);
            space();
        }
        at++;
        made.end = at;
        return made;
    };
    const root = node();
    space();
    if (at < text.length) fail('the end');
    return root;
}

/** A value as an author writes it: lists and objects on one line, numbers with at most seven digits. */
export function format(value) {
    if (Array.isArray(value)) return `[${value.map(format).join(', ')}]`;
    if (value && typeof value === 'object') return `{${Object.entries(value).filter(([, v]) => v !== undefined).map(([k, v]) => `${JSON.stringify(k)}: ${format(v)}`).join(', ')}}`;
    return typeof value === 'number' ? String(Number(value.toPrecision(7))) : JSON.stringify(value);
}

/** The JavaScript value of a node. */
export function valueOf(node) {
    if (node.kind === 'scalar') return node.value;
    if (node.kind === 'array') return node.items.map(valueOf);
    return Object.fromEntries(node.members.map(({ key, node: member }) => [key, valueOf(member)]));
}

export class Document {
    #texts = [];
    #index = -1;

    constructor(text) {
        this.#take(text);
        this.saved = text;
    }

    #take(text) {
        const root = parse(text);
        if (root.kind !== 'object') throw new SyntaxError('line 1: expected an object, {...}');
        this.#texts.length = this.#index + 1;
        this.#texts.push(text);
        this.#index++;
        this.root = root;
        this.value = valueOf(root);
    }

    get text() {
        return this.#texts[this.#index];
    }

    get isChanged() {
        return this.text !== this.saved;
    }

    get canUndo() {
        return this.#index > 0;
    }

    get canRedo() {
        return this.#index + 1 < this.#texts.length;
    }

    /** Replaces the whole text. */
    replace(text) {
        if (text !== this.text) this.#take(text);
    }

    #walk(by) {
        if (!this.#texts[this.#index + by]) return false;
        this.#index += by;
        this.root = parse(this.text);
        this.value = valueOf(this.root);
        return true;
    }

    undo() {
        return this.#walk(-1);
    }

    redo() {
        return this.#walk(1);
    }

    /** Node at a path of keys and indices, such as ["bodies", 3, "mass"]; undefined: absent. */
    node(path) {
        let node = this.root;
        for (const step of path) node = typeof step === 'number' ? node?.items?.[step] : node?.members?.find((m) => m.key === step)?.node;
        return node;
    }

    #splice(start, end, text) {
        this.#take(this.text.slice(0, start) + text + this.text.slice(end));
    }

    /* Indentation of the line that has a place, if only blanks come before it there; undefined otherwise. */
    #indent(place) {
        const line = this.text.slice(this.text.lastIndexOf('\n', place - 1) + 1, place);
        return /^[ \t]*$/.test(line) && this.text.lastIndexOf('\n', place - 1) >= 0 ? line : undefined;
    }

    /* Adds `text` as the last part of an array or object. */
    #append(node, parts, text) {
        const last = parts[parts.length - 1];
        if (!last) {
            const base = /^[ \t]*/.exec(this.text.slice(this.text.lastIndexOf('\n', node.start) + 1))[0];
            const breaks = node.kind === 'array' && text[0] === '{';
            this.#splice(node.start + 1, node.end - 1, breaks ? `\n${base}  ${text}\n${base}` : text);
            return;
        }
        const indent = this.#indent(last.start);
        this.#splice((last.node ?? last).end, (last.node ?? last).end, indent === undefined ? `, ${text}` : `,\n${indent}${text}`);
    }

    /** Sets a value; a missing key is added to its object. `undefined` removes it. */
    set(path, value) {
        const node = this.node(path), key = path[path.length - 1], parent = this.node(path.slice(0, -1));
        if (value === undefined) {
            if (node) this.remove(path);
        } else if (node) {
            if (format(valueOf(node)) !== format(value)) this.#splice(node.start, node.end, format(value));
        } else if (parent?.kind === 'object') this.#append(parent, parent.members, `${JSON.stringify(key)}: ${format(value)}`);
    }

    /** Adds an entity to a list of the file, such as "bodies"; returns its index. */
    add(list, entity) {
        if (!this.node([list])) this.#append(this.root, this.root.members, `${JSON.stringify(list)}: []`);
        const node = this.node([list]);
        this.#append(node, node.items, format(entity));
        return node.items.length;
    }

    /** Removes a member or an item, with its comma and line. */
    remove(path) {
        const key = path[path.length - 1], parent = this.node(path.slice(0, -1));
        const parts = parent?.kind === 'array' ? parent.items : parent?.members ?? [];
        const index = typeof key === 'number' ? key : parts.findIndex((m) => m.key === key);
        const ends = (part) => (part.node ?? part).end;
        if (!parts[index]) return;
        if (index > 0) this.#splice(ends(parts[index - 1]), ends(parts[index]), '');
        else if (parts.length > 1) this.#splice(parts[0].start, parts[1].start, '');
        else this.#splice(parent.start + 1, parent.end - 1, '');
    }

    /** Makes several changes one step of undo. */
    together(change) {
        const first = this.#index;
        change();
        if (this.#index > first + 1) {
            this.#texts.splice(first + 1, this.#index - first - 1);
            this.#index = first + 1;
        }
    }
}
