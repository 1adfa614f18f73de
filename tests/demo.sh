#!/bin/sh
# demo.sh HEDDLE: `heddle demo` in an empty folder makes a page with all its parts.
set -eu
heddle=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
"$heddle" demo --quick >out 2>&1 || { cat out; echo "FAILED: exit code $?"; exit 1; }
cd heddle-demo
failed=0
complain() { echo "FAILED: $*"; failed=1; }
holds() { grep -q -e "$1" index.html || complain "the page has no \"$1\""; }
begins() { [ "$(head -c "${#2}" "$1")" = "$2" ] || complain "$1 does not begin with $2"; }

for part in runtime tuner cloth synth mppi css shaders; do
    holds "<section id=\"$part\"><h2>"
    [ "$(sed -n "/<section id=\"$part\">/,/<\/section>/p" index.html | grep -c '<p[ >]')" = 1 ] || complain "$part: not one sentence"
done
holds 'largest difference 0</b> between\|one device, so there is nothing to compare it with'
holds '<b>Your \(processor\|GPU\): [^<]*</b>; 20 of [0-9,]* '
holds 'A flag of 2,501 particles'
holds 'id="flag-glb">Z2xURg' # "glTF" in base64
holds '<path class="bodies" d="M'
holds '<audio controls'
holds 'before each move it looks at [0-9,]* futures'
holds '<mark>@keyframes slide-in'
grep -q 'Left out: .*browser' index.html || complain 'the page does not say that shaders are left out'
[ "$(grep -c 'class="absent"' index.html)" = 1 ] || complain "more than the shaders is absent: $(grep 'class="absent"' index.html)"
! grep -qi 'warning\|heddle: ' index.html || complain "raw messages: $(grep -i 'warning\|heddle: ' index.html | head -n 3)"
for file in $(grep -o '\(href\|src\)="[^"#:]*"' index.html | cut -d '"' -f 2 | sort -u); do
    [ -s "$file" ] || complain "the page leads to $file, which is not there"
done
begins harp.wav RIFF; begins flag.glb glTF; begins woven-blurred.png "$(printf '\211PNG')"; begins car.svg '<svg'

# A folder of somebody's own is left as it is; that of a demo, whole or interrupted, is taken again.
cd "$scratch"
for mine in index.html harp.wav; do
    rm -rf own
    mkdir own
    echo mine > own/$mine
    code=0
    "$heddle" demo --quick --out own >out 2>&1 || code=$?
    [ $code != 0 ] && grep -q 'own: the folder has files that are no demo.s' out || complain "exit code $code for a folder with $mine: $(cat out)"
    [ "$(cat own/*)" = mine ] || complain "$mine of somebody's own folder was replaced"
done
for attempt in whole begun; do # the second one finds what the first one left when it was stopped
    timeout 1 "$heddle" demo --quick --out heddle-demo >out 2>&1 || true
    ! grep -q 'no demo' out || complain "the folder of a demo ($attempt) is refused"
done
# A demo that is stopped while a command of its own runs ends after that command: nothing writes into its folder any more.
running() { grep -l -a -e "$scratch/[s]topped" /proc/[0-9]*/cmdline 2>/dev/null | wc -l; }
"$heddle" demo --quick --out "$scratch/stopped" >out 2>&1 &
demo=$! tries=0
while [ "$(running)" -lt 2 ] && [ $tries -lt 600 ]; do sleep 0.05; tries=$((tries + 1)); done
[ "$(running)" -ge 2 ] || complain "no command of the demo was seen: $(cat out)"
code=0
kill $demo
wait $demo || code=$?
[ "$(running)" = 0 ] || complain "a command outlives the demo that was stopped"
[ $code = 130 ] || complain "exit code $code of a demo that was stopped; expected 130: $(cat out)"

[ $failed = 0 ] && echo "demo: all of it is there"
exit $failed
