#!/bin/sh
# sh page_tune.sh HEDDLE: compute pipelines of live pages, recorded by Chromium over SwiftShader: all are listed, those that
# rules and comparison allow are tuned, and the others are refused with their reason.
heddle=$1
command -v chromium chromium-browser google-chrome >/dev/null || { echo "no chromium here"; exit 77; }
command -v python3 >/dev/null || { echo "no python3 here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$(dirname "$0")/page
export HEDDLE_DATABASE="$work/tuning.db"
failed=0
complain() { failed=1; echo "FAILED: $*" >&2; }
tune() { # PAGE OPTIONS: the result as JSON in $work/result.json
    page=$1
    shift
    "$heddle" tune "$page" --headless --json --wait 2 --time 2 --budget 6 "$@" >"$work/result.json" 2>"$work/log"
}
of() { python3 -c "import json; r = json.load(open('$work/result.json')); P = {p['entry']: p for p in r['pipelines']}; T = {n: p.get('tuned', {}) for n, p in P.items()}; print($1)"; }
expect() { # EXPRESSION VALUE
    found=$(of "$1")
    [ "$found" = "$2" ] || complain "$page: $1 is $found; expected $2: $(of "{n: [t.get('verdict'), t.get('reason')] for n, t in T.items()}") $(cat "$work/log")"
}

# a canvas, two bind groups in turns, a guard by a uniform: proved
tune "$here/life.html" || complain "life: exit $?: $(cat "$work/log")"
expect "[T['life']['verdict'], {c['how'] for c in T['life']['candidates']}, all(c['ok'] for c in T['life']['candidates'])]" "['tunable', {'proved'}, True]"
expect "T['life']['limits']" "[250, 190, None]"

# an override, layouts of its own, an id from group and place; a pipeline of one item
tune "$here/particles.html" --pipeline move_particles --pipeline nudge || complain "particles: exit $?: $(cat "$work/log")"
expect "[T['move_particles']['verdict'], T['move_particles']['size'], T['nudge']['verdict']]" "['tunable', [32, 1, 1], 'one item']"

# textures, a sampler, a storage texture, dynamic offsets, three bind groups
tune "$here/blur.html" || complain "blur: exit $?: $(cat "$work/log")"
expect "[T['blur']['verdict'], P['blur']['kinds'], T['blur']['limits'][:2]]" "['tunable', 2, [150, 130]]"

# items that work together through literals are refused; those of the global part are tuned
tune "$here/sort.html" --pipeline sort_local --pipeline swap_far || complain "sort: exit $?: $(cat "$work/log")"
expect "[T['sort_local']['verdict'], 'tile' in T['sort_local']['reason'] or 'group' in T['sort_local']['reason'], T['swap_far']['verdict']]" "['refused', True, 'tunable']"

# an indirect dispatch; slots that an atomic hands out
tune "$here/sum.html" --pipeline add_roots --pipeline find_large || complain "sum: exit $?: $(cat "$work/log")"
expect "[P['add_roots']['indirect'], T['add_roots']['verdict'], T['find_large']['verdict'], T['find_large']['orderDependent'] > 0]" "[True, 'tunable', 'tunable', True]"

# no wrong size is offered
tune "$here/traps.html" --pipeline seeded --pipeline again --pipeline shifted --pipeline block_const --pipeline reversed --pipeline grouped \
    --pipeline passed --pipeline strided --pipeline open_end --pipeline longer || complain "traps: exit $?: $(cat "$work/log")"
expect "sorted(n for n, t in T.items() if t.get('verdict') == 'tunable')" "['again', 'block_const', 'longer']"
expect "P['longer']['isCut']" "[True, False, False]"
expect "sorted({c['ok'] for c in T['longer']['candidates'] if 157 * 64 % (c['size'][0] * c['size'][1])})" "[False]"
expect "[c['how'] for t in T.values() for c in t.get('candidates', []) if c['ok'] and c['offered']] != []" True

expect "{(c['ok'], c['reason'][:45]) for c in T['open_end']['candidates']}" "{(False, 'its last group runs beyond the end of an arra')}"

# a launch that does half of the work is refused, also where each frame draws the same
tune "$here/traps.html" --pipeline again --pipeline block_const --drive "$here/halve.js" || complain "halved: exit $?: $(cat "$work/log")"
expect "[any(c['ok'] for c in T[n]['candidates']) for n in ('again', 'block_const')]" "[False, False]"

# an output that differs from run to run is no proof, however large the one beside it
tune "$here/unsteady.html" || complain "unsteady: exit $?: $(cat "$work/log")"
expect "[T['hand_out']['verdict'], '@binding(2) differ' in T['hand_out']['reason']]" "['refused', True]"

# a folder, built for a place under its host; a module worker
mkdir "$work/site"
cp "$here/kit.js" "$here/worker.js" "$work/site"
sed "s|'worker.js'|'/place/worker.js'|" "$here/worker.html" >"$work/site/index.html"
tune "$work/site" || complain "worker: exit $?: $(cat "$work/log")"
expect "T['decay']['verdict']" tunable

# changes of the author's files, through the call's stack: a patch applies, or the change is named
"$heddle" tune "$here/life.html" --headless --json --wait 1 --time 4 --patch "$work/life.patch" >"$work/result.json" 2>"$work/log" || complain "patch: $(cat "$work/log")"
page=life
if [ "$(of "'best' in T['life']")" = True ]; then
    mkdir "$work/patched"
    cp "$here/life.html" "$work/patched"
    (cd "$work/patched" && GIT_CEILING_DIRECTORIES="$work" git apply -p1 "$work/life.patch") || complain "the patch does not apply: $(cat "$work/life.patch")"
    "$heddle" tune "$work/patched/life.html" --headless --list --wait 1 >"$work/list" 2>&1
    # a last side of 1 is not listed
    grep -q "life .* $(of "' x '.join(map(str, T['life']['best']['size'][:2])).removesuffix(' x 1')") .* $(of "' x '.join(map(str, T['life']['best']['counts'][:2])).removesuffix(' x 1')") " "$work/list" ||
        complain "the patched page runs another size: $(cat "$work/list" "$work/life.patch")"
fi

# a module that chooses at run time, and the lines that use it: the bundled page runs the chosen sizes, with the same results
bundle() { # SOURCE FOLDER
    mkdir -p "$2"
    cp "$1/index.html" "$2"
    if command -v esbuild >/dev/null; then
        esbuild "$1/app.js" --bundle --minify --sourcemap --format=esm --log-level=error --outfile="$2/app.js" || complain "the bundle of $1"
    else cp -r "$1"/* "$2"; fi
}
cp -r "$here/bundle" "$work/src"
bundle "$work/src" "$work/before"
for round in 1 2; do # the second finds a module, and adds to it
    "$heddle" tune "$work/before" --headless --json --wait 1 --time 2 --budget 6 --pipeline wave --pipeline fill_values --pipeline halve \
        --module "$work/src/page.tuned.js" --patch "$work/use.patch" >"$work/result.json" 2>"$work/log" || complain "module, $round: $(cat "$work/log")"
done
grep -q 'pipelines are not in it' "$work/log" && complain "the patch is not whole: $(cat "$work/log" "$work/result.json")"
grep -q 'export const wave: Pipeline' "$work/src/page.tuned.d.ts" || complain "the module has no types"
root=$work/src
command -v esbuild >/dev/null && root=$work
(cd "$root" && GIT_CEILING_DIRECTORIES="$work" git apply -p1 "$work/use.patch") || complain "the use of the module does not apply: $(cat "$work/use.patch")"
bundle "$work/src" "$work/after"
for build in before after; do
    python3 "$(dirname "$0")/page_record.py" chromium "$work/$build" 'index.html?check' "$work/$build.json" || complain "$build: no result"
done
python3 - "$work" <<'END' || complain "the page with the module"
import json, re, sys
before, after = (json.load(open(f'{sys.argv[1]}/{name}.json')) for name in ('before', 'after'))
tables = json.loads(re.search(r'const tables = (\[.*?\n\]);', open(f'{sys.argv[1]}/src/page.tuned.js').read(), re.S)[1])
sizes = {t['name']: t['configs'][t['devices'][0]['best'][0]][1] for t in tables}
ceil = lambda n, d: -(-n // d)
expected = [[ceil(201, sizes['wave'][0]), ceil(150, sizes['wave'][1])], [ceil(5000, sizes['fill_values'][0])], [ceil(5000, sizes['halve'][0])]]
assert [len(t['devices']) for t in tables] == [1, 1, 1], tables
assert all(map(any, before['results'])) and before['results'] == after['results']
assert before['counts'][:3] == [[101, 150], [2500], [1250]], before['counts'][:3]
assert after['counts'] == 8 * expected, (after['counts'][:3], expected)
END
echo '{}' >"$work/other.js"
tune "$work/before" --module "$work/other.js" && complain "another file is replaced"
grep -q 'no module of heddle tune' "$work/log" || complain "$(cat "$work/log")"

# a page that records itself in a browser without Heddle: its file is tuned elsewhere
cp "$here"/*.html "$here"/*.js "$work/site"
"$heddle" tune --recorder "$work/site/heddle-record.js" || complain "recorder: exit $?"
python3 "$(dirname "$0")/page_record.py" firefox "$work/site" record.html "$work/page.hrec"
code=$?
if [ $code = 0 ]; then # a pipeline that Firefox has recorded is tunable here
    tune "$work/page.hrec" --pipeline add_roots || complain "hrec of Firefox: exit $?: $(cat "$work/log")"
    expect "T['add_roots']['verdict']" tunable
elif [ $code != 77 ]; then
    complain "no recording in Firefox"
fi
python3 "$(dirname "$0")/page_record.py" chromium "$work/site" record.html "$work/page.hrec" || complain "no recording"
tune "$work/page.hrec" --pipeline blur --pipeline add_roots || complain "hrec: exit $?: $(cat "$work/log")"
expect "[P['blur']['kinds'], T['blur']['verdict'], T['blur']['limits'][:2], T['add_roots']['verdict']]" "[2, 'tunable', [150, 130], 'tunable']"
# a resource that has not changed between two dispatches is in the file once
python3 -c 'import json, struct, sys; b = open(sys.argv[1], "rb").read(); n = struct.unpack("<I", b[8:12])[0]; t = json.loads(b[12:12 + n])["things"]
assert len({x["at"] for x in t}) < len(t) and sum(x["bytes"] for x in t) > len(b), len(b)' "$work/page.hrec" || complain "contents are in the recording twice"
head -c 300 "$work/page.hrec" >"$work/cut.hrec"
tune "$work/cut.hrec" && complain "half of a recording is taken"
grep -q 'cut off' "$work/log" || complain "$(cat "$work/log")"

# Firefox, by WebDriver BiDi: a page of a folder, with a dialog before its script and a frame
if { command -v firefox || command -v firefox-esr; } >/dev/null && ls /usr/share/vulkan/icd.d/lvp_icd*.json >/dev/null 2>&1; then
    mkdir "$work/framed"
    cp "$here/life.html" "$here/kit.js" "$work/framed"
    echo "<!doctype html><script>alert('first')</script><iframe src=life.html></iframe>" >"$work/framed/index.html"
    tune "$work/framed" --browser firefox || complain "Firefox: exit $?: $(cat "$work/log")"
    expect "[T['life']['verdict'], {c['how'] for c in T['life']['candidates']}, all(c['ok'] for c in T['life']['candidates'])]" "['tunable', {'proved'}, True]"
    tune http://127.0.0.1:9/ --browser firefox && complain "an address without a server is taken by Firefox"
    grep -q 'the browser cannot open it' "$work/log" || complain "$(cat "$work/log")"
fi

# the list alone; faults
"$heddle" tune "$here/life.html" --headless --list --wait 1 >"$work/list" 2>&1 || complain "list: exit $?: $(cat "$work/list")"
grep -q '100.0 %  life .* 4 x 4 .*independent' "$work/list" || complain "list: $(cat "$work/list")"
tune "$here/life.html" --pipeline life --pipeline nothing && complain "a pipeline of another name is taken"
grep -q -- '--pipeline nothing: no such pipeline' "$work/log" || complain "$(cat "$work/log")"
printf '#!/bin/sh\nexit 3\n' >"$work/chromium-that-ends"
chmod +x "$work/chromium-that-ends"
tune "$here/life.html" --browser "$work/chromium-that-ends" && complain "a browser that ends is taken"
grep -q 'chromium-that-ends ended (exit 3)' "$work/log" || complain "$(cat "$work/log")"
tune http://127.0.0.1:9/ && complain "an address without a server is taken"
grep -q 'the browser cannot open it' "$work/log" || complain "$(cat "$work/log")"
python3 -u -m http.server --bind 127.0.0.1 --directory "$here" 0 >"$work/server" 2>&1 &
server=$!
tries=0
while ! grep -q ' port ' "$work/server" && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
port=$(sed -n 's/.* port \([0-9]*\).*/\1/p' "$work/server" | head -1)
tune "http://127.0.0.1:$port/no-such.html" && complain "an answer without a page is taken"
kill $server
grep -q 'the server answers 404' "$work/log" || complain "$(cat "$work/log")"
exit $failed
