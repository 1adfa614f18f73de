#!/bin/sh
# sh ask.sh PAGE SHEET...: what headless Chromium makes of style sheets on a page (oracle.js says in which lines).
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
page=$1
shift
{
    printf '<!doctype html><meta charset=utf-8><script id=sheets type=application/json>['
    comma=
    for sheet; do printf '%s"%s"' "$comma" "$sheet"; comma=,; done
    printf ']</script><pre id=answers></pre><script>'
    cat "$(dirname "$0")/oracle.js"
    printf '</script><iframe sandbox=allow-same-origin width=1920 height=1080 src="file://%s"></iframe>' "$page"
} > "$work/ask.html"
"$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --allow-file-access-from-files --proxy-server=127.0.0.1:9 \
    --dump-dom "file://$work/ask.html" 2> "$work/log" |
    sed -n '/<pre id="answers">/,/<\/pre>/p' | sed 's/.*<pre id="answers">//; s/<\/pre>.*//; s/&lt;/</g; s/&gt;/>/g; s/&nbsp;/\xc2\xa0/g; s/&amp;/\&/g' > "$work/answers"
cat "$work/answers"
tail -n 1 "$work/answers" | grep -q '^end$' || { grep CONSOLE "$work/log" | tail -n 5 >&2; tail -n 3 "$work/answers" >&2; exit 1; }
