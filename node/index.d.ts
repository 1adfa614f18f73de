/** An input: the path of a file, or a text with the name that messages use. */
export type Input = string | { name: string; text: string };

/** Names or regular expressions. */
export type Names = Array<string | RegExp>;

/** Options of PurgeCSS that the command reads. */
export interface PurgeCSSOptions {
    /** Paths and patterns; HTML files are pages, all others texts with words. */
    content?: Array<string | { raw: string; extension?: string }> | { files: Array<string | { raw: string; extension?: string }> };
    css?: string[];
    safelist?: Names | { standard?: Names; deep?: Names; greedy?: Names; keyframes?: Names; variables?: Names };
    blocklist?: Names;
    dynamicAttributes?: string[];
    skippedContentGlobs?: string[];
    /** Removes unused keyframes, fonts, custom properties. */
    keyframes?: boolean;
    fontFace?: boolean;
    variables?: boolean;
}

export interface Options {
    /** HTML pages. Without any, only words and patterns keep rules. */
    pages?: Input[];
    /** Style sheets; without any, the files that the pages or the configuration name. */
    sheets?: Input[];
    /** Patterns of `--keep`: `js-*`, `#id`, `<element>`, `[attribute=value]`, `--property`, `@keyframes NAME`, `/regular expression/`. */
    keep?: string[];
    /** Templates, scripts and texts whose words keep rules. */
    words?: Input[];
    /** Path of a heddle-css.json or of a configuration of PurgeCSS, or options of PurgeCSS; `pages` replace its
     *  content. */
    config?: string | PurgeCSSOptions;
    /** Removes custom properties that nothing names. Default: false. */
    properties?: boolean;
    /** Path of the command. Default: `heddle` of PATH. */
    heddle?: string;
}

export interface Removed {
    /** Line in the sheet, from 1. */
    line: number;
    kind: 'rule' | 'selector' | '@keyframes' | '@font-face' | '@counter-style' | '@property' | 'custom property' | string;
    selector: string;
    bytes: number;
}

export interface Kept {
    /** Line in the sheet, from 1. */
    line: number;
    kind: 'selector' | '@keyframes' | '@font-face' | '@property' | 'custom property' | string;
    selector: string;
    /** 'name': a rule or a style attribute names the part. */
    reason: 'element' | 'state' | 'word' | 'keep' | 'not judged' | 'name';
    /** Evidence, such as `div.a in index.html:12`. */
    from: string;
}

export interface Sheet {
    name: string;
    /** The reduced sheet. */
    text: string;
    removed: Removed[];
    kept: Kept[];
    /** Source map, where the sheet has one in a file; a map inside the sheet stays inside. */
    map?: string;
}

export interface Result {
    /** Those of `sheets` in their order, then imported ones. */
    sheets: Sheet[];
    /** All unused parts, those of `<style>` elements included. */
    removed: Array<Removed & { file: string }>;
    /** Warnings and notes of the command. */
    warnings: string[];
}

/** Removes unused rules. Rejects with the message of the command if the command fails. */
export function unused(options: Options): Promise<Result>;
