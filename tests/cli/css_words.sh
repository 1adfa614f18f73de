#!/bin/sh
# sh css_words.sh HEDDLE: what stays in `heddle css unused` although no element matches: by words of templates, by patterns, by comments.
heddle=$1
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
unset HEDDLE_DEVICE
mkdir "$work/site"
cd "$work/site" || exit 1
kept() { # REASON SELECTOR FROM: a row of --kept
    grep -q -e "  $1  *$2  *$3\$" "$work/out" || complain "heddle $words: no row \"$1 $2 $3\""
}
gone() { ! grep -q -e "  $1  " "$work/out" || complain "heddle $words: $1 is kept"; }

# ---- words: names with any characters, between characters that are no part of a name ----
echo '<!doctype html><div class="card a"><p id=x data-state=open>t</p></div>' > page.html
cat > a.css << 'SHEET'
.card { a: b }
.card .title { a: b }
.card .titles { a: b }
.card .gone { a: b }
.md\:w-1\/2 { a: b }
.md\:w-1\/3 { a: b }
.w-\[calc\(100\%-1rem\)\] { a: b }
.btn:hover { a: b }
article .btn { a: b }
.titles:not(.gone), .title:not(.gone) { a: b }
:is(.gone, .title) .btn { a: b }
.title:has(.gone) { a: b }
[data-state=closed] .card { a: b }
[data-state=shut] .card { a: b }
[class*="tit"] .btn { a: b }
.\e4 { a: b }
@keyframes spin { to { a: b } }
@keyframes still { to { a: b } }
@font-face { font-family: "My Font"; src: url(x) }
SHEET
mkdir -p src/node_modules
cat > src/App.jsx << 'TEXT'
export default () => <div className="card" style={{ animation: 'spin 1s', font: "1em 'My Font'" }}>
  <h2 className={`title md:w-1/2 w-[calc(100%-1rem)]`}>x</h2>
  <a className='btn' data-state="closed">ä ätsch</a></div>
TEXT
run 0 css unused page.html --css a.css --words src --kept; err_is_empty
kept element '\.card' 'div.card.a in page.html:1'
kept word '\.card \.title' 'title in src/App.jsx:2'
kept word '\.md\\:w-1\\/2' 'md:w-1/2 in src/App.jsx:2'
kept word '\.w-\\\[calc\\(100\\%-1rem\\)\\\]' 'w-\[calc(100%-1rem)\] in src/App.jsx:2'
kept word '\.btn:hover' 'btn in src/App.jsx:3'
kept word '\.title:not(\.gone)' 'title in src/App.jsx:2'
kept word ':is(\.gone, \.title) \.btn' '.* in src/App.jsx:[23]'
kept word '\[data-state=closed\] \.card' 'closed in src/App.jsx:3'
kept word '\[class\*="tit"\] \.btn' 'btn in src/App.jsx:3'
kept word '\.\\e4' 'ä in src/App.jsx:3'
for name in '\.card \.titles' '\.card \.gone' '\.md\\:w-1\\/3' 'article \.btn' '\.titles:not(\.gone)' '\.title:has(\.gone)' '\[data-state=shut\] \.card'; do gone "$name"; done
# ---- names that a text puts together of two parts ----
cat > parts.css << 'SHEET'
.btn-big { a: b }
.btn-gone { a: b }
.box__item-on { a: b }
.box-off { a: b }
.card-lit { a: b }
.tag-new { a: b }
.tag-old { a: b }
.row-1 { a: b }
.cut-x { a: b }
.min-us { a: b }
SHEET
cat > parts.js << 'TEXT'
const kinds = ['big', 'on', 'new']; let tag, us, min, x, row, box, box__item;
a.className = 'btn-' + kinds[0]; b.className = box__item + "-on"; c = `card-${lit}`; d = `${tag}-new`;
e = (row)-1; f = (cut-(x)); g = min-us; h = old; i = {off}-1; j = 'cut' + '-' + 'x';
TEXT
run 0 css unused page.html --css parts.css --words parts.js --kept
kept word '\.btn-big' 'btn-big in parts.js:2'
kept word '\.box__item-on' 'box__item-on in parts.js:2'
kept word '\.card-lit' 'card-lit in parts.js:2'
kept word '\.tag-new' 'tag-new in parts.js:2'
kept word '\.min-us' 'min-us in parts.js:3'
for name in '\.btn-gone' '\.box-off' '\.tag-old' '\.row-1' '\.cut-x'; do gone "$name"; done
# Values in the words of replacements, Svelte, PHP, C and Razor; a dollar, a per cent or an at that begins no value is none.
for name in cm-key sv-key ph-key pf-key rz-key key-sv no-key; do echo ".$name { a: b }"; done > values.css
printf '%s\n' 'key; s.replace(/x/g, "cm-$&"); <b class="sv-{size} {size}-sv">' 'echo "ph-$kind"; printf("pf-%s", k); <i class="rz-@Kind"> no-$ no-% no-@ no-,' > values.js
run 0 css unused page.html --css values.css --words values.js --kept
for name in cm sv; do kept word "\.$name-key" "$name-key in values.js:1"; done
for name in ph pf rz; do kept word "\.$name-key" "$name-key in values.js:2"; done
kept word '\.key-sv' 'key-sv in values.js:1'; gone '\.no-key'
# of a name that no person writes the parts are not kept: those of 100,000 are 5 GB
{ printf .; yes a- | tr -d '\n' | head -c 100000; echo 'b { a: b } .btn-big { a: b }'; } > long.css
(ulimit -v 2097152 && "$heddle" --version) > /dev/null 2>&1 && limit=2097152 || limit=unlimited # a sanitizer's program maps much more
words="css unused long.css"
(ulimit -v $limit; exec "$heddle" css unused page.html --css long.css --words parts.js --kept) > "$work/out" 2> "$work/err" || complain "a long name: $(head -c 200 "$work/err")"
kept word '\.btn-big' 'btn-big in parts.js:2'
run 0 css unused page.html --css a.css --words src/App.jsx --json --kept; out_is_json file line reason selector from
run 0 css unused page.html --css a.css --words src; out_has '@keyframes .*  still$'; out_has '^10 rules stay: 1 by an element, 9 by a word$'
! grep -q 'spin$\|My Font' "$work/out" || complain "a name in words is unused"
run 0 css unused --css a.css --words src --kept; gone '\.card \.gone'; kept word '\.card' 'card in src/App.jsx:1'
run 2 css unused --words src; err_has 'expected --css'
# Without a page: a template makes pages, on each of which body, :root and * match.
printf 'body { a: b }\n:root { a: b }\n*, ::before { a: b }\n.nowhere-at-all, .nowhere-at-all body { a: b }\n' > any.css
run 0 css unused --css any.css --words src/App.jsx --kept; kept word body 'markup in src/App.jsx'; kept word ':root' 'markup in src/App.jsx'; kept word '\*' 'markup in src/App.jsx'
gone '\.nowhere-at-all body'
run 2 css unused; err_has 'expected PAGE'
run 1 css unused page.html --css a.css --words none.jsx; err_has 'none.jsx'
mkdir empty
run 2 css unused page.html --css a.css --words empty; err_has -- '--words empty: no template'
echo '# Title' > post.md
echo 'h1 { a: b } h2, pre code { a: b } section b { a: b }' > md.css
run 0 css unused page.html --css md.css --words post.md --kept; kept word h1 'markup in post.md'; kept word 'pre code' 'markup in post.md'; gone 'section b'

# ---- a template among the pages that is given as words; a page that a script fills ----
mkdir mixed
cp page.html mixed
echo '{% extends "x" %}<p class="btn">' > mixed/t.html
run 1 css unused mixed --css a.css; err_has 'mixed/t.html: file is a template'
run 0 css unused mixed --css a.css --words mixed/t.html --kept; err_is_empty; kept word '\.btn:hover' 'btn in mixed/t.html:1'; kept element '\.card' '.*'
# ---- scripts of the pages are words: in the page, files that it names, modules that these import ----
mkdir -p own/lib
cat > own/page.html << 'PAGE'
<!doctype html><link rel=stylesheet href=own.css><p class=menu onclick="this.classList.toggle('open')"><script>
document.body.classList.add("dark")
</script><script type=module src="main.js?v=2"></script>
PAGE
echo 'import "./lib/menu.mjs"; menu.classList.toggle("checked")' > own/main.js
echo 'import "../main.js"; menu.className = "deep"' > own/lib/menu.mjs
echo 'x.className = "other"' > own/lib/other.js
echo '.menu { a: b } .menu.checked { a: b } .open { a: b } .dark p { a: b } .deep { a: b } .other { a: b }' > own/own.css
run 0 css unused own --kept; err_is_empty; kept word '\.menu\.checked' 'checked in own/main.js:1'; kept word '\.open' 'open in own/page.html:1'
kept word '\.dark p' 'dark in own/page.html:2'; kept word '\.deep' 'deep in own/.*lib/menu.mjs:1'; gone '\.other'; out_has '^1 of 6 rules'
run 0 css unused own --out own.out.css; err_is_empty; grep -q 'checked.*open.*dark.*deep' own.out.css || complain "a rule of a script is cut: $(cat own.out.css)"
run 2 css unused own --out own/main.js; err_has 'main.js'
printf '\0\1\2open' > own/main.js
run 0 css unused own; err_has 'note: 1 script of the pages is not read, the first "main.js?v=2"'; out_has '^3 of 6 rules'
# webpack loads scripts by names that it computes; a text field's text may become elements where a script runs
mkdir -p pack/js/late
echo '<!doctype html><link rel=stylesheet href=p.css><textarea><b class="typed"></textarea><script src=js/main.js></script>' > pack/page.html
echo '(self.webpackChunkapp = self.webpackChunkapp || []).push([[1]])' > pack/js/main.js
echo 'x.className = "late"' > pack/js/late/7.js
echo '.late { a: b } .typed { a: b } .gone { a: b }' > pack/p.css
run 0 css unused pack --kept; err_is_empty; kept word '\.late' 'late in pack/js/late/7.js:1'; kept word '\.typed' 'typed in pack/page.html:1'; gone '\.gone'
echo 'x' > pack/js/main.js
run 0 css unused pack --kept; gone '\.late'
sed -i 's/<script.*//' pack/page.html
run 0 css unused pack --kept; gone '\.typed'
mkdir chain # of more imports than a stack holds calls
echo '<!doctype html><link rel=stylesheet href=c.css><p>a<script src=m0.js></script>' > chain/page.html
echo '.last { a: b } .gone { a: b }' > chain/c.css
awk 'BEGIN { for (i = 0; i < 3000; i++) { file = "chain/m" i ".js"; print "import \"./m" i + 1 ".js\"" > file; close(file) } print "x.className = \"last\"" > file }'
run 0 css unused chain; err_is_empty; out_has '\.gone$'; out_has '^1 of 2 rules'
echo '<!doctype html><div id=root class=card></div><script src=app.js></script><script src=//x.example/a.js></script>' > shell.html
run 0 css unused shell.html --css a.css; err_has 'note: 2 scripts of the pages are not read, the first "app.js"'
run 0 css unused shell.html --css a.css --words src; err_is_empty

# ---- a recording is a page, with its sheets ----
cat > app.json << 'JSON'
{"format": "heddle css recording", "version": 1,
 "nodes": [["p", 0, [["class", "ran"]], 1, [], []], ["body", 0, [], 0, [0], []], ["html", 0, [], 0, [1], []]],
 "pages": [{"url": "http://localhost/", "quirks": false, "trees": [[2]]}],
 "sheets": [{"url": "http://localhost/app.css", "text": ".ran { a: b } .gone { a: b }"}]}
JSON
run 0 css unused app.json; err_is_empty; out_has '^1 of 2 rules match nothing'
run 0 css unused app.json --css a.css --kept; err_is_empty
run 0 css match app.json; err_is_empty; out_has '1  \.ran$'
run 0 css explain app.json .ran; err_is_empty

# ---- patterns: each form, and those that fit nothing ----
cat > b.css << 'SHEET'
.js-x .y { a: b }
#dialog-1 { a: b }
article > b { a: b }
[open] i { a: b }
[data-state=closed] i { a: b }
[data-state=shut] i { a: b }
.modal-title em { a: b }
.gone { a: b }
:root { --x: 1 }
@keyframes spin { to { a: b } }
@keyframes still { to { a: b } }
@font-face { font-family: Inter; src: url(x) }
@font-face { font-family: Spin; src: url(x) }
SHEET
run 0 css unused page.html --css b.css --kept --keep 'js-*' --keep '#dialog-?' --keep '<art*>' --keep '[open]' --keep "[data-*='cl*']" --keep '/^\.MODAL-\w+\b/i'
err_is_empty
kept keep '\.js-x \.y' '--keep js-\*'; kept keep '#dialog-1' '--keep #dialog-?'; kept keep 'article > b' '--keep <art\*>'
kept keep '\[open\] i' '--keep \[open\]'; kept keep '\[data-state=closed\] i' "--keep \\[data-\\*='cl\\*'\\]"
kept keep '\.modal-title em' '--keep /^\\.MODAL-\\w+\\b/i'; gone '\[data-state=shut\] i'; gone '\.gone'
run 0 css unused page.html --css b.css --properties --keep=--x --keep '@keyframes spin' --keep '@font-face Int*'; err_is_empty
out_has '@keyframes .*  still$'; out_has '@font-face .*  Spin$'; ! grep -q -e '--x$\|  spin$\|  Inter$' "$work/out" || complain "a name of --keep is unused"
run 0 css unused page.html --css b.css --keep '@[sS]pin'; err_is_empty; out_has '  still$'; ! grep -q '  [sS]pin$' "$work/out" || complain "@NAME keeps one kind alone"
run 0 css unused page.html --css b.css --keep '.none' --keep '/^\.js/' --keep '@font-face none'
err_has 'warning: --keep: 2 patterns fit nothing in the sheets: .none, @font-face none$'
for pattern in '' . '#' '<' '<p' '[' '[x' '[=x]' @ /; do
    run 2 css unused page.html --css b.css --keep "$pattern"; err_has 'expected'
done
run 1 css unused page.html --css b.css --keep '/(/'; err_has 'a group without its end'
run 1 css unused page.html --css b.css --keep '/^(?!x)/'; err_has 'look-ahead (?= or (?! is not supported'
run 1 css unused page.html --css b.css --keep '/(?<=x)a/'; err_has 'look-behind'
run 1 css unused page.html --css b.css --keep '/x/q'; err_has 'flag "q" is unknown'
run 0 css unused page.html --css b.css --keep "/$(printf '(a*)*%.0s' $(seq 40))b/"

# ---- comments ----
cat > c.css << 'SHEET'
/* purgecss ignore */
.next { a: b }
.gone1 { a: b }
.current { a: b; /*! purgecss ignore current */ }
.gone2 { content: "/* purgecss ignore current */"; background: url(/* purgecss ignore current */) }
/*! purgecss start ignore */
.in { a: b }
@media print { .in, .in2 { a: b } }
@keyframes in { to { a: b } }
/*! purgecss end ignore */
.gone3 { a: b }
/*! uncss:ignore */
@media print { .next2 { a: b } }
.gone4 { a: b }
/* uncss:ignore start */
.in3 { a: b }
/* uncss:ignore end */
.gone5 { a: b }
@media print {
  /* purgecss ignore */
  .next3 { a: b }
  .gone6 { a: b }
  .outer { /* purgecss ignore current */ & b { a: b } }
}
.card { /* purgecss ignore */ & .next4 { a: b } & .gone7 { a: b } }
/* purgecss ignore */
SHEET
run 0 css unused page.html --css c.css --out c.used.css; err_is_empty
for name in next current in in2 in3 next2 next3 outer next4; do grep -q "\.$name[ ,]" c.used.css || complain ".$name is not kept by its comment"; done
grep -q '@keyframes in' c.used.css || complain "keyframes are not kept by a comment"
! grep -q 'gone' c.used.css || complain "a comment keeps too much: $(grep gone c.used.css)"
run 0 css unused page.html --css c.css --kept; kept keep '\.next' 'a comment in the sheet'

# ---- the report has all reasons ----
cat a.css b.css c.css > all.css
run 0 css unused page.html --css all.css --words src --keep 'js-*' --report report.html
for kind in never used word pattern; do grep -q "class=\"r $kind" report.html || complain "no row is \"$kind\""; done
grep -q '<b>Word</b>: title in src/App.jsx:2' report.html || complain "the report names no word"
grep -q '<b>Kept</b>: --keep js-\*' report.html || complain "the report names no pattern"
grep -q '<b>Kept</b>: a comment' report.html || complain "the report names no comment"

exit $failed
