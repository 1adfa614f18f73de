#!/bin/sh
# first_lines.sh TARBALL [EMULATOR...]: the first lines of the documents, each in an empty folder, first with the unpacked tarball on PATH, then
# with the wheel that is made of it, installed by pip into an environment of its own. With an emulator, a tarball for another processor:
# the lines that need the installed tree alone.
set -eu
tarball=$1
shift
tests=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
mkdir "$scratch/tree"
tar xzf "$tarball" -C "$scratch/tree" --strip-components=1

if [ $# -gt 0 ]; then
    echo "== the tarball, in an emulator"
    mkdir "$scratch/bin"
    printf '#!/bin/sh\nexec %s %s "$@"\n' "$*" "$scratch/tree/bin/heddle" >"$scratch/bin/heddle"
    chmod +x "$scratch/bin/heddle"
    python3 "$tests/first_lines.py" --without cc --without pip --without compiler --without vulkan --without browser >"$scratch/lines.sh"
    (cd "$scratch" && env -i PATH="$scratch/bin:/usr/bin:/bin" sh lines.sh) || failed=1
    exit $failed
fi

echo "== the tarball"
python3 "$tests/first_lines.py" --without pip --without vulkan --without browser >"$scratch/lines.sh"
(cd "$scratch" && env -i PATH="$scratch/tree/bin:/usr/bin:/bin" PKG_CONFIG_PATH="$scratch/tree/lib/pkgconfig" sh lines.sh) || failed=1

# README.md also starts the program, which finds the libraries in the folder of the tarball.
# shellcheck disable=SC2016
(cd "$scratch" && env -i HEDDLE_DEVICE=host PATH="$scratch/tree/bin:/usr/bin:/bin" PKG_CONFIG_PATH="$scratch/tree/lib/pkgconfig" \
    sh -c 'cc $(heddle data first.c) $(pkg-config --cflags --libs heddle) -o first && ./first') || failed=1

echo "== the wheel"
if [ ! -d "$scratch/tree/lib/python3" ] || ! /usr/bin/python3 -c 'import cffi, numpy, venv, pip' 2>/dev/null; then
    echo "left out: the wheel, since Debian's python3-cffi, python3-numpy, python3-venv or python3-pip is not here"
    exit $failed
fi
/usr/bin/python3 "$tests/../python/wheel.py" "$scratch/tree" "$scratch/dist"
/usr/bin/python3 -m venv --system-site-packages "$scratch/environment"
export WHEEL PIP_NO_INDEX=1
WHEEL=$(echo "$scratch"/dist/*.whl)
"$scratch/environment/bin/pip" install --quiet --disable-pip-version-check "$WHEEL"
python3 "$tests/first_lines.py" --without cc --without vulkan --without browser >"$scratch/lines.sh"
(cd "$scratch" && env -i WHEEL="$WHEEL" PIP_NO_INDEX=1 PATH="$scratch/environment/bin:/usr/bin:/bin" sh lines.sh) || failed=1
exit $failed
