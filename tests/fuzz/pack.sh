#!/bin/sh
# sh pack.sh FUZZERS CORPUS BUNDLE.tar.xz: the fuzzers of a folder, what they need of shared libraries, and their inputs (those of the
# repository, and of CORPUS) as one archive that runs on another Linux with the same processor:
#
#     tar xf BUNDLE.tar.xz && sh fuzz/run.sh OUT SECONDS
#
# The C library comes along for systems whose own is older. What OUT holds then is taken home by merge.sh.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
fuzzers=$1 corpus=$2 bundle=$3
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir -p "$place/fuzz/fuzzers" "$place/fuzz/lib" "$place/fuzz/libc" "$place/fuzz/seeds"
cp "$here/run.sh" "$place/fuzz/"
for fuzzer in "$fuzzers"/*_fuzz; do
    name=$(basename "$fuzzer")
    strip -o "$place/fuzz/fuzzers/$name" "$fuzzer"
    mkdir "$place/fuzz/seeds/$name"
    for folder in "$here/$name" "$corpus/$name"; do
        [ ! -d "$folder" ] || find "$folder" -type f -size -64k -exec cp -t "$place/fuzz/seeds/$name" {} +
    done
    ldd "$fuzzer"
done | sed -n 's/.*[[:space:]]\(\/[^ ]*\) (.*/\1/p' | sort -u >"$place/libraries"
while read -r library; do
    case $(basename "$library") in
        ld-linux* | libc.* | libm.* | libdl.* | libpthread.* | librt.* | libresolv.*) cp -L "$library" "$place/fuzz/libc/" ;;
        *) cp -L "$library" "$place/fuzz/lib/" ;;
    esac
done <"$place/libraries"
# The largest first, one behind the other: fuzzers of one library are nearly the same bytes, which a large dictionary finds.
(cd "$place" && find fuzz -type f -printf '%s\t%p\n' | sort -rn | cut -f 2 | tar -c -T -) | xz --lzma2=preset=1,dict=96MiB >"$bundle.part"
mv "$bundle.part" "$bundle"
du -h "$bundle"
