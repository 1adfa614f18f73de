#!/bin/sh
# sh tune_report_browser.sh PAGES: the report in headless Chromium: no word in the console, what was drawn is what the data
# says (tune_report_probe.js), pictures that are not blank, and no scrolling sideways at the width of a phone. With a second argument the pictures stay there.
pages=$1
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    echo "no Chromium here; apt-get install chromium"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
complain() { failed=1; echo "FAILED: $*" >&2; }

# shellcheck disable=SC2086  # options are words
chromium_on() { # OPTIONS PAGE
    "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" --enable-logging=stderr $1 "file://$2" 2>"$work/log"
}

"$pages" "$work" || exit 1
probe=$(dirname "$0")/tune_report_probe.js
for page in "$work"/*.html; do
    name=$(basename "$page" .html)
    [ "$(wc -c < "$page")" -lt 500000 ] || complain "$name.html has $(wc -c < "$page") bytes, at most 500000"
    ! grep -Eq '(src|href)="?https?:' "$page" || complain "$name.html fetches something"

    # What the page looks like to a program: its script has run, and what it drew is what the data says.
    { sed '/^<\/body>/d' "$page"; echo '<script>'; cat "$probe"; echo '</script></body></html>'; } > "$work/$name.probed"
    mv "$work/$name.probed" "$work/$name-probed.html"
    chromium_on "--dump-dom --window-size=1000,800" "$work/$name-probed.html" > "$work/dom"
    ! grep -E 'CONSOLE|Uncaught' "$work/log" || complain "$name.html: the console has something to say"
    grep -q '<pre id="probed">fine</pre>' "$work/dom" || complain "$name.html: $(sed -n 's/.*<pre id="probed">//p' "$work/dom")"
    grep -q '<title>width [0-9]* of [0-9]*</title>' "$work/dom" || complain "$name.html: the script has not run"
done
for name in large small; do
    page=$work/$name.html

    # A frame of the width of a phone: a window of Chromium cannot be that narrow.
    printf '<!doctype html><body style="margin:0"><iframe src="%s" style="border:0;width:360px;height:7000px"
        onload="document.title = this.contentDocument.title"></iframe></body>' "$name-probed.html" > "$work/phone.html"
    chromium_on "--dump-dom --allow-file-access-from-files" "$work/phone.html" > "$work/dom"
    grep -q '<title>width 360 of 360</title>' "$work/dom" || complain "$name.html scrolls sideways: $(grep -o '<title>.*</title>' "$work/dom")"
    chromium_on "--screenshot=$work/$name-phone.png --window-size=500,4000" "$work/phone.html" > /dev/null
    chromium_on "--screenshot=$work/$name-light.png --window-size=1000,3400" "$page" > /dev/null
    chromium_on "--screenshot=$work/$name-dark.png --window-size=1000,3400 --blink-settings=preferredColorScheme=0" "$page" > /dev/null
    for picture in "$work/$name"-*.png; do
        # A blank one of this size takes a few kilobytes.
        [ "$(wc -c < "$picture")" -gt 30000 ] || complain "$(basename "$picture") is blank"
    done
done
[ -z "${2:-}" ] || cp "$work"/*.png "$work"/*.html "$2"
exit $failed
