#!/bin/sh
# page_names.sh SOURCES: every name in the scripts of the pages is declared, by TypeScript's reading of them. A page whose script uses
# another name stops there, in the browser alone. Skipped without tsc (Debian: node-typescript).
cd "$1" || exit 1
command -v tsc >/dev/null || { echo "no tsc here (apt install node-typescript)"; exit 77; }
# names of WebGPU and of worklets, which this TypeScript does not know
platform="GPU[A-Za-z]*|AudioWorkletProcessor|registerProcessor|sampleRate"
unknown=$(tsc --allowJs --checkJs --noEmit --skipLibCheck --target esnext --module esnext --moduleResolution node --lib dom,esnext,dom.iterable \
    web/synth/*.js web/cloth/*.js web/shared/*.js web/record/*.js web/page/*.js site/live/*.js wasm/package/*.js |
    grep -E 'TS(2304|2552|18004):' | grep -vE "Cannot find name '($platform)'")
[ -z "$unknown" ] || { echo "names that nothing declares:"; echo "$unknown"; exit 1; }
