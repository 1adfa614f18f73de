/* PostCSS plugin over heddle/css, for Vite, webpack and Tailwind: removes the rules that no page uses, without the command heddle. */
import fs from 'node:fs';
import path from 'node:path';
import { compile, unusedIn } from './css.js';
import tree from './postcss_tree.cjs';

const PAGE = /\.(html?|xhtml|svg)$/i;

/* ---- files ---- */

/* Regular expression of a path with wildcards: * ** ? [abc] {a,b}. */
function expressionOf(pattern) {
    let depth = 0;
    const source = pattern.replace(/\*\*\/?|[*?{},.+^$()|\\]|\[[^\]]*\]/g, (part) => {
        if (part === '**/') return '(?:.*/)?';
        if (part === '**') return '.*';
        if (part === '*') return '[^/]*';
        if (part === '?') return '[^/]';
        if (part[0] === '[') return part;
        if (part === '{') return depth++, '(?:';
        if (part === '}' && depth) return depth--, ')';
        if (part === ',' && depth) return '|';
        return part === ',' ? ',' : `\\${part}`;
    });
    return new RegExp(`^${source}$`);
}

/* Files that a path, perhaps with wildcards, names. */
function expand(pattern) {
    const wild = pattern.search(/[*?{[]/);
    if (wild < 0) {
        if (!fs.existsSync(pattern)) throw new Error(`heddle: content: no file ${pattern}; expected paths from ${process.cwd()}`);
        return [pattern];
    }
    const folder = pattern.slice(0, pattern.lastIndexOf('/', wild) + 1);
    const expression = expressionOf(pattern);
    const found = [];
    const walk = (place) => {
        for (const entry of fs.readdirSync(place || '.', { withFileTypes: true })) {
            const name = place + entry.name;
            if (entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== '.git') walk(`${name}/`);
            else if (entry.isFile() && expression.test(name)) found.push(name);
        }
    };
    if (!folder || fs.existsSync(folder)) walk(folder);
    return found.sort();
}

/* Pages and words of the option `content`: paths, or {raw, extension} as of PurgeCSS. */
function readContent(content) {
    if (!Array.isArray(content)) throw new Error('heddle: missing "content"; expected paths of pages, templates and scripts');
    const pages = [];
    const words = [];
    for (const item of content) {
        if (typeof item !== 'string') {
            (PAGE.test(`.${item.extension}`) ? pages : words).push({ name: `raw.${item.extension}`, text: item.raw });
            continue;
        }
        for (const name of expand(item)) (PAGE.test(name) ? pages : words).push({ name, text: fs.readFileSync(name, 'utf8') });
    }
    return { pages, words };
}

/* ---- PostCSS ---- */

/* Messages by which the build tool runs again when content changes. */
function dependencies(content, parent) {
    return content.filter((item) => typeof item === 'string').map((item) => {
        const wild = item.search(/[*?{[]/);
        if (wild < 0) return { type: 'dependency', plugin: 'heddle', file: path.resolve(item), parent };
        const slash = item.lastIndexOf('/', wild) + 1;
        return { type: 'dir-dependency', plugin: 'heddle', dir: path.resolve(item.slice(0, slash)), glob: item.slice(slash), parent };
    });
}

export default function heddle(options = {}) {
    const { content, keep = [], safelist = [], keyframes = false, fontFace = false, variables = false } = options;
    if (!Array.isArray(safelist)) throw new Error('heddle: safelist is an object; expected a list of names and regular expressions');
    return {
        postcssPlugin: 'heddle',
        async OnceExit(root, { result, parse, stringify }) {
            const file = root.source && root.source.input.file;
            const module = await compile();
            const texts = readContent(content);
            let answer;
            const lines = await tree.reduceTree(root, { parse, stringify }, (text) => {
                answer = unusedIn(module, { sheets: [{ name: path.basename(file || 'style.css'), text }], ...texts, keep: [...keep, ...safelist],
                    keyframes, fonts: fontFace, properties: variables });
                return answer.sheets[0].text;
            });
            result.messages.push(...dependencies(content, file));
            for (const warning of answer.warnings) result.warn(warning);
            const removed = answer.sheets[0].removed.map(({ line, kind, selector }) => ({ line: lines.get(line) || line, kind, selector }));
            result.messages.push({ type: 'heddle', plugin: 'heddle', parent: file, removed });
        },
    };
}
heddle.postcss = true;
