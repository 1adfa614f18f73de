#!/bin/sh
# shellcheck disable=SC2034,SC2154  # `heddle` is of the script that reads this, `failed` for it
# What golden.sh and browser.sh share: which of our own sheets are matched against which page.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
complain() { failed=1; echo "FAILED: $*" >&2; }
grep -v '^<!doctype' "$here/elements.html" > "$work/quirks.html" # the same page in quirks mode
cp "$here/elements.html" "$here/forms.html" "$work"
sheets_of() { # PAGE
    case $1 in
        elements) echo selectors states invalid nesting namespaces default_namespace ;;
        quirks) echo selectors nesting namespaces ;;
        forms) echo states selectors ;;
    esac
}

# What the command says of a sheet on a page, in the files rules and winners.
match() { # PAGE SHEET
    "$heddle" css match "$1" "$2" --tsv > "$work/rules" && "$heddle" css match "$1" "$2" --winners > "$work/winners" ||
        complain "heddle css match $1 $2"
}
