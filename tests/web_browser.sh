#!/bin/sh
# sh web_browser.sh HEDDLE BROWSER: a shader tuned in a browser without a window: chromium over SwiftShader, firefox over
# lavapipe. What is found is right, and planted faults cost their own evaluation.
heddle=$1
browser=$2
case $browser in
chromium) command -v chromium chromium-browser google-chrome >/dev/null ;;
firefox) command -v firefox firefox-esr >/dev/null && ls /usr/share/vulkan/icd.d/lvp_icd*.json >/dev/null 2>&1 ;;
esac || { echo "no $browser here (or no lavapipe for it)"; exit 77; }
command -v python3 >/dev/null || { echo "no python3 here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$(dirname "$0")/web
export HEDDLE_DATABASE="$work/tuning.db"
failed=0
complain() { failed=1; echo "FAILED: $*" >&2; }

tune() { # FILE OPTIONS: the result as JSON in $work/result.json
    file=$1
    shift
    "$heddle" tune "$here/$file" --browser "$browser" --headless --json "$@" >"$work/result.json" 2>"$work/log"
}
of() { python3 -c "import json; r = json.load(open('$work/result.json')); print($1)"; }

tune ../../examples/web/small.json --budget 24 --report "$work/report.html" || complain "blur: exit $?: $(cat "$work/log")"
[ "$(of "sum(r['evaluations'].values())")" = 24 ] || complain "blur: not 24 configurations: $(cat "$work/result.json")"
[ -s "$work/report.html" ] || complain "blur: no report"

# A candidate that is wrong, one that does not compile, and one that never ends: SwiftShader cannot be taken back from
# that one, so the browser is started anew, and the tuning goes on. llvmpipe under Firefox may break a loop off after
# 65,535 turns, and then that one is wrong, too.
tune faults.wgsl || complain "faults: exit $?: $(cat "$work/log")"
[ "$(of "r['evaluations']['build']")" = 2 ] || complain "faults: not two do not compile: $(cat "$work/result.json")"
endless=$(of "[r['evaluations']['wrong'], r['evaluations']['hung']]")
case "$browser $endless" in
*" [2, 2]" | "firefox [4, 0]") ;;
*) complain "faults: $endless are wrong and hung: $(cat "$work/result.json")" ;;
esac
[ "$(of "r['evaluations']['measured'] + r['evaluations']['dropped']")" = 2 ] || complain "faults: not two are timed: $(cat "$work/result.json")"
[ "$(of "r['config']['FAULT']")" = 0 ] || complain "faults: another is best"

# Elements that the default does not write are left out and counted; a configuration that writes one is wrong.
tune padded.wgsl || complain "padded: exit $?: $(cat "$work/log")"
[ "$(of "[r['evaluations']['measured'] + r['evaluations']['dropped'], r['evaluations']['wrong']]")" = "[2, 2]" ] ||
    complain "padded: not two right and two wrong: $(cat "$work/result.json")"
[ "$(of "r['unwritten_elements'] >= 4096 + 100 and r['compared_elements'] + r['unwritten_elements'] == 5 * 4096 + 100")" = True ] ||
    complain "padded: counted wrong: $(cat "$work/result.json")"

# Shaders as people write them: a struct of floats, a tile as large as the group, sizes of 1 at the end, subgroups.
for shader in bodies lanes; do
    if [ "$shader $browser" = "lanes firefox" ] && ! tune lanes.wgsl --budget 4 && grep -q 'enables subgroups, which browser' "$work/log"; then
        continue # it has none yet, which is said before it is asked
    fi
    tune "$shader.wgsl" --budget 4 || complain "$shader: exit $?: $(cat "$work/log")"
    [ "$(of "r['evaluations']['measured'] + r['evaluations']['dropped']")" = 4 ] || complain "$shader: $(cat "$work/result.json")"
done

# A width of subgroups in the text of a candidate, where the browser lets a shader set it: 4 is SwiftShader's, 1,024 nobody's.
if [ $browser = chromium ]; then
    tune widths.wgsl || complain "widths: exit $?: $(cat "$work/log")"
    [ "$(of "[r['evaluations']['measured'] + r['evaluations']['dropped'], r['evaluations']['build']]")" = "[2, 1]" ] ||
        complain "widths: $(cat "$work/result.json")"
fi

# Plain files, without a word for Heddle: sizes that are numbers of the text, textures, matrices, overrides without a value,
# group memory. Each configuration is right.
# The bodies are few: SwiftShader takes a hundred times as long in groups of 1, which counts as hanging.
for shader in linked blur transform fluid "bodies --set n=256" blocks; do
    name=${shader%% *} options=${shader#"$name"}
    tune "plain/$name.wgsl" $options --budget 4 || complain "plain $shader: exit $?: $(cat "$work/log")"
    # in groups of more than 256, which Firefox has, 256 bodies are summed more than once: truly wrong
    [ "$(of "r['evaluations']['measured'] + r['evaluations']['dropped'] + (r['problem'].get('n') == 256) * r['evaluations']['wrong']")" = 4 ] ||
        complain "plain $shader: $(cat "$work/result.json")"
done
# Items that write after the end of an invented buffer meet in its last element, which depends on their order.
tune plain/terraces.wgsl --budget 4 || complain "terraces: exit $?: $(cat "$work/log")"
[ "$(of "r['evaluations']['measured'] + r['evaluations']['dropped'] == 4 and r['unsteady_elements'] == 1")" = True ] ||
    complain "terraces: $(cat "$work/result.json")"
# A size that is bound to numbers of the text in ways that are not known: every other one is wrong, and found so.
tune plain/reduce.wgsl --set n=1024 || complain "plain reduce: exit $?: $(cat "$work/log")"
[ "$(of "r['config']['WG_X']")" = 64 ] || complain "plain reduce: a wrong size was offered: $(cat "$work/result.json")"

# Loops over group memory follow the size; sums of groups are compared by their sum.
(echo '/* heddle {"problem": {"n": 1024}, "arguments": [{"name": "sums", "compare": "sum"}]} */' && cat "$here/plain/reduce.wgsl") >"$work/sums.wgsl"
"$heddle" tune "$work/sums.wgsl" --browser "$browser" --headless --json --budget 4 >"$work/result.json" 2>"$work/log" || complain "sums: exit $?: $(cat "$work/log")"
[ "$(of "r['evaluations']['measured'] + r['evaluations']['dropped']")" = 4 ] || complain "sums: $(cat "$work/result.json")"

# A number of groups that does not follow the size is at fault, and named with the comment that follows it.
(echo '/* heddle {"groups": [64]} */' && cat "$here/plain/linked.wgsl") >"$work/groups.wgsl"
if [ "$browser" = chromium ]; then
    "$heddle" tune "$work/groups.wgsl" --browser chromium --headless --budget 4 >"$work/result.txt" 2>"$work/log" || complain "groups: exit $?: $(cat "$work/log")"
    grep -q '  groups .*/\* heddle {"groups": \["ceil_div(n, WG_X)"\]} \*/' "$work/result.txt" || complain "groups: $(cat "$work/result.txt")"
fi

# An invented problem whose default does not end is replaced by a smaller one, before other sizes run.
if [ "$browser" = chromium ]; then
    tune plain/slow.wgsl --budget 2 --candidate-time 1 || complain "slow: exit $?: $(cat "$work/log")"
    [ "$(of "r['problem']['n'] < 4096 and r['evaluations']['measured'] > 0")" = True ] || complain "slow: $(cat "$work/result.json" "$work/log")"
    grep -q 'takes over 1 s in the default configuration WG_X=64; again with a smaller problem: --set n=256' "$work/log" || complain "slow: $(cat "$work/log")"
fi

# Smaller problems have whole groups of the default first, and then parts of one.
if [ "$browser" = chromium ]; then
    tune plain/lamps.wgsl --budget 1 || complain "lamps: exit $?: $(cat "$work/log")"
    [ "$(of "r['problem']['width'] < 32 and r['evaluations']['measured'] > 0")" = True ] || complain "lamps: $(cat "$work/result.json" "$work/log")"
    steps=$(grep -o 'again with a smaller problem: .*' "$work/log" | head -3)
    [ "$steps" = "again with a smaller problem: --set width=32 --set height=16
again with a smaller problem: --set width=32 --set height=8
again with a smaller problem: --set width=8 --set height=2" ] || complain "lamps: $steps"
fi

# A browser that crashes is started again, and the tuning goes on: before its page is open, and 3 s later. The command is the
# browser's parent.
for seconds in 0 3; do
    [ "$browser" = chromium ] || continue
    "$heddle" tune "$here/plain/bodies.wgsl" --set n=1024 --budget 6 --browser chromium --headless --json >"$work/result.json" 2>"$work/log" &
    command=$!
    program=
    tries=0
    while [ -z "$program" ] && [ $tries -lt 120 ]; do sleep 0.25; tries=$((tries + 1)); program=$(pgrep -P $command -f user-data-dir | head -1); done
    sleep $seconds
    kill -9 "$program"
    wait $command || complain "crash after $seconds s: exit $?: $(cat "$work/log")"
    [ "$(of "sum(r['evaluations'].values()) == 6 and r['evaluations']['measured'] + r['evaluations']['dropped'] > 2")" = True ] || complain "crash after $seconds s: $(cat "$work/result.json")"
done

# A command that is killed leaves no browser: the page ends with its server.
if [ "$browser" = chromium ]; then
    "$heddle" tune "$here/plain/bodies.wgsl" --browser chromium --headless >"$work/killed" 2>&1 &
    command=$!
    tries=0
    while ! grep -q tried "$work/killed" && [ $tries -lt 120 ]; do sleep 0.5; tries=$((tries + 1)); done
    program=$(pgrep -P $command -f user-data-dir | head -1)
    kill -9 $command
    tries=0
    while [ -n "$program" ] && kill -0 "$program" 2>/dev/null && [ $tries -lt 240 ]; do sleep 0.5; tries=$((tries + 1)); done
    [ -n "$program" ] || complain "no browser of the command: $(cat "$work/killed")"
    [ $tries -lt 240 ] || { complain "the browser outlives a command that was killed"; kill -- "-$program"; }
    left=$(grep -lx "$command" "${TMPDIR:-/tmp}"/heddle-browser-*/owner 2>/dev/null | head -1)
    tune padded.wgsl || complain "after a kill: exit $?: $(cat "$work/log")"
    [ -z "$left" ] || [ ! -e "$left" ] || complain "a folder of the browser is left behind: $left"
fi
exit $failed
