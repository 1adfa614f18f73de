# Shared by the demos: what each leaves behind, said in a line. Sourced by each. $1 is the folder for
# everything, $2 `short` (each demo within 15 s) or `long`.
# shellcheck shell=sh
out=$1
long=$([ "${2:-short}" = long ] && echo yes || echo)
demo=$(basename "$0" .sh)
# shellcheck disable=SC2034  # used by the demos
data=data # ./dev demo runs these in the root of the checkout
items=$out/$demo.items
: >"$items"

say() { printf '\n%s\n' "$*"; }
# show FILE WORDS...: puts a file of $out on the page, with what it is.
show() {
    file=$1
    shift
    [ ! -s "$out/$file" ] || printf '%s\t%s\n' "$file" "$*" >>"$items"
}
# keep FILE COMMAND...: shows what a command prints, and keeps it; ends with the command's failure.
keep() {
    kept=$out/$1
    shift
    "$@" >"$kept" || { code=$?; cat "$kept"; exit "$code"; }
    cat "$kept"
}
# pick SHORT LONG: one of both.
pick() { [ "$long" ] && echo "$2" || echo "$1"; }
