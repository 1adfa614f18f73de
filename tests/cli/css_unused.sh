#!/bin/sh
# sh css_unused.sh HEDDLE: `heddle css unused`: what no page uses, what --out leaves of a sheet, what stays.
heddle=$1
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
unset HEDDLE_DEVICE
# shellcheck source=css_site.sh
. "$(dirname "$0")/css_site.sh"
mkdir "$site/sub" "$site/css"
out_lacks() { ! grep -q -e "$1" "$work/out" || complain "heddle $words: \"$1\" is on stdout"; }
file_is() { # FILE, with what it has to hold on stdin; never behind a pipe, where a complaint is lost
    cat > "$work/expected"
    cmp -s "$work/expected" "$1" || complain "$1 is another one: $(diff "$work/expected" "$1")"
}
# same_matches PAGE OLD NEW: rules that match have the same counts and hashes in both sheets.
same_matches() {
    for sheet in "$2" "$3"; do
        run 0 css match "$1" "$sheet" --tsv
        awk '$3 > 0 { print $2, $3, $4 }' "$work/out" > "$work/matches.$([ "$sheet" = "$2" ] && echo old || echo new)"
    done
    [ -s "$work/matches.old" ] || complain "nothing of $2 matches"
    cmp -s "$work/matches.old" "$work/matches.new" || complain "$3 matches otherwise than $2"
}

# ---- the pages' own sheets ----
run 0 css unused "$site/page.html"; err_is_empty
out_has 'style> 1 .* rule .*  \.gone$'; out_has '  \.js-open$'; out_has 'selector .*  \.y$'; out_has 'selector .*  \.nowhere$'; out_lacks 'em:hover'
out_has '^5 of 12 rules and 2 selectors of others match nothing on 1 page: 85 of 226 bytes (38 %)$'
run 0 css unused "$site/page.html" --json; out_is_json file line kind bytes selector
run 1 css unused "$site/page.html" --fail-over 84
run 0 css unused "$site/page.html" --fail-over 85
run 1 css unused "$site/page.html" --fail-over 37%
run 0 css unused "$site/page.html" --fail-over 38%
run 2 css unused "$site/page.html" --fail-over few; err_has '4096, or a share such as 20%, found "few"'
run 2 css unused "$site/page.html" --fail-over 101%
run 1 css unused "$site/none.html"; err_has 'none.html'; out_is_empty
echo "<p>" > "$site/no_sheet.html"
run 1 css unused "$site/no_sheet.html"; err_has 'names none of its own'
rm "$site/no_sheet.html"

# ---- contents of templates and declarative shadow roots can appear ----
printf '%s' '<!doctype html><body><ul class=list></ul><template><li class=item><b>1</b></template>' \
    '<p><template shadowrootmode=open><link rel=stylesheet href=shadow.css><u class=inner>2</u></template>' > "$site/sub/template.html"
printf '%s' '.list > .item{a:b}.item b{a:b}ul .item + p{a:b}.gone{a:b}' > "$site/sub/template.css"
printf '%s' '.inner{a:b}.outer{a:b}' > "$site/sub/shadow.css"
run 0 css unused "$site/sub/template.html" --css "$site/sub/template.css"
out_has '\.gone$'; out_lacks 'item b'; out_lacks 'list > .item'
run 0 css unused "$site/sub/template.html"
out_has '\.outer$'; out_lacks 'inner'
rm "$site/sub/template.html" "$site/sub/template.css" "$site/sub/shadow.css"

# ---- each page against its own sheets, each sheet once ----
cp "$site/page.html" "$site/sub/same.html" # a.css is not beside it
echo '<!doctype html><link rel=stylesheet href=/css/c.css><link rel=stylesheet href=../a.css><style>p { color: red } .gone { } em:hover { }</style><i class=unused></i>' > "$site/sub/other.html"
echo 'p { } i { }' > "$site/css/c.css"
run 0 css unused "$site/sub/other.html"; out_has "$site/a.css"; out_lacks '/\.\./'
run 0 css unused "$site/page.html" "$site/sub/other.html"; err_is_empty; out_lacks '  \.unused$'
out_has '5 of 14 rules'; out_has 'css/c\.css  *1  rule  *5  *p$'
run 0 css unused "$site/page.html" "$site/sub/same.html"; [ "$(grep -c 'a\.css?v=1 is not read' "$work/err")" = 1 ] || complain "a missing sheet is not said once"
out_has 'not judged: 1 sheet'
run 0 css unused "$site/sub/same.html" --css "$site/a.css"

# ---- --out, and that it parses to the same used rules ----
run 0 css unused "$site/page.html" --css "$site/a.css" --keep 'js-*' --out "$site/used.css"
file_is "$site/used.css" << 'SHEET'
@import "b.css";
.x { a: b }
#main > p:nth-child(1) { c: d }
@media print { .x { g: h } }
.js-open { i: j }
p:foo { k: l }
SHEET
same_matches "$site/page.html" "$site/a.css" "$site/used.css"
run 0 css unused "$site/page.html" --css "$site/used.css" --keep '.js-?pen'; out_has '^0 of 6 rules and 1 selector '
run 2 css unused "$site/page.html" --out "$site/two.css"; err_has 'name a folder'; [ ! -e "$site/two.css" ] || complain "a file was written"
run 0 css unused "$site/page.html" --out "$site/reduced/"
echo 'em { }' > "$work/text"; file_is "$site/reduced/b.css" < "$work/text"
[ -e "$site/reduced/a.css" ] || complain "a folder has not all sheets"

# ---- what a reader can change ----
echo '<!doctype html><link rel=stylesheet href=reader.css><input placeholder=a class=i><label>x</label><input id=c type=checkbox><p class=l>' > "$site/reader.html"
cat > "$site/reader.css" << 'SHEET'
.i:not(:placeholder-shown) + label { a: 1 }
#c:checked + .l { a: 1 }
SHEET
echo '.l:checked { a: 1 }' | cat "$site/reader.css" - > "$site/reader.all.css"
run 0 css unused "$site/reader.html" --css "$site/reader.all.css" --out "$site/reader.used.css"
file_is "$site/reader.used.css" < "$site/reader.css"

# ---- nested declarations ----
echo '<!doctype html><link rel=stylesheet href=nested.css><p>' > "$site/nested.html"
cat > "$site/nested.css" << 'SHEET'
p { a: b; .no & { c: d } e: f; @media print { .no & { g: h } i: j } k: l }
.gone { & p { m: n } o: p; @media print { q: r } s: t }
p::before { & { u: v } w: x }
SHEET
run 0 css unused "$site/nested.html" --out "$site/nested.used.css"
file_is "$site/nested.used.css" << 'SHEET'
p { a: b; e: f; @media print { i: j } k: l }
p::before { w: x }
SHEET

# ---- names, blocks, layers, comments ----
cat > "$site/names.html" << 'PAGE'
<!doctype html><link rel=stylesheet href=names.css><p style="color: var(--used); animation: fade 1s">
PAGE
cat > "$site/names.css" << 'SHEET'
/* head */
@layer one, two;
@layer one {
  .gone { a: b }
}
@font-face { font-family: "Gone"; src: url(x) } /* goes, too */
@font-face { font-family: Used Font; src: url(x) } /* stays, too */

/* stays */
@keyframes fade { to { color: var(--deep) } }
@keyframes gone { to { a: b } }
:root {
  --used: red;
  --gone: blue; /* a comment */
  --deep: 1;
}
html { --only: 1; }

@media print {
  .gone { a: b }

  @supports (color: red) { .gone { a: b } }
}

@media screen { p { font: 1em used font } .gone { a: b } }
::slotted(b), .gone { a: b }
.gone, p { c: d; & i, & p { a: b } & :not(i) { a: b } }
@nope { x }
SHEET
cp "$site/names.css" "$site/names.old"
run 0 css unused "$site/names.html" --out "$site/used.css" --keep '@no*'
out_has '@layer .*  one$'; out_has '@font-face .*  Gone$'; out_has 'custom property .*  --gone$'; out_lacks 'deep'
file_is "$site/used.css" << 'SHEET'
/* head */
@layer one, two;
@layer one;
@font-face { font-family: Used Font; src: url(x) } /* stays, too */

/* stays */
@keyframes fade { to { color: var(--deep) } }
:root {
  --used: red;
  --gone: blue; /* a comment */
  --deep: 1;
}
html { --only: 1; }

@media screen { p { font: 1em used font } }
::slotted(b) { a: b }
.gone, p { c: d; }
@nope { x }
SHEET
same_matches "$site/names.html" "$site/names.css" "$site/used.css"
run 0 css unused "$site/names.html" --out "$site/used.css" --properties
! grep -q 'gone:\|only' "$site/used.css" || complain "a custom property that nothing uses is left"
grep -q '^  --deep: 1;$' "$site/used.css" || complain "a custom property that keyframes use is gone"
run 0 css unused "$site/names.html" --out "$site/used.css" --properties --keep='--g*' --keep '@go*'
grep -q -e '--gone' "$site/used.css" || complain "--keep did not keep a property"
grep -q 'keyframes gone' "$site/used.css" || complain "--keep did not keep keyframes"
cmp -s "$site/names.css" "$site/names.old" || complain "the sheet itself was changed"
printf 'i{}p{a:b}i{}b,p,i{c:d;--x:1}@media print{i{}}p{& i{}}' > "$site/names.css"
run 0 css unused "$site/names.html" --out "$site/used.css" --properties
printf 'p{a:b}p{c:d;}' > "$work/text"; file_is "$site/used.css" < "$work/text"

# ---- at-rules that are not judged by a name, whatever stands behind the at-keyword: they stay ----
cat > "$site/names.css" << 'SHEET'
@page wide { margin: 1cm }
@page :first { margin: 1cm }
@counter-style decimal { system: cyclic; symbols: "x" }
@font-feature-values Nobody, "No Body" { @styleset { a: 1 } }
@color-profile --nobody { src: url(x) }
@function --nobody() { result: 1 }
@name word { a: b }
@name "a word" { a: b }
@layer 1 { .gone { a: b } }
@media print { @page inner { margin: 0 } .gone { a: b } @name word; }
.gone { a: b }
SHEET
sed -e '/^\.gone/d' -e 's/ \.gone { a: b } @name/ @name/' "$site/names.css" > "$work/others.css"
run 0 css unused "$site/names.html" --out "$site/used.css" --properties --report "$site/others.html"; err_is_empty
file_is "$site/used.css" < "$work/others.css"
out_lacks 'word\|nobody\|wide'
[ "$(grep -c 'Nothing names it' "$site/others.html")" = 0 ] || complain "the report judges at-rules that have no name"
run 0 css unused "$site/names.html" --json; out_is_json file line kind bytes selector

# ---- at-rules that are used by their names alone ----
cat > "$site/names.css" << 'SHEET'
p { list-style: x; font-palette: --some; position-try-fallbacks: --some; font: 1em Somebody }
@counter-style x { system: extends y }
@counter-style y { system: cyclic; symbols: "x" }
@counter-style gone { system: cyclic; symbols: "x" }
@font-feature-values Somebody { @styleset { a: 1 } }
@font-feature-values Nobody { @styleset { a: 1 } }
@font-palette-values --some { font-family: Somebody }
@font-palette-values --gone { font-family: Somebody }
@position-try --some { top: 0 }
@position-try --gone { top: 0 }
SHEET
grep -v 'gone\|Nobody' "$site/names.css" > "$work/others.css"
run 0 css unused "$site/names.html" --out "$site/used.css"; err_is_empty
file_is "$site/used.css" < "$work/others.css"
out_has '@counter-style .* gone'; out_has '@font-feature-values .* Nobody'; out_has '@font-palette-values .* --gone'; out_has '@position-try .* --gone'
# a custom property alone in a condition inside of a rule keeps the condition
printf 'p{color:var(--x);--x:red;@media print{--x:blue}}b{@media print{--x:blue}}' > "$site/names.css"
run 0 css unused "$site/names.html" --out "$site/used.css"
printf 'p{color:var(--x);--x:red;@media print{--x:blue}}' > "$work/text"; file_is "$site/used.css" < "$work/text"

# ---- conditions inside of rules ----
cat > "$site/names.css" << 'SHEET'
p {
  @media (min-width: 40em) {
    padding: 2px;
    &:hover { a: b }
    & i { a: b }
  }
  @media print { & i { a: b } }
  @supports (color: red) { margin: 0 }
}
.gone { @media print { a: b } }
SHEET
run 0 css unused "$site/names.html" --out "$site/used.css"
file_is "$site/used.css" << 'SHEET'
p {
  @media (min-width: 40em) {
    padding: 2px;
    &:hover { a: b }
  }
  @supports (color: red) { margin: 0 }
}
SHEET
same_matches "$site/names.html" "$site/names.css" "$site/used.css"

# ---- source maps: three rules in a line, of the lines 1 to 3 of a source; then one in the middle of a line ----
map='{"version":3,"sources":["a.scss"],"names":[],"mappings":"AAAA,GACA,GACA;AACA"}'
echo '<!doctype html><p class=x>' > "$site/map.html"
printf 'a{}b{}p{}\n.x{}/*# sourceMappingURL=m.css.map */\n' > "$site/m.css"
echo "$map" > "$site/m.css.map"
run 0 css unused "$site/map.html" --css "$site/m.css" --out "$site/m.used.css"; err_is_empty
printf 'p{}\n.x{}/*# sourceMappingURL=m.used.css.map */\n' > "$work/text"; file_is "$site/m.used.css" < "$work/text"
printf '{"version":3,"sources":["a.scss"],"names":[],"mappings":"AAEA;AACA","file":"m.used.css"}' > "$work/text"; file_is "$site/m.used.css.map" < "$work/text"
mkdir "$site/far"
run 0 css unused "$site/map.html" --css "$site/m.css" --out "$site/far/"; err_is_empty
grep -q '"sourceRoot":"../"' "$site/far/m.css.map" || complain "sources are not found from the map's new folder"
printf '.x{a:b}b{}.x,b{c:\360\237\230\200}.x{}/*# sourceMappingURL=data:application/json;base64,%s */' "$(printf %s "$map" | sed 's/AAAA.*"/AAAA,OACA,GACA,SACA,QACA"/' | base64 -w 0)" > "$site/m.css"
run 0 css unused "$site/map.html" --css "$site/m.css" --out "$site/m.used.css"; err_is_empty
sed 's/.*base64,\([^ ]*\) .*/\1/' "$site/m.used.css" | base64 -d | grep -q '"mappings":"AAAA,OAEA,OACA,QACA"' || complain "other places in a map that is in its sheet"
sed 's/AAAA/!!!/' "$site/m.used.css.map" > "$site/m.css.map"
printf 'a{}p{}/*# sourceMappingURL=m.css.map */' > "$site/m.css"
for damage in '{"version":3,"mappings":"A!AA"}' '{"version":3,"mappings":"AA"}' '{"version":3,"mappings":"CAAA,DAAA"}' '{"version":3,"mappings":"DAAA"}' \
    '{"version":3,"mappings":"ggggggggggggA"}' '{"version":3,"sections":[]}' '{"version":2,"mappings":""}' '[]' 'x'; do
    echo "$damage" > "$site/m.css.map"
    run 0 css unused "$site/map.html" --css "$site/m.css" --out "$site/m.used.css"; err_has 'its source map m.css.map is left out of'
    printf 'p{}' > "$work/text"; file_is "$site/m.used.css" < "$work/text"
done
rm "$site/m.css.map"
run 0 css unused "$site/map.html" --css "$site/m.css" --out "$site/m.used.css"; err_has 'its source map m.css.map is left out of'

# ---- a map whose address has 4,800 characters; one that is longer than a path is named as a whole ----
echo "$map" > "$site/m.css.map"
printf 'a{}b{}p{}\n.x{}/*# sourceMappingURL=%sm.css.map */\n' "$(printf './%.0s' $(seq 2400))" > "$site/m.css"
run 0 css unused "$site/map.html" --css "$site/m.css" --out "$site/m.used.css"; err_is_empty
printf '{"version":3,"sources":["a.scss"],"names":[],"mappings":"AAEA;AACA","file":"m.used.css"}' > "$work/text"; file_is "$site/m.used.css.map" < "$work/text"
printf 'a{}/*# sourceMappingURL=%sx.map */\n' "$(printf 'dddddddd/%.0s' $(seq 600))" > "$site/m.css"
run 0 css unused "$site/map.html" --css "$site/m.css" --out "$site/m.used.css"; err_has 'its source map .*dddd/x.map is left out of'
rm "$site/m.css.map"

# ---- a folder of results, and pages in folders, whose paths are longer than the system's: refused, with the number ----
long=$(printf '/%.0s' $(seq 4090))
run 1 css unused "$site/map.html" --css "$site/m.css" --out "$site$long"; err_has "the path of a sheet there has [0-9]* bytes; expected at most 4095"
mkdir "$site/wide"
(
    cd "$site/wide" || exit 1
    for i in $(seq 18); do mkdir "$i$(head -c 220 /dev/zero | tr '\0' w)" && cd "$i$(head -c 220 /dev/zero | tr '\0' w)" || exit 1; done
    name=$(head -c 240 /dev/zero | tr '\0' p).html
    echo '<p class=x>' > "$name"
)
run 1 css unused "$site/wide" --css "$site/m.css"; err_has 'a path has 4[0-9]* bytes; expected at most 4095'
rm -rf "$site/wide"

# ---- names are not judged if a sheet is missing, and the report does not call them used; its sheets are in the order of their unused bytes ----
printf '<!doctype html><link rel=stylesheet href=absent.css><style>p { top: 0 }</style><style>@keyframes spin { to { top: 0 } } .gone { top: 0 }</style><p>' > "$site/missing.html"
run 0 css unused "$site/missing.html" --report "$site/missing.report.html"
grep -q '@keyframes spin.*<b>Not judged</b>: a sheet of the pages could not be read' "$site/missing.report.html" || complain "the report judges keyframes without a sheet that may name them"
! grep -q 'Used</b> by name' "$site/missing.report.html" || complain "the report calls a name used that was not judged"
[ "$(grep -o '<tr><td><a href="#s[0-9]*' "$site/missing.report.html" | grep -o '[0-9]*$' | tr '\n' ' ')" = '1 0 ' ] || complain "the report's sheets are not in the order of their unused bytes"

# ---- the report: hostile texts stay texts, the script is the one that the page allows ----
cat > "$site/hostile.html" << 'PAGE'
<!doctype html><link rel=stylesheet href="hostile'&.css"><p id="</code><script>alert(1)</script>" class="<b>"><i>
PAGE
cat > "$site/hostile'&.css" << 'SHEET'
/* </pre></div><script>alert(2)</script> @BODY@ &amp; */
p, [x="</pre><img src=x onerror=alert(3)>"], :nope("</p><script>") { content: "</style><script>" }
p { --\3c script\3e: "'&quot;" }
</pre><script>alert(4)</script> { }
@layer <script> { i { } }
@media print { i:hover { } b { } i::after { } }
.js-x { }
SHEET
run 0 css unused "$site/hostile.html" --report "$site/report.html" --keep 'js-*'
page=$site/report.html
[ "$(grep -c '<script' "$page")" = 1 ] || complain "a script of the sheet is in the report"
! grep -q '<img\|<b>"\|onerror=alert(3)>' "$page" || complain "an element of the sheet is in the report"
grep -q '&lt;/pre&gt;&lt;script&gt;alert(4)' "$page" || complain "the sheet's text is not in the report"
grep -q '@BODY@ &amp;amp;' "$page" || complain "text of the sheet was replaced"
grep -q 'href="hostile%27%26.css"' "$page" || complain "the link to the sheet is another one"
! grep -q 'unchanged since\|since the last commit' "$page" || complain "a sheet outside of a repository has a history"
if command -v git > /dev/null; then
    mkdir "$site/repository"
    printf '<!doctype html><link rel=stylesheet href=a.css><p>' > "$site/repository/p.html"
    printf '.one { top: 0 }\np { top: 0 }\n.three { top: 0 } .four { top: 0 }\n' > "$site/repository/a.css"
    (
        cd "$site/repository" || exit 1
        export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_DATE='2001-02-03T04:05:06+0000' GIT_COMMITTER_DATE='2001-02-03T04:05:06+0000'
        git init -q && git add . && git -c user.name=a -c user.email=a@example.org commit -qm 'One & <two>'
    ) || complain "git makes no repository"
    echo '.two { top: 0 }' >> "$site/repository/a.css"
    run 0 css unused "$site/repository/p.html" --report "$site/history.html"
    grep -q 'Matches nothing</b>; unchanged since <time>2001-02-03</time>, <code>[0-9a-f]\{9\}</code> One &amp; &lt;two&gt;' "$site/history.html" || complain "the report lacks the last change of .one"
    grep -q 'Matches nothing</b>; changed since the last commit' "$site/history.html" || complain "the report lacks the change of .two"
    [ "$(grep -c 'Matches nothing</b>; its line, with other rules, changed last on <time>2001-02-03' "$site/history.html")" = 2 ] ||
        complain "the report takes the date of a shared line for the date of .three and .four"
fi
for kind in never used state pattern open; do grep -q "class=\"r $kind" "$page" || complain "no row is \"$kind\""; done
! grep -q 'https\?://' "$page" || complain "the report needs a network"
if command -v python3 > /dev/null; then
    python3 - "$page" << 'CHECK' || complain "the report's script has another hash than its policy allows"
import base64, hashlib, re, sys
page = open(sys.argv[1]).read()
script = re.search('<script>(.*?)</script>', page, re.S).group(1)
sys.exit(f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" not in page)
CHECK
fi
# ---- sheets that import each other ----
mkdir "$site/ring"
echo '<!doctype html><link rel=stylesheet href=a.css><p class=a>' > "$site/ring/page.html"
echo '@import "b.css"; @import "a.css"; .a { a: b }' > "$site/ring/a.css"
echo '@import "a.css"; .b { a: b }' > "$site/ring/b.css"
run 0 css unused "$site/ring"; err_is_empty; out_has '\.b$'; out_has '^1 of 2 rules'

# ---- a chain of imports, longer than a stack holds calls ----
mkdir "$site/chain"
echo '<!doctype html><link rel=stylesheet href=s0.css><p class=last>' > "$site/chain/page.html"
awk -v to="$site/chain/s" 'BEGIN { for (i = 0; i < 3000; i++) { file = to i ".css"; print "@import \"s" i + 1 ".css\"; p { a: b }" > file; close(file) } print ".last { a: b } .gone { a: b }" > (to i ".css") }'
run 0 css unused "$site/chain"; err_is_empty; out_has '/s3000\.css .*\.gone$'; out_has '^1 of 3002 rules'

# ---- names and paths of any length that a file can have: a sheet and its import in a folder of 3,000 characters, an element of 2,000 ----
deep=$site
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do deep=$deep/$i$(head -c 190 /dev/zero | tr '\0' d); done
name=x-$(head -c 2000 /dev/zero | tr '\0' e)
mkdir -p "$deep"
echo "<link rel=stylesheet href=own.css><$name>x</$name><${name}b>y</${name}b>" > "$deep/page.html"
echo "@import \"more.css\"; $name { color: red } ${name}b { color: red } ${name}c { color: red }" > "$deep/own.css"
echo '.more { top: 0 }' > "$deep/more.css"
run 0 css match "$deep/page.html" --json; err_is_empty; out_has '"elements": 1'
[ "$(grep -c '"elements": 1' "$work/out")" = 2 ] || complain "not two of the three elements match"
grep -q 'more' "$work/out" || complain "the import was not read"

# ---- selectors are printed as a whole: of 900 characters each ----
long=$(printf '.n%.0s' $(seq 450))
echo "$long{} $long:hover{} p$long, a$long{}" > "$site/long.css"
for form in "css unused $site/map.html --css $site/long.css --json" "css match $site/map.html $site/long.css --json"; do
    # shellcheck disable=SC2086 # words
    run 0 $form; out_has "\"$long\""; out_has "\"$long:hover\""; out_has "a$long\""
done

# ---- Ctrl-C in the middle: the report of what was read, and no sheet. A pipe holds the second page back. ----
mkfifo "$site/pipe.html"
"$heddle" css unused "$site/page.html" "$site/pipe.html" "$site/page.html" --report "$site/cut.html" --out "$site/cut/" > "$work/out" 2> "$work/err" < /dev/null &
words='interrupted' pid=$!
hold "$site/pipe.html"
kill -INT "$pid"
echo '<p>' >&9
exec 9>&-
code=0
wait "$pid" || code=$?
[ "$code" = 130 ] || complain "interrupted: exit code $code"
err_has 'interrupted after 2 of 3 pages: .* --out is not written'
grep -q 'Interrupted: 2 of 3' "$site/cut.html" || complain "the report does not say that it was interrupted"
[ ! -e "$site/cut" ] || complain "--out was written although pages are missing"

run 1 css unused "$site/page.html" --report "$site/none/report.html"; err_has 'none/report.html'

# ---- standard input: a page, a sheet, a list of texts ----
given() { # CODE TEXT ARGUMENTS...: the text is on standard input
    expected=$1; text=$2; shift 2; words=$*; code=0
    printf '%s' "$text" | "$heddle" "$@" > "$work/out" 2> "$work/err" || code=$?
    [ "$code" = "$expected" ] || complain "heddle $words: exit code $code instead of $expected"
}
input=$work/input
mkdir "$input" && cd "$input" || exit 1
echo '.a {} .b {}' > app.css
echo '<p class=a>' > page.html
given 0 '<p class=a>' css unused - --css app.css --out used.css; err_is_empty; [ "$(cat used.css)" = '.a {}' ] || complain "a page on standard input: $(cat used.css)"
given 0 '.a {} .c {}' css unused page.html --css - --out used.css; err_is_empty; [ "$(cat used.css)" = '.a {}' ] || complain "a sheet on standard input: $(cat used.css)"
given 0 '<p class=a><p class=a>' css match - app.css --tsv; err_is_empty; [ "$(cut -f 3 "$work/out" | tr '\n' ' ')" = '2 0 ' ] || complain 'match -'
given 0 '.c' css unused page.html --css app.css --words - ; out_has '\.b$'
given 1 '' css unused - --css app.css; out_is_empty; err_has '^heddle: -: page has no element'
list='{"pages": [{"name": "i.html", "text": "<p class=a>"}, "page.html"], "sheets": ["app.css", {"name": "x.css", "text": ".a {} .w {} .j {} i {}"}],
  "words": [{"name": "w.js", "text": "w"}], "keep": ["j"], "properties": true}'
given 0 "$list" css unused --json -; err_is_empty
python3 - "$work/out" << 'PYTHON' || complain 'the answer to a list'
import json, sys
answer = json.load(open(sys.argv[1]))
assert [(s['name'], s['text']) for s in answer['sheets']] == [('app.css', '.a {}\n'), ('x.css', '.a {} .w {} .j {}')], answer
assert [(r['file'], r['selector']) for r in answer['removed']] == [('app.css', '.b'), ('x.css', 'i')], answer
assert [(k['reason'], k['from']) for k in answer['sheets'][1]['kept']] == [('element', 'p.a in i.html:1'), ('word', 'w in w.js:1'), ('keep', 'keep j')], answer
PYTHON
given 1 "$list" css unused -; out_is_empty; err_has 'expected --json'
given 1 '{"pages": [{"name": "i.html"}]}' css unused --json -; out_is_empty; err_has 'standard input:1'
given 1 '{"sheet": []}' css unused --json -; err_has 'sheet: unknown key'
given 1 '{"pages": ["none.html"], "sheets": ["app.css"]}' css unused --json -; out_is_empty; err_has 'none.html'
given 1 '{"pages": [{"name": "a", "text": "\u0001"}], "sheets": ["app.css"]}' css unused --json -; out_is_empty; err_has 'a: file is binary'

exit $failed
