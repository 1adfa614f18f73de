#!/bin/sh
# sh full.sh HEDDLE SOURCE: each command that prints fails where what it prints is not taken, with a reason; none ends with 0.
heddle=$1
root=$2
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
[ -e /dev/full ] || exit 77
unset HEDDLE_DEVICE
export HEDDLE_OPENCL_LIBRARY=none HEDDLE_CUDA_LIBRARY=none HEDDLE_NVRTC_LIBRARY=none HEDDLE_VULKAN_LIBRARY=none HEDDLE_GL_LIBRARY=none
export XDG_DATA_HOME="$work/data" XDG_CACHE_HOME="$work/cache"
mkdir "$work/here"
cd "$work/here" || exit 1
: > "$work/out"

# full ARGUMENTS...: ends with 1 and says why on stderr.
full() {
    code=0
    timeout 300 "$heddle" "$@" > /dev/full 2> "$work/err" < /dev/null || code=$?
    [ "$code" = 1 ] || complain "heddle $* > /dev/full: exit code $code instead of 1"
    grep -q 'cannot \(write\|print\) ' "$work/err" || complain "heddle $* > /dev/full: no reason is on stderr"
}

echo '<!doctype html><link rel=stylesheet href=a.css><p class=x>' > p.html
echo '.x { a: b } .gone { a: b }' > a.css
cp "$root"/data/scenes/cushion.* "$root/data/scenes/table.obj" "$root/data/scenes/body.obj" "$root/data/instruments/vibes.json" .
"$heddle" db import --database t.db "$root"/data/tuning/*.json > "$work/out" 2>&1 || complain "heddle db import"
kernel=$("$heddle" db list --database t.db | sed -n '2s/ .*//p')

for words in --help --version version 'help --man' 'help tune' 'completion bash' 'completion zsh' 'completion fish' '__complete ' '__complete cloth ' \
    devices 'devices --json' doctor 'doctor --json' 'cache info' 'cache info --json' 'cache warm' 'cache clear' \
    'verify --quick -k copy' 'verify --quick -k copy --json' 'pack --counts 40,8,0,60 --warps 4' 'pack --counts 40,8 --json' \
    'tune --schema' 'tune --help' 'tune heddle:copy --device host --budget 1 --no-keep' 'tune heddle:copy --device host --budget 1 --no-keep --json' \
    'sweep heddle:copy --device host --budget 1 --no-keep' \
    'cloth run --schema' 'cloth run cushion.json --frames 1' 'cloth run cushion.json --frames 1 --json' 'cloth inspect cushion.json' 'cloth inspect cushion.json --json' \
    'cloth check table.obj' 'cloth check table.obj --json' 'cloth drape table.obj --over body.obj --out d.obj --seconds 0.02' \
    'synth check --schema' 'synth check vibes.json' 'synth check vibes.json --json' 'synth render vibes.json -o v.wav --tail 0' 'synth render vibes.json --json --tail 0' \
    'mppi run --schema' 'mppi models' 'mppi models --json' 'mppi models --text cartpole' 'mppi run cartpole --steps 2' 'mppi run cartpole --steps 2 --json' \
    'mppi run cartpole --steps 2 --csv /dev/stdout' 'mppi new robot' \
    'css match p.html a.css' 'css match p.html a.css --json' 'css unused p.html' 'css unused p.html --json' 'css cost p.html' 'css cost p.html --json' \
    'css explain p.html p' 'css explain p.html p --json' \
    'db path' 'db path --json' 'db list --database t.db' 'db list --database t.db --json' "db show $kernel --database t.db" \
    'db export --database t.db out.json' 'db prune --database t.db --keep-best 1 --dry-run'; do
    # shellcheck disable=SC2086  # words are words
    full $words
done
printf '{"jobs": [{"run": ["version"], "stdout": "one.txt"}]}' > l.json
full batch l.json --device host
if "$heddle" doctor | grep -q '^microhttpd  *works'; then full serve; fi
exit $failed
