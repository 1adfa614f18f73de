/** Style sheets against whole pages. */
export { HeddleError } from './module.js';

/** A text, or a text with a name for messages. */
export type Text = string | { name?: string; text: string };

/** A page: HTML, or a tree of the browser's DOM, of parse5 or of htmlparser2. */
export type Page = Text | { tree: object; quirks?: boolean };

export interface MatcherOptions {
    sheets: Text[];
    pages: Page[];
    /** makes each selector of a list a rule; false */
    split?: boolean;
    /** treats hovered, focused and the like as possible; false */
    statesPossible?: boolean;
}

export interface Rule {
    selector: string;
    line: number;
    column: number;
    /** position in the sheet, bytes of UTF-8 */
    begin: number;
    end: number;
    valid: boolean;
    /** its @media and @supports apply to a desktop */
    applies: boolean;
    /** cause, if it is not valid */
    reason: string;
}

/** The modules of css: matching, and the grammar of values, which a sheet with @supports needs. */
export interface Modules {
    css: WebAssembly.Module;
    values?: WebAssembly.Module;
}

/** Compiles the modules, once. The result can be posted to a Worker. */
export function compile(): Promise<Modules>;

/** Opens sheets and pages. */
export function open(options: MatcherOptions & { module?: Modules }): Promise<Matcher>;

export class Matcher {
    constructor(module: Modules, options: MatcherOptions);
    /** Matches all elements against all rules. */
    match(): this;
    /** Rules of each sheet. */
    readonly rules: Rule[][];
    /** Number of elements of all pages. */
    readonly elements: number;
    /** Number of elements of each rule, valid until the next call. */
    readonly counts: Uint32Array;
    /** Hash of the elements of each rule. */
    readonly hashes: Uint32Array;
    /** Elements that a rule matches. */
    elementsOf(rule: number): number[];
    /** Element for people, such as "div#main.wide". */
    describe(element: number): string | undefined;
    close(): void;
}

export interface UnusedOptions {
    sheets: Text[];
    pages?: Text[];
    /** templates, scripts and other texts, whose words keep rules */
    words?: Text[];
    /** patterns of names that stay, as of `heddle css unused --keep` */
    keep?: (string | RegExp)[];
    /** judges keyframes; true */
    keyframes?: boolean;
    /** judges fonts; true */
    fonts?: boolean;
    /** judges custom properties; false */
    properties?: boolean;
}

export interface Entry {
    kind: 'rule' | 'selector' | '@keyframes' | '@font-face' | '@property' | 'custom property' | '@layer' | (string & {});
    selector: string;
    line: number;
    /** position in the sheet, bytes of UTF-8 */
    begin: number;
    end: number;
    bytes: number;
    removed: boolean;
    reason: 'unused' | 'element' | 'state' | 'word' | 'keep' | 'not judged' | 'name';
    /** number of elements that match */
    elements: number;
    /** evidence for the reason, for people */
    found: string;
}

export interface Unused {
    sheets: { name: string; text: string; removed: Entry[]; entries: Entry[] }[];
    warnings: string[];
}

/** Removes the rules of sheets that no page uses. */
export function unused(options: UnusedOptions & { module?: Modules }): Promise<Unused>;
/** unused() in one call, from compiled modules. */
export function unusedIn(module: Modules, options: UnusedOptions): Unused;
