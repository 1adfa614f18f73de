# What gpu.sh, cloth.sh and synth.sh share; read by them with PORTABLE-FOLDER and RESULTS-FOLDER as $1 and $2.
# shellcheck shell=sh disable=SC2034 # they use what is set here
here=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
heddle=$here/bin/heddle
tests=$here/bin/heddle-tests
share=$here/share/heddle
failed=0

# The driver brings its OpenCL library; a bare machine lacks the file that names it.
if [ ! -e /etc/OpenCL/vendors/nvidia.icd ] && mkdir -p /etc/OpenCL/vendors 2>/dev/null; then
    echo libnvidia-opencl.so.1 >/etc/OpenCL/vendors/nvidia.icd
fi
devices=${DEVICES:-$("$heddle" devices --json | tr ',{' '\n\n' | sed -n 's/.*"id": *"\([^"]*\)".*/\1/p')}

check() { # NAME COMMAND...
    name=$1
    shift
    if "$@" >"$out/$name.log" 2>&1; then
        echo "ok      $name  $(grep -a ' tests passed, ' "$out/$name.log" | tail -n 1)"
    else
        echo "FAILED  $name ($?)"
        grep -aE '^\[FAIL|ERROR|heddle:| tests passed, ' "$out/$name.log" | cut -c1-200 | head -n 30
        failed=1
    fi
}

# The hash that a command prints with --json, or why there is none.
hash_of() { # COMMAND...
    hash=$("$@" --json 2>"$out/strict.err" | tr ',' '\n' | sed -n 's/.*"hash": *"*\([0-9a-fx]*\).*/\1/p')
    echo "${hash:-failed: $(tail -n 1 "$out/strict.err")}"
}

# Lines "what device hash" in $out/strict.txt: all devices of one have to agree.
agree() {
    if awk '{ if (($1 in hash) && hash[$1] != $3) { print "FAILED  strict", $0, "not", hash[$1]; bad = 1 } else hash[$1] = $3 }
            $3 == "failed:" { print "FAILED ", $0; bad = 1 } END { exit bad }' "$out/strict.txt"; then
        echo "ok      strict  $(wc -l <"$out/strict.txt") runs"
    else
        failed=1
    fi
}
