#!/bin/sh
# sh css_addresses.sh HEDDLE: the sheets that addresses name, encodings of pages and sheets, files that are no pages, and the folders of --out.
heddle=$1
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
unset HEDDLE_DEVICE
site=$work/site
mkdir -p "$site/css/deep" "$site/pages" "$site/a b"
cd "$site" || exit 1
file_has() { grep -q -e "$2" "$1" || complain "$1 lacks \"$2\": $(cat "$1")"; }
file_lacks() { ! grep -q -e "$2" "$1" || complain "$1 has \"$2\""; }
reads() { # ADDRESS: a page whose link has this address has a sheet with one used and one unused rule
    printf '<!doctype html>%s<link rel=stylesheet href="%s"><p class=x>' "$2" "$1" > pages/address.html
    run 0 css unused pages/address.html; err_is_empty; out_has '^1 of 2 rules match nothing'
    run 0 css match pages/address.html; err_is_empty; out_has '1  \.x$'
}

# ---- addresses ----
sheet='.x { a: b } .gone { a: b }'
for file in "a b/s t.css" "css/x?y.css" css/deep/plain.css "css/100%.css"; do echo "$sheet" > "$file"; done
reads '../a%20b/s%20t.css'
reads '../a b/s t.css'
reads ' 
 ../css/deep/plain.css?v=2#top	'
reads '..\css\deep\plain.css'
reads '../css/x%3Fy.css'
reads '../css/100%.css'
reads '/css/deep/plain.css'
reads "file://$site/css/deep/plain.css"
reads "FILE://localhost$site/a%20b/s%20t.css"
reads 'data:text/css,.x%20{a:b}.gone{a:b}'
reads 'data:text/css;base64,LnggeyBhOiBiIH0gLmdvbmUgeyBhOiBiIH0='
reads plain.css '<base href="../css/deep/">'
reads plain.css '<base target=_top><base href="/css/deep/index.html?q#f"><base href="/none/">'
reads deep/plain.css "<base href=' file://$site/css/x.html '>"
printf '<!doctype html><base href="https://site.test/"><link rel=stylesheet href="a.css"><link rel=stylesheet href="//cdn.test/b.css"><link rel=stylesheet href="data:text/css;base64,!"><link rel=stylesheet href="file://far.test/c.css"><p class=x><style>.x{}</style>' > pages/address.html
run 0 css unused pages/address.html
for name in a.css //cdn.test/b.css 'file://far.test/c.css'; do err_has "the sheet $name is not read: it is not on this machine"; done
err_has 'damaged base 64'
run 0 css match pages/address.html; err_has 'a.css is not read: it is not on this machine'
echo '<!doctype html><base href="../css/"><style>@import " deep/plain.css ";</style><p class=x>' > pages/address.html
run 0 css unused pages/address.html; err_is_empty; out_has '1 of 2 rules'
run 0 css match pages/address.html; err_is_empty; out_has '1  \.x$'

# ---- encodings: the class is a letter beyond ASCII, which the page and the sheet have in different bytes ----
both() { # PAGE SHEET: printf formats
    # shellcheck disable=SC2059 # formats
    { printf "$1" > pages/encoded.html; printf "$2" > css/encoded.css; }
    run 0 css unused pages/encoded.html --out encoded.out.css; err_is_empty
    out_has "^1 of 2 rules match nothing"
    # shellcheck disable=SC2059
    printf "$3" > encoded.expected.css
    cmp -s encoded.out.css encoded.expected.css || complain "another reduced sheet: $(od -c encoded.out.css)"
}
link='<link rel=stylesheet href=../css/encoded.css>'
both "<!doctype html><meta charset=iso-8859-1>$link<p class=\344\200>" '.\344\200{}.\351{}' '.\344\200{}'
both "<!doctype html><meta charset=utf-8>$link<p class=\303\244>" '@charset "latin1";.\344{}.\351{}' '@charset "latin1";.\344{}'
both "<!doctype html><META http-equiv=Content-Type content=\"text/html; charset='windows-1251'\">$link<p class=\344>" '@charset "utf-8";.\320\264{}.\351{}' '@charset "utf-8";.\320\264{}'
both "<!doctype html><!-- <meta charset=koi8-r> -->$link<p class=\344>" '@charset "windows-1252";.\344{}.\351{}' '@charset "windows-1252";.\344{}'
both "<?xml version='1.0' encoding='windows-1253'?><html>$link<p class=\344>" '\357\273\277.\316\264{}.x{}' '\357\273\277.\316\264{}'
both "<!doctype html><meta charset=utf-16>$link<p class=\303\244>" '\377\376.\000\344\000{\000}\000.\000x\000{\000}\000' '\377\376.\000\344\000{\000}\000'
both "<!doctype html><meta charset=utf-8>$link<p class=\303\244>" '\376\377\000.\000\344\000{\000}\000.\000x\000{\000}' '\376\377\000.\000\344\000{\000}'
printf '\377\376' > pages/encoded.html
printf '<!doctype html><meta charset=utf-8><link rel=stylesheet href=../css/encoded.css><p class=\303\244>' | iconv -f utf-8 -t utf-16le >> pages/encoded.html
printf '.\303\244{}.x{}' > css/encoded.css
run 0 css unused pages/encoded.html; err_is_empty; out_has '^1 of 2 rules'
if iconv -f shift_jis -t utf-8 < /dev/null 2> /dev/null; then # which not every system has
    both "<!doctype html><meta charset=shift_jis>$link<p class=\203\101>" '.\203\101{}.\203\102{}' '.\203\101{}'
fi
for locale in C POSIX C.UTF-8; do
    LC_ALL=$locale "$heddle" css unused pages/encoded.html > "$work/out.$locale" || complain "locale $locale"
    cmp -s "$work/out.C" "$work/out.$locale" || complain "another answer in the locale $locale"
done

# ---- files that are no pages: named, so that no sheet is emptied ----
echo "$sheet" > css/all.css
refuses() { # FILE KIND, with its text on stdin
    cat > "pages/$1"
    rm -f none.css
    run 1 css unused "pages/$1" --css css/all.css --out none.css; out_is_empty
    err_has "pages/$1: $2.* expected"
    [ ! -e none.css ] || complain "a sheet was written"
}
refuses empty.html 'page has no element (0 bytes)' < /dev/null
echo 'just a text' | refuses text.html 'page has no element (12 bytes)'
echo 'export default () => <p className="x">a</p>' | refuses App.jsx 'file is a JSX component'
echo 'import x from "x"; export default () => <p class="x">a</p>' | refuses script.html 'file is a script or a JSX component'
echo '<p className="x">a</p>' | refuses class.html 'file is a JSX component'
echo '<template><p class="x">a</p></template>' | refuses App.vue 'file is a Vue component'
echo '<p class="x">{#if a}b{/if}</p>' | refuses App.svelte 'file is a Svelte component'
echo '<p class="<?= $x ?>">a</p>' | refuses index.php 'file is a PHP template'
echo '<!doctype html><title>x</title><?php echo 1 ?><p class=x>' | refuses php.html 'file is a PHP template'
echo '<p class="<%= x %>">a</p>' | refuses index.html.erb 'file is a template (<% %>)'
echo '{% extends "base.html" %}<p class=x>' | refuses twig.html 'file is a template ({% %})'
printf '<!doctype html><body>\n  {%% block x %%}<p class=x>{%% endblock %%}' | refuses block.html 'file is a template ({% %})'
echo '<p class="{{ x }}">a</p>' | refuses index.html.j2 'file is a template ({% %})'
echo '<!doctype html><p class="a {{ x }}">a</p>' | refuses handle.html 'file is a template ({{ }})'
echo '# Title' | refuses readme.md 'file is a text with markup'
echo 'p { }' | refuses page.css 'file is a style sheet'
printf -- '---\nlayout: x\n---\n<p class=x>' > pages/jekyll.html # Bootstrap's examples begin so
run 0 css unused pages/jekyll.html --css css/all.css; out_has '^1 of 2 rules'
run 0 css match pages/App.jsx css/all.css; err_has 'warning: pages/App.jsx: file is a JSX component'
mkdir only
cp pages/App.jsx only
run 1 css unused only --css css/all.css; err_has 'only: no page in this folder.*--words only'
cat > pages/real.html << 'PAGE'
<!doctype html><title>{% of it %}</title><p class=x title="{{ x }}">{{ x }} {% if %} <pre>
{% if x %}<% x %>
</pre><code>
{% if x %}</code><script>
{% if x %} `<p className="${x}">` "<?php"</script><style>
{% x %}</style><textarea>
<% x %></textarea><!--
{% if x %} <?php --><a onclick='x("<?xml")' href="?a=<b>">100 <% </a>
PAGE
run 0 css unused pages/real.html --css css/all.css; out_has '^1 of 2 rules'
cp pages/real.html pages/saved.php
run 0 css unused pages/saved.php --css css/all.css; out_has '^1 of 2 rules'

# ---- --out FOLDER/ keeps the folders of the sheets ----
rm -rf pages only encoded.*
mkdir pages
echo '@import "deep/b.css"; .x { background: url(../x.png) } .gone { a: b }' > css/a.css
echo '.x { a: b } .gone { a: b }' > css/deep/b.css
echo '<!doctype html><link rel=stylesheet href=../css/a.css><style>.gone{}</style><p class=x>' > pages/p.html
run 0 css unused pages --out out/; err_is_empty
file_has out/css/a.css 'url(../x.png)'; file_lacks out/css/a.css gone
file_has out/css/deep/b.css '\.x'; file_lacks out/css/deep/b.css gone
run 0 css unused pages --css css/a.css --out given/; err_is_empty
file_has given/a.css '@import "deep/b.css"'; file_has given/deep/b.css '\.x'
(cd pages && run 0 css unused p.html --out ../inner/ && err_is_empty)
file_has inner/css/deep/b.css '\.x'
echo '<!doctype html><style>.gone{}</style><p class=x>' > pages/p.html
run 2 css unused pages --out empty/; err_has -- '--out empty/: nothing to write: all 1 sheets of the pages are texts of <style> elements'
[ ! -e empty ] || complain "a folder was made for nothing"
run 2 css unused pages --out empty.css; err_has 'nothing to write'

exit $failed
