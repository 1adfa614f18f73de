#!/bin/sh
# vulkan_record.sh HEDDLE LAYER_FOLDER SOURCES PROGRAM: programs under the layer that records dispatches, and the tuning of their
# recordings: PROGRAM (record/vulkan_program.c), and heddle itself, whose shader has two sets and a struct in push constants.
heddle=$1 layer=$2 sources=$3 program=$4
work=$(mktemp -d)
failed=0
trap 'rm -rf "$work"' EXIT
export HEDDLE_DATABASE="$work/t.db" HEDDLE_CACHE_DIR="$work/cache"
complain() { failed=1; echo "FAILED: $*" >&2; }
# A recording is tuned, and two configurations at least are right. Drivers may print lines of their own around the JSON.
tuned() { # FILE
    status=0
    "$heddle" tune "$1" --device vulkan:0 --budget 3 --time 60 --json >"$work/result.json" 2>"$work/log" || status=$?
    [ $status = 0 ] || { complain "$1: exit $status: $(cat "$work/log" "$work/result.json")"; return; }
    python3 -c 'import json, sys
text = open(sys.argv[1], errors="replace").read()
e = json.JSONDecoder().raw_decode(text[text.index("{\n"):])[0]["evaluations"]
assert e["measured"] + e["dropped"] >= 2 and not e["wrong"], e' "$work/result.json" || complain "$1: $(cat "$work/result.json" "$work/log")"
}
"$heddle" devices --json 2>/dev/null | grep -q '"vulkan:0"' || { echo "no Vulkan device here"; exit 77; }
command -v glslangValidator >/dev/null || { echo "no glslangValidator here"; exit 77; }

# A program with Vulkan of its own, which submits by vkQueueSubmit2 and ends without freeing: its constants (32 items, gain 3) are the
# defaults of the recording, and the contents are those before the dispatch (1, 2, 3, ...).
glslangValidator -V "$sources/tests/record/gain.comp" -o "$work/gain.spv" >/dev/null
VK_LAYER_PATH=$layer VK_INSTANCE_LAYERS=VK_LAYER_HEDDLE_record HEDDLE_RECORD="$work/own" "$program" "$work/gain.spv" >"$work/log" 2>&1
status=$?
[ $status != 77 ] || { echo "no Vulkan 1.3 here"; exit 77; }
[ $status = 0 ] || complain "program: exit $status: $(cat "$work/log")"
set -- "$work"/own/*-32x1x1.json
own=$1
[ $# = 1 ] && [ -e "$own" ] || complain "$# recordings of the program; expected 1: $(ls "$work/own" 2>&1; cat "$work/log")"
grep -q '"items_x": 1024' "$own" && grep -q '{"name": "n", "value": 1024}' "$own" || complain "$(cat "$own")"
[ "$(od -An -tf4 -N8 "${own%.json}.0.0.bin" | tr -s ' ')" = " 1 2" ] || complain "contents: $(od -An -tf4 -N8 "${own%.json}.0.0.bin")"
od -An -v -tx4 "${own%.json}.spv" | grep -q 40400000 || complain "the gain of 3 is not in the shader"
tuned "$own"

# The same buffer, bound by a template or pushed, as ncnn does: the same recording.
for way in template push pushed-template; do
    status=0
    VK_LAYER_PATH=$layer VK_INSTANCE_LAYERS=VK_LAYER_HEDDLE_record HEDDLE_RECORD="$work/$way" "$program" "$work/gain.spv" $way >"$work/log" 2>&1 || status=$?
    case $status:$way in 77:push*) continue ;; esac
    [ $status = 0 ] || complain "program, $way: exit $status: $(cat "$work/log")"
    for file in "$own" "${own%.json}.0.0.bin" "${own%.json}.spv"; do
        cmp "$file" "$work/$way/${file##*/}" || complain "$way: another recording: $(cat "$work/log")"
    done
done

# Two buffers of one layout that lists the later binding first, by one write or a template with gaps, with dynamic offsets; push
# constants of two calls, of which the second replaces a part.
glslangValidator -V "$sources/tests/record/pair.comp" -o "$work/pair.spv" >/dev/null
for way in pair pair-template; do
    status=0
    VK_LAYER_PATH=$layer VK_INSTANCE_LAYERS=VK_LAYER_HEDDLE_record HEDDLE_RECORD="$work/$way" "$program" "$work/pair.spv" $way >"$work/log" 2>&1 || status=$?
    [ $status = 0 ] || complain "program, $way: exit $status: $(cat "$work/log")"
    set -- "$work/$way"/*-32x1x1.json
    pair=$1
    [ -e "$pair" ] || { complain "$way: no recording: $(cat "$work/log")"; continue; }
    grep -q '{"name": "n", "value": 1024}' "$pair" && grep -q '{"name": "term", "value": 7}' "$pair" || complain "$way: $(cat "$pair")"
    for begin in '0 129 130' '1 10192 10193'; do
        file=${pair%.json}.0.${begin%% *}.bin
        [ "$(od -An -tf4 -N8 "$file" | tr -s ' ')" = " ${begin#* }" ] || complain "$way, ${file##*/}: $(od -An -tf4 -N8 "$file"); expected ${begin#* }"
        [ "$(wc -c <"$file")" = 4096 ] || complain "$way, ${file##*/}: $(wc -c <"$file") bytes; expected 4096"
    done
done
tuned "$pair"

# Each group size is another pipeline; constants and contents are the program's.
VK_LAYER_PATH=$layer VK_INSTANCE_LAYERS=VK_LAYER_HEDDLE_record HEDDLE_RECORD="$work/record" \
    "$heddle" tune "$sources/tests/record/add.comp" --device vulkan:0 --budget 2 --time 60 >"$work/log" 2>&1 ||
    complain "under the layer: exit $?: $(cat "$work/log")"
grep -q "groups; heddle tune $work/record/main-" "$work/record/record.log" || complain "no line of a recording: $(cat "$work"/record/record.log)"
set -- "$work"/record/*.json
[ $# -ge 2 ] || complain "$# recordings; expected 2 or more: $(ls "$work/record")"
for file in "$@"; do
    grep -q '"group": \["WG"\]' "$file" && grep -q '"name": "hed_push", "kind": "struct"' "$file" || complain "$(cat "$file")"
    [ "$(wc -c <"${file%.json}.1.0.bin")" = 16384 ] || complain "contents of b: $(ls -l "$work/record")"
    tuned "$file"
done

# Contents that were cut, as by a full disk, are no contents of a smaller buffer.
for file in "$@"; do
    head -c 100 "${file%.json}.1.0.bin" >"$work/cut"
    cp "$work/cut" "${file%.json}.1.0.bin"
    status=0
    "$heddle" tune "$file" --device vulkan:0 --budget 1 --time 60 >"$work/log" 2>&1 || status=$?
    [ $status = 1 ] && grep -q 'holds 100 bytes; the argument has 16384' "$work/log" || complain "cut contents: exit $status: $(cat "$work/log")"
done
# A disk that is full while contents are written (files of 8 KiB at most): no recording is left that lacks them.
(
    ulimit -f 16
    trap '' XFSZ
    VK_LAYER_PATH=$layer VK_INSTANCE_LAYERS=VK_LAYER_HEDDLE_record HEDDLE_RECORD="$work/full" HEDDLE_DATABASE=none HEDDLE_CACHE_DIR=none \
        "$heddle" tune "$sources/tests/record/add.comp" --device vulkan:0 --budget 1 --time 60 >"$work/log" 2>&1
)
grep -q 'bin: cannot be written' "$work/full/record.log" || complain "no reason: $(cat "$work/log")"
for file in "$work"/full/*.json; do [ ! -e "$file" ] || complain "$file was written without its contents"; done

# A program with images runs as before, and the reason is reported.
VK_LAYER_PATH=$layer VK_INSTANCE_LAYERS=VK_LAYER_HEDDLE_record HEDDLE_RECORD="$work/images" \
    "$heddle" tune "$sources/tests/record/image.comp" --device vulkan:0 --budget 2 --time 60 >"$work/log" 2>&1 ||
    complain "images under the layer: exit $?: $(cat "$work/log")"
grep -q "not recorded, since it has images" "$work/images/record.log" || complain "no reason: $(cat "$work/images/record.log")"
exit $failed
