#!/bin/sh
# Makes $1/index.html of what the demos left there ($1/NAME.items: file, tab, what it is).
set -eu
cd "$1"
escape() { sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'; }
title() {
    case $1 in
        runtime) echo 'Runtime: one kernel, every device' ;;
        tune) echo 'Tuner: the fastest variant, found and kept' ;;
        cloth) echo 'Cloth' ;;
        synth) echo 'Synth' ;;
        mppi) echo 'MPPI: control by sampled futures' ;;
        shaders) echo 'Shaders: a web page tuned in its browser' ;;
        css) echo 'Style sheets: what a site uses of them' ;;
        *) echo "$1" ;;
    esac
}
{
    cat <<'TEXT'
<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Heddle: the demos</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(26rem, 100%), 1fr)); gap: 1.5rem }
figure { margin: 0 } figure.wide { grid-column: 1 / -1 }
img { width: 100%; max-height: 24rem; object-fit: contain; background: #8882; border-radius: 4px }
pre { overflow-x: auto; background: #8882; padding: .7rem; border-radius: 4px; font-size: .8rem; line-height: 1.35 }
audio { width: 100% } figcaption { color: GrayText }
</style>
<h1>Heddle: what the demos made</h1>
<p>Each was made on this machine by <code>./dev demo</code>; <code>./dev demo NAME</code> makes the long version of one.</p>
TEXT
    for name in runtime tune cloth synth mppi $(ls ./*.items | sed 's|./\(.*\).items|\1|' | grep -vx -e runtime -e tune -e cloth -e synth -e mppi); do
        [ -s "$name.items" ] || continue
        printf '<h2 id="%s">%s</h2>\n<main>\n' "$name" "$(title "$name" | escape)"
        tab=$(printf '\t')
        while IFS=$tab read -r file words; do
            words=$(printf '%s' "$words" | escape)
            case $file in
                *.png | *.svg) printf '<figure><a href="%s"><img src="%s" alt="%s"></a><figcaption>%s</figcaption></figure>\n' "$file" "$file" "$words" "$words" ;;
                *.wav) printf '<figure><audio controls preload="none" src="%s"></audio><figcaption>%s</figcaption></figure>\n' "$file" "$words" ;;
                *.txt) printf '<figure class="wide"><figcaption>%s</figcaption><pre>' "$words"
                    escape <"$file"
                    printf '</pre></figure>\n' ;;
                *) printf '<figure><a href="%s">%s</a> (%s)<figcaption>%s</figcaption></figure>\n' "$file" "$file" \
                    "$(du -h "$file" | cut -f1)B" "$words" ;;
            esac
        done <"$name.items"
        printf '</main>\n'
    done
    echo '</html>'
} >index.html.part
mv index.html.part index.html
