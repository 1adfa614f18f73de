#!/bin/sh
# sh golden.sh HEDDLE: our own pages and sheets, against what Chromium said of them (golden/*.tsv, written by browser.sh).
heddle=$1
# shellcheck source=pairs.sh
. "$(dirname "$0")/pairs.sh"
for page in elements quirks forms; do
    for sheet in $(sheets_of $page); do
        match "$work/$page.html" "$here/$sheet.css"
        { echo "sheet $sheet"; cat "$work/rules"; echo "winners $(cksum < "$work/winners")"; }
    done > "$work/$page.tsv"
    diff "$here/golden/$page.tsv" "$work/$page.tsv" > "$work/difference" && continue
    complain "$page.html: what Chromium says (<) and what we say (>) differ in $(grep -c '^>' "$work/difference") lines:"
    head -n 20 "$work/difference" >&2
done

# Where the browser does not follow the specifications, what they ask for.
match "$work/elements.html" "$here/disputed.css"
[ "$(cut -f 2,3 "$work/rules" | tr '\t\n' '  ')" = "$(cat "$here/golden/disputed.txt")" ] ||
    complain "disputed.css: $(cut -f 2,3 "$work/rules" | tr '\t\n' '  ')"
exit $failed
