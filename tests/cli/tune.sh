#!/bin/sh
# sh tune.sh HEDDLE: `heddle tune` as a user runs it, on host alone: what it refuses, what it says, what it leaves behind, and Ctrl-C.
heddle=$1
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
export HEDDLE_OPENCL_LIBRARY=none HEDDLE_CUDA_LIBRARY=none HEDDLE_NVRTC_LIBRARY=none XDG_CACHE_HOME="$work/cache" XDG_DATA_HOME="$work/data"
unset HEDDLE_DEVICE HEDDLE_DATABASE HEDDLE_CAPTURE
small='heddle:transpose --problem width=192,height=128'

# One object with these keys.
out_is_object() {
    [ "$(head -c 1 "$work/out")" = '{' ] || complain "heddle $words: no JSON object"
    for key in "$@"; do out_has "\"$key\": "; done
    ! command -v python3 > /dev/null || python3 -m json.tool < "$work/out" > /dev/null || complain "heddle $words: not JSON"
}

# What is refused, and in which words.
run 2 tune; out_is_empty; err_has 'FILE.json, heddle:NAME, or --capture FILE'
run 2 tune one.json --capture two.hcap; out_is_empty; err_has 'name one thing'
run 2 tune heddle:convolutoin; out_is_empty; err_has 'did you mean heddle:convolution?'; err_has 'heddle:copy, heddle:saxpy'
run 2 tune heddle:transpose --problem width=12,hight=3; out_is_empty; err_has 'found "hight=3"'; err_has '--problem width=[0-9]*,height='
run 2 tune heddle:transpose --problem width=0; err_has 'at least 1'
run 2 tune heddle:transpose --problem 'width=3 '; err_has 'found "width=3 "'
run 2 tune one.json --problem n=1; err_has 'bring their own'
run 2 tune heddle:copy --strategy luck; err_has 'auto, random, exhaustive, local'
run 2 tune heddle:copy --good-enough 2; err_has 'from 0.01 to 1'
run 2 tune heddle:copy --device all --device host; err_has 'given twice'
run 1 tune "$work/nothing.json"; out_is_empty; err_has 'nothing.json'
run 1 tune --capture "$work/nothing.hcap"; out_is_empty; err_has 'nothing.hcap'
printf '{' > "$work/broken.json"
run 1 tune "$work/broken.json"; out_is_empty; err_has 'broken.json:1'
run 1 tune heddle:copy --device nothing; out_is_empty; err_has 'no device fits'
run 0 tune --help; out_has 'or: heddle tune COMMAND'; out_has '  --good-enough SHARE'
run 0 tune --schema; err_is_empty; out_is_object

# A tuning, and what it leaves behind.
# shellcheck disable=SC2086  # words
run 0 tune $small --budget 4 --report "$work/report.html" --csv "$work/table.csv" --t4 "$work/results.t4"
out_has '^transpose on host'; out_has 'width=192 height=128'; out_has '^  winner  *TILE='; out_has '^  tried  *4 of'
out_has '^  isolation  none, '; out_has 'compared  *with the native C version'; out_has "^  kept  *$work/data/heddle/tuning.db"; out_has 'now use it'
[ "$(grep -o 'h0' "$work/report.html" | wc -l)" = 4 ] || complain 'the report has not 4 marks'
[ "$(wc -l < "$work/table.csv")" = 5 ] || complain 'the table has not 4 lines below its head'
! command -v python3 > /dev/null || python3 -m json.tool < "$work/results.t4" > /dev/null || complain 'the T4 file is not JSON'
run 0 tune replay "$work/table.csv" --seeds 2 --json; out_has '"table"'
# shellcheck disable=SC2086
run 0 tune $small --budget 6 --resume --json; err_is_empty
out_is_object kernel from device problem winner config seconds low high gain ties evaluations space end isolated checked kept
out_has '"kernel": "transpose"'; out_has '"width": 192'; out_has '"end": "evaluations"'; out_has '"isolated": false'
# shellcheck disable=SC2086
run 0 tune $small --budget 2 --no-keep --quiet; err_is_empty; out_has 'kept  *nowhere'
# shellcheck disable=SC2086
run 1 tune $small --budget 2 --report "$work/no/such/folder.html"; out_is_empty; err_has 'folder.html'
HEDDLE_DATABASE=none run 0 tune heddle:transpose --problem width=64,height=64 --budget 2; out_has 'kept  *nowhere'

# On a terminal the view is drawn in place, in the window's width, and is gone at the end; --quiet draws nothing.
if command -v script > /dev/null; then
    escape=$(printf '\033')
    long='heddle:matmul --problem m=512,n=512,k=512 --time 3 --no-keep'
    script -qec "stty cols 50 rows 20; '$heddle' tune $long" "$work/out" > /dev/null < /dev/null
    words='tune, on a terminal'
    out_has "$escape\[[0-9]*A$escape\[J"; out_has '^  tried  '; out_has '^  winner  '
    tr -d '\r' < "$work/out" | sed -n '/^matmul on host (.*m=512/,$p' | grep -q '^  best ' && complain 'the view is still there'
    # Bytes of the blocks' characters that only go on with one count nothing.
    tr -d '\r\200-\277' < "$work/out" | sed "s/^${escape}[^J]*J//; /^Script/d; /m=512/,\$d" | awk 'length > 50 { exit 1 }' ||
        complain 'wider than the window'
    script -qec "'$heddle' tune $long --quiet" "$work/out" > /dev/null < /dev/null
    ! grep -q "$escape" "$work/out" || complain '--quiet draws'
fi

# Ctrl-C in the middle: what was measured is shown and kept, the report written. The space is larger than anybody waits for.
"$heddle" tune heddle:matmul --problem m=512,n=512,k=512 --strategy exhaustive --budget 100000 --report "$work/stopped.html" \
    --csv "$work/stopped.csv" > "$work/stopped.out" 2> "$work/stopped.err" < /dev/null &
process=$!
waited=0
until grep -qs 'best [0-9]' "$work/stopped.err" || [ $waited = 100 ]; do sleep 1; waited=$((waited + 1)); done
kill -INT "$process"
code=0
wait "$process" || code=$?
mv "$work/stopped.out" "$work/out"
mv "$work/stopped.err" "$work/err"
words='tune, interrupted'
[ "$code" = 130 ] || complain "heddle tune, interrupted: exit code $code instead of 130"
out_has 'ended since it was stopped'; out_has '^  winner'; grep -q '</html>' "$work/stopped.html" || complain 'no report after Ctrl-C'
known=$(($(wc -l < "$work/stopped.csv") - 1))
run 0 tune heddle:matmul --problem m=512,n=512,k=512 --budget "$known" --resume --csv "$work/resumed.csv" --quiet
out_has "^  tried  *$known of"
exit "$failed"
