#!/bin/sh
# vulkan_record.sh HEDDLE LAYER_FOLDER SOURCES: a program under the layer that records dispatches, and the tuning of its
# recordings. The program is heddle itself, which launches a shader with constants in two sets and with push constants.
heddle=$1 layer=$2 sources=$3
work=$(mktemp -d)
failed=0
trap 'rm -rf "$work"' EXIT
export HEDDLE_DATABASE="$work/t.db" HEDDLE_CACHE_DIR="$work/cache"
complain() { failed=1; echo "FAILED: $*" >&2; }
"$heddle" devices --json 2>/dev/null | grep -q '"vulkan:0"' || { echo "no Vulkan device here"; exit 77; }
command -v glslangValidator >/dev/null || { echo "no glslangValidator here"; exit 77; }

# Each group size is another pipeline; constants and contents are the program's.
VK_LAYER_PATH=$layer VK_INSTANCE_LAYERS=VK_LAYER_HEDDLE_record HEDDLE_RECORD="$work/record" \
    "$heddle" tune "$sources/tests/record/add.comp" --device vulkan:0 --budget 2 --time 5 >"$work/log" 2>&1 ||
    complain "under the layer: exit $?: $(cat "$work/log")"
grep -q "groups; heddle tune $work/record/main-" "$work/record/record.log" || complain "no line of a recording: $(cat "$work"/record/record.log)"
set -- "$work"/record/*.json
[ $# -ge 2 ] || complain "$# recordings; expected 2 or more: $(ls "$work/record")"
for file in "$@"; do
    grep -q '"group": \["WG"\]' "$file" && grep -q '"name": "hed_push", "kind": "struct"' "$file" || complain "$(cat "$file")"
    [ "$(wc -c <"${file%.json}.1.0.bin")" = 16384 ] || complain "contents of b: $(ls -l "$work/record")"
    "$heddle" tune "$file" --device vulkan:0 --budget 3 --time 5 --json >"$work/result.json" 2>"$work/log" ||
        complain "$file: exit $?: $(cat "$work/log")"
    python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); e = r["evaluations"]; assert e["measured"] + e["dropped"] >= 2 and not e["wrong"], e' \
        "$work/result.json" || complain "$(cat "$work/result.json")"
done

# A program with images runs as before, and the reason is reported.
VK_LAYER_PATH=$layer VK_INSTANCE_LAYERS=VK_LAYER_HEDDLE_record HEDDLE_RECORD="$work/images" \
    "$heddle" tune "$sources/tests/record/image.comp" --device vulkan:0 --budget 2 --time 5 >"$work/log" 2>&1 ||
    complain "images under the layer: exit $?: $(cat "$work/log")"
grep -q "not recorded, since it has images" "$work/images/record.log" || complain "no reason: $(cat "$work/images/record.log")"
exit $failed
