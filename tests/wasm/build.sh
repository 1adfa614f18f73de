#!/bin/sh
# build.sh SOURCE-FOLDER: brings build/wasm up to date for the tests of WebAssembly; skipped where ./dev wasm has not been run.
set -eu
cd "$1"
skip() { echo "skipped: $1; ./dev wasm installs and builds what is missing"; exit 77; }
command -v clang-19 >/dev/null || skip 'there is no clang-19 with the target wasm32'
command -v wasm-ld-19 >/dev/null || skip 'there is no wasm-ld-19'
[ -e /usr/share/emscripten/cache/sysroot ] || skip 'there is no system root of emscripten'
[ -e build/wasm-libraries ] || skip 'there are no sources of jansson and libyaml in build/wasm-libraries'
cmake --preset wasm >/dev/null
ninja -C build/wasm
