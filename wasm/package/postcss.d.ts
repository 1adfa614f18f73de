/** PostCSS plugin: removes the rules that no page uses. */
export interface PostcssOptions {
    /** paths of pages, templates and scripts, which may have wildcards; or texts */
    content: (string | { raw: string; extension: string })[];
    /** patterns of names that stay, as of `heddle css unused --keep` */
    keep?: (string | RegExp)[];
    /** names and regular expressions that stay, as of PurgeCSS */
    safelist?: (string | RegExp)[];
    /** removes keyframes, fonts and custom properties that nothing names; false, as of PurgeCSS */
    keyframes?: boolean;
    fontFace?: boolean;
    variables?: boolean;
}
declare function heddle(options: PostcssOptions): { postcssPlugin: string };
declare namespace heddle {
    const postcss: true;
}
export default heddle;
