#!/bin/sh
# sh browser.sh HEDDLE [FOLDER]: headless Chromium asked about pages and sheets, our own and those of Debian packages: which rules are
# valid, which elements each of them matches, and which rule wins on each element. With FOLDER its answers on our own are written there.
heddle=$1
# shellcheck source=pairs.sh
. "$(dirname "$0")/pairs.sh"
command -v chromium > /dev/null || command -v chromium-browser > /dev/null || command -v google-chrome > /dev/null || {
    echo "no Chromium here; apt-get install chromium"
    exit 77
}
folder=${2:-} rules=0 differ=0 pairs=0

answers_about() { # SHEET
    awk -F '\t' -v sheet="$1" '$1 == "sheet" { on = $2 == sheet; next } on && $1 != "end"' "$work/answers" > "$work/one"
}

# Compares all sheets on a page with what the browser says, in the file answers.
compare() { # PAGE SHEET...
    asked=$1
    shift
    sh "$here/ask.sh" "$asked" "$@" > "$work/answers" || { complain "Chromium gave no answer about $asked"; return; }
    for sheet; do
        answers_about "$sheet"
        match "$asked" "$sheet"
        grep -v '^winner' "$work/one" | cut -f 1-4 | diff - "$work/rules" > "$work/difference"
        pairs=$((pairs + 1)) rules=$((rules + $(wc -l < "$work/rules"))) differ=$((differ + $(grep -c '^>' "$work/difference")))
        [ ! -s "$work/difference" ] || complain "$asked, $sheet: Chromium (<) and we (>): $(head -n 12 "$work/difference")"
        sed -n 's/^winner\t//p' "$work/one" | diff - "$work/winners" > "$work/difference" ||
            complain "$asked, $sheet: winners of Chromium (<) and ours (>): $(head -n 12 "$work/difference")"
    done
}

# ---- our own ----
for page in elements quirks forms; do
    set --
    for sheet in $(sheets_of $page); do set -- "$@" "$here/$sheet.css"; done
    compare "$work/$page.html" "$@"
    for sheet in $(sheets_of $page); do
        answers_about "$here/$sheet.css"
        echo "sheet $sheet"
        grep -v '^winner' "$work/one" | cut -f 1-4
        echo "winners $(sed -n 's/^winner\t//p' "$work/one" | cksum)"
    done > "$work/$page.tsv"
    if [ -n "$folder" ]; then cp "$work/$page.tsv" "$folder"
    else cmp -s "$work/$page.tsv" "$here/golden/$page.tsv" || complain "golden/$page.tsv is not what Chromium says: sh browser.sh HEDDLE golden"; fi
done

# Each disputed rule is still one.
sh "$here/ask.sh" "$work/elements.html" "$here/disputed.css" | grep -v '^winner\|^sheet\|^end' > "$work/one" || complain "Chromium gave no answer about disputed.css"
match "$work/elements.html" "$here/disputed.css"
disputed=$(wc -l < "$work/rules")
cut -f 1-4 "$work/one" | grep -Fx -f - "$work/rules" > "$work/agreed"
[ ! -s "$work/agreed" ] || complain "disputed.css: no longer disputed: $(cat "$work/agreed")"

# The browser's own statistics of selectors name those of the page.
printf '<!doctype html><style>div p:first-child { top: 0 } p { left: 0 }</style><body><div><p>1<p>2</div>' > "$work/cost.html"
"$heddle" css cost "$work/cost.html" --browser --json > "$work/cost" || complain "cost --browser fails"
grep -q '"selector": "div p:first-child"' "$work/cost" && grep -q '"elements": 2' "$work/cost" || complain "cost --browser lists other selectors: $(cat "$work/cost")"
# Texts of selectors that Chromium writes in another form than the sheet are found in the sheet, too.
cat > "$work/cost.html" << 'HTML'
<!doctype html><style>p:before { top: 0 } .a>b { top: 0 } *::after { content: "" } [title=y] { top: 0 } [title='y' i] { top: 0 }
li:nth-child(2N+1) { top: 0 } li:nth-child( n + 1 ) { top: 0 } .\32xl\:x { top: 0 } .w-1\/2 { top: 0 } :is( .a,.b ) * { top: 0 }
P.Big { top: 0 } *|em { top: 0 } .a+*.b~i { top: 0 } .m  .n { top: 0 } .Big { top: 0 } .big { top: 0 }</style>
<p title=y class="Big 2xl:x w-1/2">x<div class=a><b>x</b><ul><li>a<li>b</ul></div><i class=b>x</i><i>x</i><em class=m>x<u class=n>x</u></em>
HTML
"$heddle" css cost "$work/cost.html" --browser --json > "$work/cost" || complain "cost --browser fails"
[ "$(grep -c '"elements": [1-9]' "$work/cost")" -ge 15 ] && ! grep '"elements": -1' "$work/cost" ||
    complain "cost --browser does not find selectors of the sheet: $(cat "$work/cost")"

# ---- those of packages ----
pages='/usr/share/debian-reference/ch09.en.html
/usr/share/developers-reference/developers-reference.html
/usr/share/doc/aptitude/html/en/ch02s05s05.html
/usr/share/doc/cmake-data/html/manual/ctest.1.html
/usr/share/doc/debian-policy/fhs/fhs-3.0.html
/usr/share/doc/ghostscript/html/Use.html
/usr/share/doc/git-doc/git-config.html
/usr/share/doc/libjs-bootstrap5/examples/cheatsheet/index.html
/usr/share/doc/libjs-spectre-docs/docs/elements/forms.html
/usr/share/doc/maint-guide/html/dreq.en.html
/usr/share/doc/opencl-clhpp-headers/html/opencl_8hpp_source.html
/usr/share/doc/sqlite3/lang_select.html
/usr/share/doc/zsh-common/html/Completion-System.html'
sheets='/usr/share/bootstrap-html/css/bootstrap.css
/usr/share/doc/opencl-clhpp-headers/html/doxygen.css
/usr/share/doxygen-awesome-css/doxygen-awesome.css
/usr/share/fonts-font-awesome/css/font-awesome.css
/usr/share/fonts-fork-awesome/css/fork-awesome.css
/usr/share/javascript/bootstrap/css/bootstrap.css
/usr/share/javascript/jquery-mobile/jquery.mobile-1.4.5.css
/usr/share/javascript/jquery-ui/themes/base/jquery-ui.css
/usr/share/javascript/leaflet/leaflet.css
/usr/share/javascript/libjs-material-design-lite/css/material.css
/usr/share/javascript/milligram/milligram.css
/usr/share/javascript/spectre/spectre.css
/usr/share/nodejs/bootstrap/dist/css/bootstrap.css
/usr/share/nodejs/normalize.css/normalize.css
/usr/share/sphinx_rtd_theme/static/css/theme.css'
there() { for file; do [ ! -r "$file" ] || echo "$file"; done; }
# shellcheck disable=SC2086  # one file a word
pages=$(there $pages) sheets=$(there $sheets)
page_count=$(echo "$pages" | wc -w) sheet_count=$(echo "$sheets" | wc -w)
# shellcheck disable=SC2086
for page in $pages; do compare "$page" $sheets; done
echo "$pairs pairs of a page and a sheet, $rules rules: $differ differ; $disputed more are disputed"
[ $((disputed * 100)) -le $rules ] || complain "more than a hundredth of the rules is left out"
[ $failed = 0 ] || exit 1
[ "$page_count" -ge 10 ] && [ "$sheet_count" -ge 10 ] && exit 0
echo "of the packages' pages $page_count are here, of their sheets $sheet_count, of ten each: ./dev setup installs their packages"
exit 77
