#!/bin/sh
# sh css_hostile.sh HEDDLE: pages and sheets that are none, damaged, or out of all proportion: a clear message or the recovery of the
# specifications, within 2 GiB of memory and the time that a test has. Sizes in ./dev test full are ten times those of ./dev test.
heddle=$1
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
unset HEDDLE_DEVICE
# shellcheck disable=SC3045  # where the shell knows it, and the program is not one of a sanitizer, which maps much more
(ulimit -v 2097152 && "$heddle" --version) > /dev/null 2>&1 && ulimit -v 2097152
many=10000000
[ -z "${HEDDLE_TEST_FULL:-}" ] || many=100000000
site=$work/site
mkdir "$site"
page=$site/page.html
sheet=$site/sheet.css
echo '<!doctype html><title>t</title><body><p class=a>1<p id=b>2' > "$page"
echo 'p { } .a { } #b { }' > "$sheet"
repeat() { yes "$2" | tr -d '\n' | head -c $(($1 * ${#2})); } # COUNT TEXT
rules_are() { # VALIDITY AND COUNTS
    [ "$(cut -f 2,3 "$work/out" | tr '\t\n' '  ')" = "$1" ] || complain "rules are $(cut -f 2,3 "$work/out" | tr '\t\n' '  ' | head -c 300)"
}
matches_of() { # RULES: of $site/x.css on the page
    run 0 css match "$page" "$site/x.css" --tsv
    err_is_empty
    rules_are "$1"
}

# ---- sheets: what is open at the end is closed, as CSS Syntax 3 says ----
for sign in '(' '[' '{' '"' ')' '/*' ':is(' '@' '\\'; do
    repeat $((many / ${#sign})) "$sign" > "$site/x.css"
    run 0 css match "$page" "$site/x.css" --tsv
    err_is_empty
    [ "$(wc -l < "$work/out")" -le 1 ] || complain "$sign, many times: $(wc -l < "$work/out") rules"
done
head -c $many /dev/zero > "$site/x.css"; matches_of ''
: > "$site/x.css"; matches_of ''
{ repeat 9999 'p + '; echo 'p { } p { }'; } > "$site/x.css"; matches_of 'M 0 M 2 '
{ repeat 9999 ':root '; echo 'p { } p { }'; } > "$site/x.css"; matches_of 'M 0 M 2 '
{ repeat 10000 '.a'; echo '{ } p { }'; } > "$site/x.css"; matches_of 'M 1 M 2 '
{ repeat 10000 ':not('; echo 'p { } p { }'; } > "$site/x.css"; matches_of ''
{ repeat 100 ':not('; printf p; repeat 100 ')'; echo ' { } p { }'; } > "$site/x.css"; matches_of 'U 0 M 2 '
{ repeat 100000 '.b, '; echo 'p { } p { }'; } > "$site/x.css"; matches_of 'M 2 M 2 '
repeat 100000 '.a { } ' > "$site/x.css"
run 0 css match "$page" "$site/x.css" --tsv
[ "$(cut -f 2,3 "$work/out" | uniq -c | tr -s ' \t' ' ')" = ' 100000 M 1' ] || complain '100,000 rules'
# damaged UTF-8 is U+FFFD, and so is U+0000
printf '.\344 { } p { } .\355\240\200, p { }' > "$site/x.css"; matches_of 'M 0 M 2 M 2 '
printf '<!doctype html><meta charset=utf-8><p class="\344">1<p id="x\0y">2' > "$site/damaged.html"
printf '.\357\277\275, #x\357\277\275y { } .\344 { } #x\0y { } #x\\0 y { }' > "$site/x.css"
run 0 css match "$site/damaged.html" "$site/x.css" --tsv; err_is_empty; rules_are 'M 2 M 1 M 1 M 1 '

# ---- what is no text ----
printf '\211PNG\r\n\032\nxxxxIHDR' > "$site/picture"
run 1 css match "$site/picture" "$sheet"; out_is_empty; err_has 'picture: this is a PNG picture: expected HTML in UTF-8'
run 1 css match "$page" "$site/picture"; out_is_empty; err_has 'picture: this is a PNG picture: expected a style sheet in UTF-8'
# control bytes that no text has: in a page, a sheet, words, a configuration, a recording; whatever the encoding would make of them
i=0
while [ $i -lt 300 ]; do printf '%b' "\\0$(printf %o $((i * 167 % 251 + 1)))"; i=$((i + 1)); done > "$site/noise.html" # random bytes, without one of NUL
run 1 css unused "$site/noise.html" --css "$sheet" --out "$work/none.css"; out_is_empty; err_has 'noise.html: file is binary (byte 0x[01]. at offset [0-9]*); expected HTML'
[ ! -e "$work/none.css" ] || complain 'a sheet was written for a binary page'
for byte in 001 010 013 016 032 034 037; do
    printf '{"format": "heddle css recording"\'"$byte" > "$site/binary"
    run 1 css unused "$site/binary" --css "$sheet"; out_is_empty; err_has "binary (byte 0x$(printf %02x "0$byte") at"
    run 1 css match "$site/binary" "$sheet"; out_is_empty
    run 1 css unused "$page" --css "$site/binary"; out_is_empty; err_has 'expected a style sheet'
    run 1 css unused --words "$site/binary" --css "$sheet"; out_is_empty; err_has 'expected a text'
    run 1 css unused --config "$site/binary"; out_is_empty; err_has 'expected a text'
done
# HTML by its first tag, escape sequences of terminals, U+0000, and UTF-16 with its mark are texts
for text in '<!doctype html>\001<p class=a>' '<p class=a>\033[1m' 'a\0<p class=a>' '\377\376<\0p\0 \0c\0l\0a\0s\0s\0=\0a\0>\0\001\0'; do
    # shellcheck disable=SC2059  # the text has escapes
    printf "$text" > "$site/x.html"
    run 0 css match "$site/x.html" "$sheet" --tsv; err_is_empty; rules_are 'M 1 M 1 M 0 '
done
head -c 5000 /dev/zero > "$site/x.html"
run 1 css unused "$site/x.html" --css "$sheet"; out_is_empty; err_has 'x.html: page has no element'

# ---- pages ----
: > "$site/x.html"
run 0 css match "$site/x.html" "$sheet" --tsv; rules_are 'M 0 M 0 M 0 '
head -c 100000 /dev/zero > "$site/x.html"
run 0 css match "$site/x.html" "$sheet" --tsv; rules_are 'M 0 M 0 M 0 '
echo 'div div > div { } :root .a ~ .a { } div:not(:has(div)) { } :nth-child(2 of .a) { }' > "$site/x.css"
{ echo '<!doctype html>'; repeat 10000 '<div class=a>'; } > "$site/x.html"
run 0 css match "$site/x.html" "$site/x.css" --tsv; err_is_empty; rules_are 'M 9998 M 9489 M 9490 M 1 ' # deeper elements are siblings at depth 512
{ echo '<!doctype html>'; repeat 100000 '<div class=a></div>'; } > "$site/x.html"
run 0 css match "$site/x.html" "$site/x.css" --tsv; err_is_empty; rules_are 'M 0 M 99999 M 100000 M 1 '
{ echo '<!doctype html><p class="'; repeat 100000 'a b '; echo '">'; } > "$site/x.html"
run 0 css match "$site/x.html" "$sheet" --tsv; err_is_empty; rules_are 'M 1 M 1 M 0 '
# ---- browsers that end: a sentence, not a signal, and nothing of theirs is left ----
mkdir "$work/page" "$work/temporary"
echo '<!doctype html><p>' > "$work/page/index.html"
printf '#!/bin/sh\n: > "$TMPDIR/left"\nexit 0\n' > "$work/chromium-dead"
printf '#!/bin/sh\nexec 3<&-\n: > "$TMPDIR/left"\nprintf "{\\"id\\":1,\\"result\\":{}}\\0" >&4\nsleep 1\n' > "$work/chromium-deaf"
chmod +x "$work/chromium-dead" "$work/chromium-deaf"
for browser in "$work/chromium-dead" "$work/chromium-deaf"; do
    TMPDIR=$work/temporary run 1 css record "$work/page" --out "$work/r.json" --headless --browser "$browser"; err_has 'browser: it ended'
    TMPDIR=$work/temporary run 1 tune "$work/page" --list --headless --browser "$browser"; err_has ' ended'
done
[ -z "$(ls "$work/temporary")" ] || complain "files of browsers are left: $(ls "$work/temporary")"

exit $failed
