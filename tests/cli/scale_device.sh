#!/bin/sh
# sh scale_device.sh HEDDLE WORKER: tuning on several devices at once, here and behind a command, on one device that stands for several.
heddle=$1
worker=$2
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
device=${HEDDLE_DEVICE:?}
unset HEDDLE_DEVICE
export HEDDLE_DATABASE="$work/tuning.db"

run 0 tune heddle:copy --problem n=20000 -d "$device" -d "$device" --budget 5 --json; err_is_empty
[ "$(grep -c '"tried"' "$work/out")" = 2 ] || complain "not two devices"
out_has '"end": "evaluations"'; out_has '"kept": '
run 0 tune heddle:copy --problem n=20000 -d host -d "$device" --budget 5 --resume --json
[ "$(grep -c '"kernel": "copy"' "$work/out")" = 2 ] || complain "not a result for each kind"
run 2 tune heddle:copy -d host -d "$device" --report "$work/a.html"; err_has 'tuned separately'

# ---- behind a command: an ssh that works, one that hangs, one that fails; under the same key as here ----
printf '#!/bin/sh\nshift\nexec "$@"\n' > "$work/ssh"
printf '#!/bin/sh\nsleep 60\n' > "$work/hung"
chmod +x "$work/ssh" "$work/hung"
run 0 tune heddle:copy --problem n=20000 --worker "$work/ssh node7 $worker --device '$device'" --worker "$work/hung node8 $worker" \
    --worker 'echo no route to host >&2; exit 255' --patience-of-workers 10 --budget 5 --resume --json
err_has 'hung node8.*sent nothing for 10 s'; err_has 'exit code 255; its last output: no route to host'
out_has "\"device\": \"$(uname -n):"; out_has '"kept_stored": true'
run 1 tune heddle:copy --worker 'echo hello'; err_has 'no worker can be reached'

# ---- two leaders on one database, then Ctrl-C: what was measured is there ----
"$heddle" tune heddle:copy --problem n=30000 -d "$device" --budget 4 --json > "$work/one" 2>&1 &
other=$!
run 0 tune heddle:copy --problem n=40000 -d "$device" --budget 4 --json; out_has '"kept": '
wait $other || complain "two leaders: $(cat "$work/one")"
: > "$work/err" # what follows looks into the new one
"$heddle" tune heddle:copy --problem n=50000 -d "$device" -d "$device" > "$work/out" 2> "$work/err" &
leader=$!
await "grep -q ' [1-9][0-9]* of' '$work/err'"
kill -INT $leader
code=0
wait $leader || code=$?
words='(interrupted)'
[ $code = 130 ] || complain "exit code $code after Ctrl-C"
out_has 'it was stopped'

# ---- killed: nothing that was reported is lost; copy's 72 configurations can be done before the third line ----
: > "$work/err"
"$heddle" tune heddle:matmul --problem m=96,n=96,k=96 -d "$device" -d "$device" > "$work/out" 2> "$work/err" &
leader=$!
await "grep -q ' \([3-9]\|[1-9][0-9]\) of' '$work/err'"
kill -9 $leader
wait $leader 2> /dev/null
reported=$(sed -n 's/.* \([0-9]*\) of [0-9]* tried.*/\1/p' "$work/err" | tail -n 1)
run 0 tune heddle:matmul --problem m=96,n=96,k=96 -d "$device" --resume --budget 1 --json
kept=$(awk '/"evaluations"/ { inside = 1; next } inside && /}/ { exit } inside { gsub(/[^0-9]/, ""); sum += $0 } END { print sum }' "$work/out")
[ "$kept" -ge "$reported" ] || complain "$reported were reported, $kept were kept"

run 2 sweep heddle:copy --problem n=5 -d host; err_has 'problem requires a single kernel'

# ---- garments of one cloth on several devices: the bits of one; a state of two continues on one ----
cat > "$work/wardrobe.json" << 'SCENE'
{"frames": 6, "garments": [{"name": "towel", "copies": 5, "grid": {"width": 9, "height": 7, "size": [1, 1], "axes": ["x", "y"]},
                            "pins": [{"box": {"low": [-9, 0.999, -9], "high": [9, 1.001, 9]}}]}]}
SCENE
hash_of() {
    run 0 cloth run "$work/wardrobe.json" --strict --json "$@"; err_is_empty
    grep '"hash"' "$work/out" >> "$work/hashes"
}
hash_of -d host
hash_of -d host -d "$device"
hash_of -d "$device" -d "$device" -d host
[ "$(sort -u "$work/hashes" | wc -l)" = 1 ] || complain "a divided cloth has other bits: $(cat "$work/hashes")"
run 0 cloth run "$work/wardrobe.json" --strict --frames 3 --out "$work/w.pc2" -d host -d "$device"
run 0 cloth run "$work/wardrobe.json" --strict --out "$work/w.pc2" -d host --resume --json; out_has "$(sed -n '1s/^ *//p' "$work/hashes")"
sed 's/"copies"/"self_collision": true, "copies"/' "$work/wardrobe.json" > "$work/folded.json"
run 1 cloth run "$work/folded.json" -d host -d "$device"; err_has 'garment 0 (towel): it has self_collision'
exit $failed
