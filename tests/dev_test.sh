#!/bin/sh
# dev_test.sh SOURCE-FOLDER: ./dev where another apt is at work, and with wrong words. Programs are played, in a folder that is
# all of PATH: nothing is installed.
set -eu
source=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/tree"
cp "$source/dev" "$source/CMakePresets.json" "$scratch/tree/"
for program in bash sh cat dirname nproc env mktemp rm tail basename grep sed sleep touch tr; do
    ln -s "$(command -v $program)" "$scratch/bin/$program"
done
play() { # PROGRAM SCRIPT
    printf '#!/bin/sh\n%s\n' "$2" >"$scratch/bin/$1"
    chmod +x "$scratch/bin/$1"
}
play id 'echo 0'
play dpkg 'exit 0'
# The first update finds the lists locked, the first installation fails, as with lists that are out of date.
play apt-get 'echo "$*" >>'"$scratch"'/calls
case $* in
    *update*) [ -e '"$scratch"'/locked ] || { touch '"$scratch"'/locked; echo "E: Could not get lock /var/lib/apt/lists/lock." >&2; exit 100; } ;;
    *install*) [ -e '"$scratch"'/locked ] || exit 100 ;;
esac'

failed=0
complain() { failed=1; echo "FAILED: ./dev $words: $*"; sed 's/^/    /' "$scratch/out"; }
run() { # CODE WORDS...
    expected=$1 code=0
    shift
    words=$*
    rm -f "$scratch/calls" "$scratch/locked"
    : >"$scratch/calls"
    PATH="$scratch/bin" "$scratch/tree/dev" "$@" >"$scratch/out" 2>&1 </dev/null || code=$?
    [ "$code" = "$expected" ] || complain "exit code $code; expected $expected"
}
says() { grep -qF -e "$1" "$scratch/out" || complain "does not print \"$1\""; }

for words in 'build nosuch' 'build base' 'test nosuch' 'demo nosuch' 'nosuch' 'fresh nosuch'; do
    # shellcheck disable=SC2086  # words
    run 2 $words
    [ ! -s "$scratch/calls" ] || complain "calls apt-get $(cat "$scratch/calls")"
done
run 2 build nosuch
says 'dev: there is no preset "nosuch"; there are: release debug asan'

# An installation waits for another apt, and so does an update; here both fail once. (There is no cmake then, hence the code.)
run 1 build release
grep -q 'DPkg::Lock::Timeout=600 .*install' "$scratch/calls" || complain 'an installation does not wait for another apt'
[ "$(grep -c update "$scratch/calls")" -ge 2 ] || complain 'an update does not wait for another apt'
[ "$(grep -c install "$scratch/calls")" -ge 1 ] || complain 'no second installation'

[ $failed = 0 ] && echo './dev: wrong words are refused before anything is installed; another apt is waited for'
exit $failed
