/* Instruments with layers: the parts of a text, each an instrument with its place in it and the beginning of its names. */

const fileName = (path) => path.replace(/^.*\//, '').replace(/\.json$/, '');

/** The value of a text with the instruments of its layers in place of their files; `files`: instruments by the names that the text has. */
export function wholeOf(value, files) {
    if (!Array.isArray(value.layers)) return value;
    return { ...value, layers: value.layers.map((layer, i) => {
        if (typeof layer?.instrument !== 'string') return { name: `${i + 1}`, ...layer };
        if (!files[layer.instrument])
            throw new Error(`layers[${i}].instrument: ${layer.instrument} was not read when this page was opened: write it in the file itself, and open it again.`);
        return { name: fileName(layer.instrument), ...layer, instrument: files[layer.instrument] };
    }) };
}

/** Names of the files in a text. */
export const filesOf = (value) => (Array.isArray(value.layers) ? value.layers.map((layer) => layer?.instrument).filter((name) => typeof name === 'string') : []);

/** The instruments of a whole: {value, path, prefix}. */
export function partsOf(whole) {
    if (!Array.isArray(whole.layers)) return [{ value: whole, path: [], prefix: '' }];
    return whole.layers.map((layer, i) => ({ value: layer.instrument, path: ['layers', i], prefix: `${layer.name}/` }));
}

/** All entities of a list, such as "bows". */
export const entitiesOf = (whole, list) => partsOf(whole).flatMap(({ value }) => value[list] ?? []);

/** Initial value of each of the host's controls: those of a layer follow those of the layer before. */
export function controlsOf(whole) {
    const initial = [];
    for (const { value } of partsOf(whole)) {
        const first = initial.length, sources = (value.midi_sources ?? []).filter(({ kind }) => kind === 'host');
        const count = Math.max(0, (value.macros ?? []).findLastIndex((name) => name) + 1, ...sources.map(({ number }) => (number ?? 0) + 1));
        for (let i = 0; i < count; i++) initial.push(sources.find(({ number }) => (number ?? 0) === i)?.initial ?? 0);
        initial.length = first + count;
    }
    return initial;
}
