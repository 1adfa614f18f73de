#!/bin/sh
# types.sh FOLDER: the package in FOLDER/heddle has types that mypy takes in strict mode.
set -eu
command -v mypy >/dev/null || { echo "SKIPPED: mypy is not here (apt install mypy)"; exit 77; }
cd "$1"
# numpy's arrays have needed no parameters since its types have defaults for them; cffi and pandas may be here without stubs.
exec mypy --strict --allow-any-generics --ignore-missing-imports --no-warn-unused-ignores --cache-dir=/dev/null -p heddle
