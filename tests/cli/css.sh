#!/bin/sh
# sh css.sh HEDDLE: `heddle css` as a user runs it: a page with sheets of its own, given sheets, wrong inputs.
heddle=$1
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
unset HEDDLE_DEVICE
site=$work/site
mkdir "$site"
cat > "$site/page.html" << 'PAGE'
<!doctype html><title>t</title><style>p { color: red } .gone { } em:hover { }</style><link rel=stylesheet href=a.css?v=1>
<body><p class=x>1<em>2</em><div id=main><p>3</div>
PAGE
cat > "$site/a.css" << 'SHEET'
@import "b.css";
.x, .y { a: b }
#main > p:nth-child(1) { c: d }
.unused { e: f }
@media print { .x { g: h } }
.js-open { i: j }
p:foo { k: l }
.z { m: n; & p { o: p } }
SHEET
echo 'em, .nowhere { }' > "$site/b.css"

run 2 css; out_is_empty; err_has 'unused'
run 1 css match "$site/none.html"; out_is_empty; err_has 'none.html'
run 1 css match "$site/b.css"; out_is_empty; err_has 'names none of its own'

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

# ---- what is no sheet, and what is no page ----
head -c 200000 /dev/zero | tr '\0' '(' > "$site/deep.css"
run 0 css match "$site/page.html" "$site/deep.css"
head -c 20000 /dev/urandom > "$site/noise.html"
run 0 css match "$site/noise.html" "$site/a.css"

exit $failed
