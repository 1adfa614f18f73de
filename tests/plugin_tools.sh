#!/bin/sh
# plugin_tools.sh FOLDER: the plugins are self-contained, and the tools of LV2 that are here find nothing wrong with heddle.lv2.
set -eu
folder=$1
lv2=$folder/lv2/heddle.lv2
fail() { echo "FAILED: $*"; exit 1; }

# Nothing but the system's own C library, and no names but the three that hosts look for.
for file in "$folder/clap/heddle.clap" "$lv2/heddle.so"; do
    for need in $(objdump -p "$file" | awk '/NEEDED/ { print $2 }'); do
        case $need in libc.so.6 | libm.so.6 | ld-linux*) ;; *) fail "$file needs $need" ;; esac
    done
    names=$(nm -D --defined-only "$file" | awk '{ print $3 }' | sort | tr '\n' ' ')
    [ "$names" = 'clap_entry lv2_descriptor lv2ui_descriptor ' ] || fail "$file exports $names"
    case $(getconf GNU_LIBC_VERSION) in
        glibc\ 2.3[0-6]) # releases are built where glibc is one of these; later ones have new names of old functions
            newest=$(objdump -T "$file" | grep -o 'GLIBC_2[.][0-9]*' | sort -t. -k2 -n | tail -1)
            [ "${newest#GLIBC_2.}" -le 34 ] || fail "$file needs $newest; docs/plugins.md says 2.34" ;;
    esac
done
cmp "$folder/clap/heddle.clap" "$lv2/heddle.so" || fail 'the two are not the same'
for file in "$lv2"/instruments/*.json; do
    name=$(basename "$file" .json)
    grep -q "preset-$name>" "$lv2/manifest.ttl" || fail "$name has no preset"
done

done=
if command -v sord_validate >/dev/null && [ -d /usr/lib/lv2 ]; then
    # shellcheck disable=SC2046  # their names hold no spaces
    sord_validate $(find -L /usr/lib/lv2/schemas.lv2 /usr/lib/lv2/[a-z]*.lv2 -name '*.ttl' | sort -u) "$lv2"/*.ttl >"$folder/validate.log" 2>&1 ||
        { cat "$folder/validate.log"; fail 'sord_validate has found something'; }
    tail -1 "$folder/validate.log"
    done="$done sord_validate"
fi
LV2_PATH=$folder/lv2
export LV2_PATH
if command -v lv2bench >/dev/null; then
    result=$(lv2bench urn:heddle:synth 2>"$folder/bench.log") || fail 'lv2bench'
    case $result in *urn:heddle:synth) ;; *) cat "$folder/bench.log"; fail "lv2bench passes it over: $result" ;; esac
    done="$done lv2bench"
fi
if command -v lv2info >/dev/null; then
    presets=$(lv2info urn:heddle:synth 2>/dev/null | sed -n '/Presets:/,/^$/p' | grep -c '[A-Z][a-z]*$' || true)
    count=$(find "$lv2/instruments" -name '*.json' | wc -l)
    [ "$presets" -ge "$count" ] || fail "lv2info shows $presets presets of $count"
    done="$done lv2info"
fi
echo "self-contained;${done:- none of the tools of LV2 is here}"
