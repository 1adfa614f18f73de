#!/bin/sh
# types.sh FOLDER: the package in FOLDER/heddle has types that mypy takes in strict mode.
set -eu
command -v mypy >/dev/null || { echo "SKIPPED: mypy is not here (apt install mypy)"; exit 77; }
cd "$1"
# Older numpy wants parameters for the type of an array, newer has defaults for them: both pass. cffi and pandas may come without stubs.
exec mypy --strict --allow-any-generics --ignore-missing-imports --no-warn-unused-ignores --cache-dir=/dev/null -p heddle
