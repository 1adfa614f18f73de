#!/bin/sh
# A compute shader of a web page tuned in the browser that runs it: a 17 x 17 blur in WGSL, in Chromium without a window.
# `heddle` is on the PATH; the database goes to the demo's folder, since this is only to look at.
set -eu
# shellcheck source=examples/demo/show.sh
. "$(dirname "$0")/show.sh"
export HEDDLE_DATABASE="$out/shaders.db"
rm -f "$out"/shaders.db*

if ! command -v chromium >/dev/null && ! command -v google-chrome >/dev/null; then
    echo 'This machine has no Chromium (Debian: apt install chromium): shaders are left out here.'
    exit 0
fi
# A GPU of software needs seconds for what a GPU does in a millisecond: there the picture is small.
say 'The fastest group for a blur in WGSL, in Chromium:'
heddle tune examples/web/small.json --browser chromium --headless --budget "$(pick 16 60)" --time "$(pick 14 90)" --report "$out/shaders.html"
heddle db export --shader examples/web/small.json "$out/blur.tuned.js"
show shaders.html 'A compute shader tuned in Chromium without a window: what was tried, and how fast it was there.'
show blur.tuned.js 'What a web page takes of it: a choice by architecture, vendor and limits.'
