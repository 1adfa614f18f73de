#!/bin/sh
# What a real site does not use of its style sheets: fish's manual, from a Debian package. Long: also Bootstrap under the pages
# of its own examples, which is written without the rest. `heddle` is on the PATH.
set -eu
# shellcheck source=examples/demo/show.sh
. "$(dirname "$0")/show.sh"

unused() { # NAME WORDS ARGUMENTS...
    name=$1 words=$2
    shift 2
    say "$words"
    heddle css unused "$@" --report "$out/css-$name.html" >"$out/css-$name.all" 2>"$out/css-$name.warnings" ||
        { cat "$out/css-$name.warnings"; return 1; }
    { head -n 12 "$out/css-$name.all"; echo ...; tail -n 2 "$out/css-$name.all"; cat "$out/css-$name.warnings"; } >"$out/css-$name.txt"
    rm "$out/css-$name.all" "$out/css-$name.warnings"
    cat "$out/css-$name.txt"
    echo "The page that shows it: $out/css-$name.html"
    show "css-$name.html" "$words What is used, where, and how often."
    show "css-$name.txt" "The first of what is unused, and the sum."
}

manual=/usr/share/doc/fish bootstrap=/usr/share/bootstrap-html/css/bootstrap.css
if [ ! -e "$manual/index.html" ]; then
    echo "This machine has no $manual/index.html, though the package fish-common is installed: documents are left out here."
    exit 0
fi
unused manual "The sheets of fish's manual." "$manual"/*.html
[ "$long" ] && [ -e "$bootstrap" ] || exit 0
unused bootstrap 'Bootstrap under the pages of its own examples.' /usr/share/doc/libjs-bootstrap5/examples/*/index.html \
    --css "$bootstrap" --out "$out/bootstrap.used.css"
show bootstrap.used.css 'Bootstrap without the rules that these pages do not use; its source map is beside it.'
