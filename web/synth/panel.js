/* The table of the selection: fields, units and ranges come from the schema of instrument files. */

/* Definition of a field, with the definitions that it refers to. */
function resolve(schema, field) {
    const named = field.$ref && schema.$defs[field.$ref.replace('#/$defs/', '')];
    return named ? { ...named, ...field } : field;
}

/** Fields of an entity of a list: [{name, field}], those of objects inside as "body.mass". */
export function fieldsOf(schema, list) {
    const all = (definition, prefix) => Object.entries(definition?.properties ?? {}).flatMap(([name, raw]) => {
        const field = resolve(schema, raw);
        return field.properties && prefix.length < 1 ? all(field, [...prefix, name]) : [{ path: [...prefix, name], field }];
    });
    return all(schema.$defs[list], []);
}

const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
};

/* Range of a slider around a value: a factor of 8 each way, or the field's own range if it is short. */
function slider(field, value) {
    const { minimum = -1e6, maximum = 1e6 } = field;
    if (maximum - minimum <= 400) return { low: minimum, high: maximum, to: (x) => x, from: (x) => x };
    const size = Math.abs(value) || 1;
    if (value > 0 && minimum >= 0)
        return { low: Math.log(Math.max(size / 8, minimum || 1e-12)), high: Math.log(Math.min(size * 8, maximum)), to: Math.log, from: Math.exp };
    return { low: Math.max(minimum, value - 2 * size), high: Math.min(maximum, value + 2 * size), to: (x) => x, from: (x) => x };
}

/* `change(path, value, isFinal)` is called while a slider moves, and once at its end. */
function row(path, field, value, change) {
    const shown = value ?? field.default, [label, unit] = (field.description ?? '').split(/, ([^,]*)$/);
    const title = element('span', { textContent: path.join('.').replaceAll('_', ' '), className: value === undefined ? 'unset' : '' });
    const inputs = [];
    const number = (now, k) => {
        const input = element('input', { type: 'number', step: 'any', value: now ?? '', min: field.minimum ?? '', max: field.maximum ?? '' });
        input.setAttribute('aria-label', `${path.join(' ')}${k === undefined ? '' : ` ${'xyz'[k]}`}${unit ? `, ${unit}` : ''}`);
        return input;
    };
    if (field.type === 'boolean') {
        const input = element('input', { type: 'checkbox', checked: !!shown });
        input.onchange = () => change(path, input.checked, true);
        inputs.push(input);
    } else if (field.enum) {
        const input = element('select', {}, ...field.enum.map((name) => element('option', { textContent: name, selected: name === shown })));
        input.onchange = () => change(path, input.value, true);
        inputs.push(input);
    } else if (field.type === 'number' || field.type === 'integer') {
        const input = number(shown);
        input.onchange = () => input.value !== '' && input.checkValidity() && change(path, Number(input.value), true);
        inputs.push(input);
        if (typeof shown === 'number' && field.type === 'number') {
            const range = slider(field, shown), slide = element('input', { type: 'range', min: range.low, max: range.high, step: 'any', value: range.to(shown) });
            slide.setAttribute('aria-label', `${path.join(' ')}, slider`);
            slide.oninput = () => {
                input.value = Number(range.from(Number(slide.value)).toPrecision(4));
                change(path, Number(input.value), false);
            };
            slide.onchange = () => change(path, Number(input.value), true);
            inputs.push(slide);
        }
    } else if (Array.isArray(shown) && shown.length === 3 && shown.every((x) => typeof x === 'number')) {
        const parts = shown.map((x, k) => number(x, k)), box = element('span', { className: 'vector' }, ...parts);
        for (const input of parts)
            input.onchange = () => parts.every((p) => p.value !== '' && p.checkValidity()) && change(path, parts.map((p) => Number(p.value)), true);
        inputs.push(box);
    } else {
        const input = element('input', { type: 'text', value: shown === undefined ? '' : typeof shown === 'string' ? shown : JSON.stringify(shown) });
        input.setAttribute('aria-label', path.join(' '));
        input.onchange = () => {
            let made = input.value;
            if (typeof shown !== 'string' || /^[[{]/.test(made))
                try {
                    made = JSON.parse(made);
                } catch {
                    /* a name or a reference */
                }
            change(path, input.value === '' ? undefined : made, true);
        };
        inputs.push(input);
    }
    return element('label', { className: 'field' }, title, ...inputs.slice(0, 1), element('small', { textContent: unit ? `${label} (${unit})` : label ?? '' }), ...inputs.slice(1));
}

/** Shows an entity. `heading`: its name; `count`: number of entities that a change applies to. */
export function show(container, schema, list, entity, heading, count, change) {
    const isWhole = ({ path, field }) => !field.properties && path.reduce((v, step) => v?.[step], entity)?.constructor === Object;
    const rows = fieldsOf(schema, list).filter((f) => !isWhole(f)).map(({ path, field }) => row(path, field, path.reduce((v, step) => v?.[step], entity), change));
    container.replaceChildren(element('h2', { textContent: count > 1 ? `${heading}, and ${count - 1} more` : heading }), ...rows);
}
