#!/bin/sh
# sh css_config.sh HEDDLE: configuration files of `heddle css unused`: heddle-css.json, and those of PurgeCSS.
heddle=$1
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
unset HEDDLE_DEVICE
mkdir -p "$work/site/dist/sub" "$work/site/src/draft" "$work/site/css"
cd "$work/site" || exit 1
kept() { grep -q -e "  $1  *$2  *$3\$" "$work/out" || complain "heddle $words: no row \"$1 $2 $3\""; }
gone() { ! grep -q -e "  $1  " "$work/out" || complain "heddle $words: $1 is kept"; }
echo '<!doctype html><p class="page" :class="{ bound: x }"><script>el.className = "scripted"</script>' > dist/sub/a.html
echo '<p class="page2 {{ x }}">' > dist/t.html
echo 'const x = "from-js"' > src/a.js
echo 'const x = "from-draft"' > src/draft/b.js
cat > css/a.css << 'SHEET'
.page { a: b }
.page2 { a: b }
.bound { a: b }
.scripted { a: b }
.from-js { a: b }
.from-draft { a: b }
.raw { a: b }
.standard .page { a: b }
.standard .unknown { a: b }
.page .deep .unknown { a: b }
.unknown .deep { a: b }
.unknown .greedy { a: b }
.page.blocked { a: b }
[aria-x=y] { a: b }
.gone { a: b }
:root { --gone: 1; --safe: 2 }
@keyframes gone { to { a: b } }
@keyframes safe { to { a: b } }
@font-face { font-family: Gone; src: url(x) }
SHEET

# ---- heddle-css.json: found, named, checked ----
cat > heddle-css.json << 'JSON'
{"$schema": "heddle-css.schema.json", "pages": ["dist/**/a.html"], "css": ["css/*.css"], "words": ["src/**/*.js"], "skip": ["**/draft/*"],
 "keep": ["standard", "/greedy$/"], "remove": ["blocked"], "properties": true, "out": "used/", "report": "report.html", "failOver": "99%"}
JSON
run 0 css unused --kept; err_has 'note: heddle-css.json: 1 page, 1 text with words, 1 sheet, 3 patterns'
kept word '\.from-js' 'from-js in src/a.js:1'; gone '\.from-draft'; kept keep '\.standard \.unknown' 'heddle-css.json: keep standard'; gone '\.page\.blocked'
kept keep '\.unknown \.greedy' 'heddle-css.json: keep /greedy$/'
grep -q -e '--gone' used/a.css && complain "\"properties\" has no effect"
[ -s report.html ] || complain "no report"
run 1 css unused --fail-over 1%
run 0 css unused dist/sub --css css/a.css --out other.css; [ -s other.css ] || complain "--out is weaker than the file"
(cd css && run 0 css unused --config ../heddle-css.json && err_has '1 page, 1 text')
for damage in '{"page": []}' '{"pages": ["none/*.html"], "css": []}' '{"pages": "dist"}' '{"keep": ["<"], "pages": ["dist/**/a.html"]}' '[]' '{'; do
    echo "$damage" > bad.json
    run 1 css unused --config bad.json || true; err_has 'bad.json\|no file fits\|heddle-css.json: keep'
done
rm heddle-css.json

# ---- PurgeCSS: as it is ----
cat > purgecss.config.js << 'CONFIG'
/** A configuration; { content: ["no"] } in a comment */
const path = require('path'), base = './css';
const more = ["standard", /^nothing-/i];
module.exports = {
  content: [path.join(__dirname, 'dist/**/*.{html,htm}'), './src/**/*.js', "!src/draft/**", { raw: '<b class="raw">', extension: 'html' }],
  css: [`${base}/*.css`],
  defaultExtractor: (content) => { const m = content.match(/[\w-/:}"']+(?<!:)/g) || []; return m },
  extractors: [{ extractor: function (content) { return "}" }, extensions: ['html'], }],
  safelist: { standard: [...more], deep: [/^deep$/], greedy: [new RegExp('gree' + 'dy', "g")], keyframes: ["safe"], variables: ['--safe'], },
  blocklist: ["blocked"], dynamicAttributes: ['aria-x'],
  keyframes: true, variables: true, output: 'purged',
};
CONFIG
run 0 css unused --config purgecss.config.js --kept
err_has 'purgecss.config.js:7: defaultExtractor: code is not read'; err_has 'extractors: an array is not read'
err_has '2 pages, 2 texts with words, 1 sheet'
err_has 'safelist.standard: 1 pattern fits nothing in the sheets: ^nothing-'
kept element '\.page' 'p.page in dist/sub/a.html:1'; kept word '\.page2' 'page2 in dist/t.html:1'; kept word '\.bound' 'bound in .*'
kept word '\.scripted' 'scripted in .*'; kept element '\.raw' 'b.raw in purgecss.config.js: content:1'; gone '\.from-draft'
kept keep '\.standard \.page' 'purgecss.config.js: safelist.standard standard'; gone '\.standard \.unknown'
kept keep '\.page \.deep \.unknown' 'purgecss.config.js: safelist.deep ^deep$'; gone '\.unknown \.deep'
kept keep '\.unknown \.greedy' 'purgecss.config.js: safelist.greedy greedy'; gone '\.page\.blocked'; kept keep '\[aria-x=y\]' '.*dynamicAttributes aria-x'
grep -q 'keyframes gone\|--gone' purged/a.css && complain "keyframes and variables are not removed"
for name in 'keyframes safe' '--safe' Gone; do grep -q -e "$name" purged/a.css || complain "$name is removed"; done
cat > purgecss.config.mjs << 'CONFIG'
import path from "path";
const content = ["dist/**/*.html", { raw: "raw" }] as const;
export default { content, "css": ['css/' + "a" + '.css'], safelist } satisfies Config;
CONFIG
run 0 css unused --config purgecss.config.mjs --kept; kept word '\.raw' '.*'; gone '\.from-js'
printf 'export const content = ["dist/**/*.html"];\nexport function defaultExtractor(content) { return [] }\nexport const css = ["css/a.css"], x = 1;\nexport const safelist = { deep: [/^deep$/], ...[1] };\n' > purgecss.config.mjs
run 0 css unused --config purgecss.config.mjs --kept; err_has 'defaultExtractor: code is not read'; kept keep '\.page \.deep \.unknown' '.*'
echo '{"content": ["dist/**/*.html"], "css": ["css/a.css"], "safelist": ["standard"]}' > purgecss.json
run 0 css unused --config purgecss.json --kept; kept keep '\.standard \.page' '.*'; gone '\.unknown \.greedy'
cat > postcss.config.js << 'CONFIG'
const purgecss = require('@fullhuman/postcss-purgecss');
module.exports = { plugins: [require('autoprefixer'), ...(process.env.NODE_ENV === 'production' ? [purgecss({ content: ['dist/**/*.html'], css: ['css/a.css'] })] : [])] };
CONFIG
run 0 css unused --config postcss.config.js --kept; kept element '\.page' '.*'
echo 'module.exports = {content: [' > bad.js
run 2 css unused --config bad.js; err_has 'content: code is not read'
for damage in 'module.exports = () => ({})' 'let x = 1' 'module.exports = [1]' ''; do
    echo "$damage" > bad.js
    run 1 css unused --config bad.js; err_has 'bad.js: .*; expected an object'
done
err_has 'nothing is exported; expected an object'
echo 'module.exports = {content: ["dist/**/*.html"], css: ["css/a.css"], safelist: [/^(?!x)/]}' > bad.js
run 1 css unused --config bad.js; err_has 'look-ahead'
echo 'module.exports = {plugins: []}' > bad.js
run 1 css unused --config bad.js; err_has 'bad.js: no member of a configuration of PurgeCSS'
run 1 css unused --config none.js; err_has none.js

exit $failed
