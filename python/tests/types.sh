#!/bin/sh
# types.sh FOLDER: the package in FOLDER/heddle has types that mypy takes in strict mode.
set -eu
command -v mypy >/dev/null || { echo "SKIPPED: mypy is not here (apt install mypy)"; exit 77; }
cd "$1"
exec mypy --strict --cache-dir=/dev/null -p heddle
