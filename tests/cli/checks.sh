#!/bin/sh
# shellcheck disable=SC2034,SC2154  # `heddle` comes from the script that sources this, `failed` goes back to it
# What the scripts here share: running the command, and looking at what came out. Sourced.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

complain() {
    failed=1
    echo "FAILED: $*" >&2
    sed 's/^/  stdout: /' "$work/out" >&2
    sed 's/^/  stderr: /' "$work/err" >&2
}

# run CODE ARGUMENTS...: the command must end with this exit code.
run() {
    expected=$1
    shift
    words=$*
    code=0
    "$heddle" "$@" > "$work/out" 2> "$work/err" < /dev/null || code=$?
    [ "$code" = "$expected" ] || complain "heddle $words: exit code $code instead of $expected"
}

out_has() { grep -q -e "$1" "$work/out" || complain "heddle $words: \"$1\" is not on stdout"; }
err_has() { grep -q -e "$1" "$work/err" || complain "heddle $words: \"$1\" is not on stderr"; }
out_is_empty() { [ ! -s "$work/out" ] || complain "heddle $words: something is on stdout"; }
err_is_empty() { [ ! -s "$work/err" ] || complain "heddle $words: something is on stderr"; }

# await CONDITION: until it holds; five minutes, for a machine that does much else.
await() {
    turns=0
    until eval "$1"; do
        turns=$((turns + 1))
        [ $turns -lt 6000 ] || { complain "waited in vain: $1"; break; }
        sleep 0.05
    done
}

# await_handler NUMBER PROCESS: until it has a handler for this signal; before that the signal ends it, or is lost.
await_handler() {
    await "mask=\$(sed -n 's/^SigCgt:[^0-9a-f]*//p' /proc/$2/status); [ \$((0x0\$mask >> $(($1 - 1)) & 1)) = 1 ]"
}

# await_work PROCESS: until it has computed for one more second, which on a busy machine takes longer than a second.
await_work() {
    before=$(awk '{ print $14 + $15 }' "/proc/$1/stat")
    await "awk '{ exit \$14 + \$15 < $before + 100 }' /proc/$1/stat"
}

# hold PIPE: until another process reads it, which it then does until descriptor 9 is closed. After five minutes it is read anyway.
hold() {
    timeout 330 sh -c "sleep 300; exec cat '$1'" > /dev/null 2>&1 &
    exec 9> "$1"
    kill $!
}

# Nothing but one array of objects, each of which has these keys.
out_is_json() {
    case $(head -c 1 "$work/out")$(tail -n 1 "$work/out") in
        "[]") ;;
        *) complain "heddle $words: no JSON array" ;;
    esac
    objects=$(grep -c '^  {' "$work/out")
    for key in "$@"; do
        [ "$(grep -c "^    \"$key\": " "$work/out")" = "$objects" ] || complain "heddle $words: \"$key\" is not in every object"
    done
    if command -v python3 > /dev/null; then
        python3 -m json.tool < "$work/out" > /dev/null || complain "heddle $words: not JSON"
    fi
}
