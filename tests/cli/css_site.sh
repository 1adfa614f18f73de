#!/bin/sh
# shellcheck disable=SC2154  # `work` comes from checks.sh
# A site of one page, whose sheets are its own, a.css and what that imports. Sourced behind checks.sh.
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
