#!/bin/sh
# types.sh FOLDER: the package in FOLDER/heddle has types that mypy takes in strict mode.
set -eu
command -v mypy >/dev/null || { echo "SKIPPED: mypy is not here (apt install mypy)"; exit 77; }
cd "$1"
# Older numpy wants parameters for the type of an array, newer has defaults for them: both pass. cffi and pandas may come without stubs.
check() { mypy --strict --allow-any-generics --ignore-missing-imports --no-warn-unused-ignores --cache-dir=/dev/null "$@"; }
check -p heddle
# A program that uses every public name finds them exported, those of the engines' modules too.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
public() { awk '/^__all__ = / { on = 1 } on { print } on && /]$/ { exit }' "heddle/$1.py" | grep -o '"[A-Za-z_0-9]*"' | tr -d '"'; }
{
    echo 'import heddle'
    for name in $(public __init__); do echo "print(heddle.$name)"; done
    for module in css mppi; do for name in $(public $module); do echo "print(heddle.$module.$name)"; done; done
} >"$scratch/user.py"
[ "$(wc -l <"$scratch/user.py")" -gt 45 ] || { echo "FAILED: few public names were found"; exit 1; }
MYPYPATH=$PWD check "$scratch/user.py"
