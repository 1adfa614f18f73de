#!/bin/sh
# sh css.sh HEDDLE: `heddle css` as a user runs it: a page with sheets of its own, given sheets, wrong inputs.
heddle=$1
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
unset HEDDLE_DEVICE
# shellcheck source=css_site.sh
. "$(dirname "$0")/css_site.sh"

run 2 css; out_is_empty; err_has 'unused'
run 1 css match "$site/none.html"; out_is_empty; err_has 'none.html'
echo "<p>" > "$site/no_sheet.html"
run 1 css match "$site/no_sheet.html"; out_is_empty; err_has 'names none of its own'
run 1 css match "$site/b.css"; out_is_empty; err_has 'b.css: file is a style sheet'

# ---- match: rules of the page's own sheets in order, imported ones where they are imported ----
run 0 css match "$site/page.html" --tsv; err_is_empty
[ "$(wc -l < "$work/out")" = 12 ] || complain "not 12 rules"
[ "$(cut -f 2 "$work/out" | tr -d '\n')" = MMMMMMMMMEMM ] || complain "another list of valid rules"
[ "$(cut -f 3 "$work/out" | tr '\n' ' ')" = '2 0 0 1 1 1 0 1 0 0 0 0 ' ] || complain "other counts"
cp "$work/out" "$work/match.tsv"
run 0 css match "$site/page.html" --tsv --device host; err_is_empty
cmp -s "$work/out" "$work/match.tsv" || complain "--device host matches something else"
head -n 2 "$work/out" | tail -n 1 | grep -q '811c9dc5$' || complain "the hash of nothing is not the basis"
run 0 css match "$site/page.html" "$site/a.css" --json; out_is_json rule status elements hash file line selector reason
run 0 css match "$site/page.html" "$site/a.css"; out_has 'p:foo  *expected a pseudo-class, found "foo"'
run 0 css match "$site/page.html" --winners; [ "$(wc -l < "$work/out")" = 10 ] || complain "not 10 elements"

# ---- the cascade of a property ----
cat > "$site/cascade.html" << 'PAGE'
<!doctype html>
<title>t</title>

<style>
@import "b.css" layer(base);
p { color: red; margin: 0 }
@media print { p { color: black } }
#i { color: blue !important }
</style>
<body><p id=i>1<p style="color: green">2<p>3<em>4</em>
PAGE
run 0 css match "$site/cascade.html" --property color --tsv; err_is_empty
[ "$(cut -f 2 "$work/out" | tr '\n' ' ')" = '- - - - - 3 style 1 - ' ] || complain "other winners of color"
run 0 css match "$site/cascade.html" --property margin-left; out_has '^rule  *1  *3  .*cascade.html  *6  p$'
run 0 css match "$site/cascade.html" --property color --json; out_is_json winner rule elements file line selector
run 0 css match "$site/cascade.html" --property=--gap --tsv; err_is_empty
run 2 css match "$site/cascade.html" --property margin; out_is_empty; err_has 'ask for one of margin-top'
run 2 css match "$site/cascade.html" --property colour; out_is_empty; err_has '"colour" is no property'

# ---- an imported sheet imports beside itself ----
mkdir "$site/sub"
echo '@import "inner.css"; p { top: 0 }' > "$site/sub/outer.css"
echo 'p { left: 0 }' > "$site/sub/inner.css"
echo '@import "sub/outer.css"; p { right: 0 }' > "$site/outermost.css"
run 0 css match "$site/page.html" "$site/outermost.css" --json; err_is_empty
for file in sub/inner.css sub/outer.css outermost.css; do grep -q "\"file\": \".*$file\"" "$work/out" || complain "no rule of $file"; done

# ---- explain ----
run 0 css explain "$site/cascade.html" '#i'; err_is_empty; out_has '^p#i, line 10 of '; out_has '^beaten .*color: red .*cascade.html:6  *p  *overridden by cascade.html:8 #i: is !important$'
out_has '^wins  *color: blue !important  *1,0,0 .*:8  *#i$'; out_has '^condition fails  *color: black .*@media print .*:7 .* condition does not hold: @media print$'
run 0 css explain "$site/cascade.html" p --nth 2; out_has '^wins  *color: green  *style'
run 0 css explain "$site/cascade.html" p; err_has '3 elements match p; this is the first, --nth 2'
run 0 css explain "$site/cascade.html" em; out_has '^no declarations .*base .*b.css:1  *em, .nowhere$'
run 0 css explain "$site/cascade.html" "$site/a.css" em --json; out_is_json element result property value important sets wins rule specificity layer condition file line selector why
run 0 css explain "$site/cascade.html" title; out_has ': nothing matches it$'
run 2 css explain "$site/cascade.html" q; out_is_empty; err_has 'none of 9 elements matches q'
run 2 css explain "$site/cascade.html" p --nth 4; out_is_empty; err_has '--nth 4: 3 elements of .*cascade.html match p'
run 2 css explain "$site/cascade.html" 'p:foo'; out_is_empty; err_has 'no selector: expected a pseudo-class'
run 2 css explain "$site/cascade.html"; out_is_empty; err_has 'SELECTOR is missing'

# ---- explain: one sentence for each declaration that does nothing ----
cat > "$site/why.html" << 'PAGE'
<!doctype html><title>t</title>
<style>
@layer base, top;
@layer base { p { color: red; margin: 1px 2px } }
@layer top { p { color: blue } }
p { display: flexx; width: 10; colr: red; transform: rotate(45); -moz-user-select: none; top: 1px; top: 2px }
p.a { border: 1px sold red; margin-left: 3px; padding-inline-start: 1px }
p { margin-left: 4px; padding-left: 2px }
p:hover { left: 0 }
@media (width < 600px) { p { right: 0 } }
@media (prefers-color-scheme: dark) { p { bottom: 0 } }
@container card (width > 300px) { p { gap: 1px } }
</style>
<body><p class=a dir=rtl>1
PAGE
run 0 css explain "$site/why.html" p; err_is_empty
out_has 'color: red .* overridden by why.html:5 p: layer top is stronger than layer base$'
out_has 'margin: 1px 2px .* in part overridden by why.html:7 p.a: a rule outside of layers is stronger than layer base$'
out_has '^no value of it  *display: flexx .* invalid at "flexx": expected .*; did you mean flex?$'
out_has 'width: 10 .* invalid at "10": a number without a unit; expected <length-percentage '
out_has 'colr: red .* unknown property; did you mean color?$'
out_has '.moz-user-select: none .* unknown property; did you mean user-select?$'
out_has 'transform: rotate(45) .* invalid at "45": a number without a unit; expected <angle> or 0$'
out_has 'top: 1px .* overridden by why.html:6 p: a later declaration of the same rule$'
out_has 'border: 1px sold red .* invalid at "sold": expected .*; did you mean solid?$'
out_has '^beaten  *margin-left: 4px .* overridden by why.html:7 p.a: specificity 0,1,1 is above 0,0,1$'
out_has 'right: 0 .* condition does not hold: @media (width < 600px)$'
if grep -q 'left: 0\|gap' "$work/out"; then complain "a state or a container without a size"; fi
run 0 css explain "$site/why.html" p --width 480 --dark --hover --container card=400x300; err_is_empty
out_has '^wins  *right: 0'; out_has '^wins  *bottom: 0'; out_has '^wins  *left: 0'; out_has '^wins  *gap: 1px'
run 0 css explain "$site/why.html" p --container card=200x300; out_has 'gap: 1px .* condition does not hold: @container card (width > 300px)$'
run 0 css match "$site/why.html" --property right --width 599 --tsv; tail -n 1 "$work/out" | grep -q '[0-9]$' || complain "no winner in a narrow viewport"
run 0 css match "$site/why.html" --property left --hover --tsv; tail -n 1 "$work/out" | grep -q '[0-9]$' || complain "no winner under the pointer"
run 2 css explain "$site/why.html" p --container 4; out_is_empty; err_has 'WIDTHxHEIGHT'

# ---- logical and physical properties are one: in a paragraph from right to left, the padding at its start is the right one ----
[ "$("$heddle" css match "$site/why.html" --property padding-right --tsv | tail -n 1 | cut -f 2)" != - ] || complain "padding-right is not padding-inline-start"
[ "$("$heddle" css match "$site/why.html" --property padding-left --tsv | tail -n 1 | cut -f 2)" = "$("$heddle" css match "$site/why.html" --property padding-inline-end --tsv | tail -n 1 | cut -f 2)" ] ||
    complain "padding-left and padding-inline-end differ"

# ---- cost: no figure is asserted; the browser has the page's own sheets; what is listed saves more than the noise ----
run 0 css cost "$site/page.html" --css "$site/a.css" --seconds 0.2; err_is_empty; out_has '^11 selectors, 10 elements on 1 page, one core: bind [0-9.]* us, pass [0-9.]* us; '
run 2 css cost "$site/page.html" --css "$site/a.css" --browser; out_is_empty; err_has 'the browser uses the page.s own sheets'
run 0 css cost "$site/page.html" --seconds 0.2 --json; [ "$(head -c 1 "$work/out")" = "[" ] || complain "no JSON array"
run 1 css cost "$site/none.html"; err_has 'none.html'

# ---- what is no sheet, and what is no page ----
head -c 200000 /dev/zero | tr '\0' '(' > "$site/deep.css"
run 0 css match "$site/page.html" "$site/deep.css"
{ printf 'x\001'; head -c 20000 /dev/urandom; } > "$site/noise.html" # noise alone may begin with a tag or a byte-order mark
run 1 css match "$site/noise.html" "$site/a.css"; out_is_empty; err_has 'noise.html: file is binary'

# ---- bench ----

run 0 css bench --device host --case "page of 300" --json; out_is_json suite name value unit
run 0 css bench --device host --case "page of 300"; out_has 'page of 300: pass'

exit $failed
