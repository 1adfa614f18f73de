#!/bin/sh
# sh css_record.sh HEDDLE: pages recorded by Chromium while a script uses them: what exists for a moment, in closed shadow
# roots and behind links is in the recording; a failing script and an address without a server are told.
heddle=$1
command -v chromium chromium-browser google-chrome >/dev/null || { echo "no chromium here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
site=$(dirname "$0")/css_record
failed=0
complain() { failed=1; echo "FAILED: $*" >&2; }
holds() { for word in "$@"; do grep -qF "$word" "$work/r.json" || complain "the recording has no $word"; done; }

"$heddle" css record "$site/index.html" -o "$work/r.json" --drive "$site/steps.js" >"$work/out" 2>"$work/log" ||
    complain "exit $?: $(cat "$work/log")"
grep -q '2 pages, .* different elements in .* trees, [23] sheets' "$work/out" || complain "$(cat "$work/out")"
holds '"item new"' '"flash"' '"passing"' '"later"' '"inner"' '"two"' '["data-name","Ada"]' '.inner { color: green }' '.item { color: red }'
grep -q '"three"' "$work/r.json" && complain "a page that nobody opened"
"$heddle" css unused "$work/r.json" --json >"$work/out" 2>"$work/log" || complain "unused: exit $?: $(cat "$work/log")"
[ "$(grep -c '"selector"' "$work/out")" = 1 ] || complain "unused: not one rule: $(cat "$work/out")"
grep -q '"selector": ".never"' "$work/out" || complain "unused: $(cat "$work/out")"

"$heddle" css record "$site/index.html" -o "$work/r.json" --crawl --json >"$work/out" 2>"$work/log" || complain "exit $?: $(cat "$work/log")"
grep -q '"pages": 3' "$work/out" || complain "a crawl of three pages: $(cat "$work/out")"
holds '"two"' '"three"'

# methods of the language that a page replaces, controls with the names of a form's members, half of a letter
"$heddle" css record "$site/odd/index.html" -o "$work/r.json" --headless >"$work/out" 2>"$work/log" || complain "exit $?: $(cat "$work/log")"
holds '"named"' '"renamed"' 'alone'

# sheets of a page and of a closed shadow tree, each matched in its own tree
cat >"$work/host.html" <<'HTML'
<!doctype html><style>.page { top: 0 } .inner { top: 1px }</style><p class=page>1</p><my-a></my-a>
<script>
customElements.define('my-a', class extends HTMLElement {
  connectedCallback() {
    this.attachShadow({mode: 'closed'}).innerHTML =
      '<style>.inner { left: 0 } .page { left: 1px } :host(my-a) { left: 2px } :host(.no) { left: 3px }</style><b class=inner>1</b>';
  }
});
</script>
HTML
"$heddle" css record "$work/host.html" -o "$work/h.json" --headless >"$work/out" 2>"$work/log" || complain "exit $?: $(cat "$work/log")"
"$heddle" css unused "$work/h.json" >"$work/out" 2>"$work/log" || complain "unused: exit $?: $(cat "$work/log")"
[ "$(awk '/ rule / { print $NF }' "$work/out" | LC_ALL=C sort | tr '\n' ' ')" = ".inner .page :host(.no) " ] ||
    complain "sheets in their trees: $(cat "$work/out")"

# constructed sheets, which one tree, several or the page have adopted, and one that no tree has any more
cat >"$work/adopted.html" <<'HTML'
<!doctype html><p class=page></p><my-a></my-a><my-b></my-b><my-c></my-c>
<script>
const sheet = text => { const made = new CSSStyleSheet(); made.replaceSync(text); return made; };
const one = sheet('.inner { top: 1px } .page { top: 2px } .other { top: 3px }');
const two = sheet('.inner { top: 40px } .other { top: 50px } .page { top: 60px }');
const page = sheet('.page { top: 700px } .inner { top: 800px }');
const former = sheet('.inner { top: 9000px } .page { top: 1000px }');
function element(name, mode, text, adopt) {
  customElements.define(name, class extends HTMLElement {
    connectedCallback() {
      const root = this.attachShadow({mode});
      root.innerHTML = text;
      adopt(root);
    }
  });
}
element('my-a', 'closed', '<b class=inner></b>', root => { root.adoptedStyleSheets = [one, two]; });
element('my-b', 'open', '<b class=other></b>', root => { root.adoptedStyleSheets.push(two); });
element('my-c', 'open', '<i></i>', root => { root.adoptedStyleSheets = [former]; setTimeout(() => { root.adoptedStyleSheets = []; }, 50); });
const kept = document.adoptedStyleSheets;
setTimeout(() => kept.push(page), 50);
</script>
HTML
"$heddle" css record "$work/adopted.html" -o "$work/a.json" --headless >"$work/out" 2>"$work/log" || complain "exit $?: $(cat "$work/log")"
"$heddle" css unused "$work/a.json" >"$work/out" 2>"$work/log" || complain "unused: exit $?: $(cat "$work/log")"
# the bytes of a rule tell its sheet; the numbers of the sheets have the order in which the browser reports them
[ "$(awk '/ rule / { print $6 $NF }' "$work/out" | LC_ALL=C sort | tr '\n' ' ')" = "18.page 19.other 19.page 21.inner " ] ||
    complain "adopted sheets: $(cat "$work/out")"

# a window that the last step opens, and elements that are late in it
echo "await page.click('#open');" >"$work/steps.js"
"$heddle" css record "$site/index.html" -o "$work/r.json" --drive "$work/steps.js" >"$work/out" 2>"$work/log" || complain "exit $?: $(cat "$work/log")"
holds '"popup"' '"popup-late"'

echo "await page.click('#nothing-of-this-name-here');" >"$work/steps.js"
sed -i 's/^/await page.goto("two.html"); throw new Error("on purpose");/' "$work/steps.js"
"$heddle" css record "$site/index.html" -o "$work/s.json" --drive "$work/steps.js" >"$work/out" 2>"$work/log"
[ $? = 1 ] || complain "a script that throws: exit $?"
grep -q 'on purpose' "$work/log" || complain "$(cat "$work/log")"
[ -s "$work/s.json" ] || complain "a script that throws costs what was recorded before"
"$heddle" css record http://127.0.0.1:9/ -o "$work/t.json" --headless >"$work/out" 2>"$work/log" && complain "no server, and exit 0"
grep -q 'cannot open it (net::ERR' "$work/log" || complain "$(cat "$work/log")"
[ -e "$work/t.json" ] && complain "a recording of nothing"
# a server that takes connections and answers none, after a page of a file: an error, and the page is kept
cat >"$work/mute.py" <<'PYTHON'
import socket, sys
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
kept = [server.accept() for _ in range(1000)]
PYTHON
python3 "$work/mute.py" >"$work/port" &
mute=$!
while [ ! -s "$work/port" ]; do sleep 0.05; done
echo "await page.goto('http://127.0.0.1:$(cat "$work/port")/');" >"$work/steps.js"
"$heddle" css record "$site/two.html" -o "$work/m.json" --drive "$work/steps.js" >"$work/out" 2>"$work/log" && complain "a mute server, and exit 0"
grep -q 'sent nothing for 12 s.*--patience 60' "$work/log" || complain "a mute server: $(cat "$work/log")"
grep -q '"two"' "$work/m.json" || complain "the page before a mute server is lost"
"$heddle" css record "http://127.0.0.1:$(cat "$work/port")/" -o "$work/m.json" --headless --patience 0.5 >"$work/out" 2>"$work/log" && complain "a mute server, and exit 0"
grep -q 'sent nothing for 0.5 s' "$work/log" || complain "a mute server with --patience: $(cat "$work/log")"
# Ctrl-C while the server is silent: what was recorded is kept
"$heddle" css record "$site/two.html" -o "$work/i.json" --drive "$work/steps.js" >"$work/out" 2>"$work/log" &
recording=$!
sleep 8
kill -INT $recording
wait $recording
[ $? = 130 ] || complain "Ctrl-C: not exit 130: $(cat "$work/log")"
grep -q '"two"' "$work/i.json" || complain "Ctrl-C costs what was recorded: $(cat "$work/log")"
kill $mute

for browser in firefox nosuch-chromium; do
    "$heddle" css record "$site" -o "$work/t.json" --headless --browser $browser >"$work/out" 2>"$work/log" && complain "$browser: exit 0"
    [ -s "$work/log" ] || complain "$browser: no reason"
done
exit $failed
