#!/bin/sh
# blender.sh HEDDLE SCRATCH: the extension in Blender's own module, and Blender's check of the zip. A Python 3.11 that has it is
# $HEDDLE_BPY, or one on the PATH: python3.11 -m venv FOLDER && FOLDER/bin/pip install bpy==4.2.0
set -eu
python=
for candidate in ${HEDDLE_BPY:-} python3.11 python3; do
    if command -v "$candidate" >/dev/null && "$candidate" -c 'import bpy, numpy' 2>/dev/null; then python=$candidate; break; fi
done
[ "$python" ] || { echo "SKIPPED: no Python here has Blender's module bpy (set HEDDLE_BPY to one; pip install bpy==4.2.0 into a Python 3.11)"; exit 77; }
rm -rf "$2/blender"
mkdir -p "$2/blender/empty"
HEDDLE=$1 PYTHONDONTWRITEBYTECODE=1 "$python" blender/tests/bake_test.py
HEDDLE=$1 "$python" blender/tests/alembic_test.py

# As Blender's own tool has it: the folder, and the zip with the newest wheel, if one was built.
tool=$("$python" -c 'import bpy, os; print(os.path.join(bpy.utils.system_resource("SCRIPTS"), "addons_core", "bl_pkg", "cli", "blender_ext.py"))' | tail -n 1)
[ -f "$tool" ] || { echo "Blender $tool is not there: the manifest was not checked"; exit 1; }
wheel=$(find build/wheel/dist -name 'heddle_gpu-*.whl' 2>/dev/null | sort | tail -n 1)
# shellcheck disable=SC2086  # no wheel, no argument
"$python" blender/build.py "$2/blender" $wheel
PYTHONDONTWRITEBYTECODE=1 "$python" "$tool" validate blender/heddle_cloth
PYTHONDONTWRITEBYTECODE=1 "$python" "$tool" validate "$2"/blender/*.zip
mkdir "$2/blender/unpacked"
(cd "$2/blender/unpacked" && "$python" -m zipfile -e ../*.zip .)
PYTHONDONTWRITEBYTECODE=1 "$python" "$tool" build --source-dir "$2/blender/unpacked" --output-dir "$2/blender/empty"
[ -z "$wheel" ] || PYTHONDONTWRITEBYTECODE=1 "$python" blender/tests/install_test.py "$2"/blender/*.zip
rm -rf "$2/blender"
