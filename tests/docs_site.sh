#!/bin/sh
# The documentation site is built, with what `./dev demo` has left, and every link in it leads somewhere; nothing comes from elsewhere.
set -eu
for program in mkdocs doxygen; do
    command -v $program >/dev/null || { echo "SKIPPED: $program is not here (apt install $program)"; exit 77; }
done
[ -x /usr/bin/python3 ] && /usr/bin/python3 -c 'import mkdocs, pygments' 2>/dev/null || { echo "SKIPPED: mkdocs and python3-pygments of Debian are not here"; exit 77; }
/usr/bin/python3 site/build.py
/usr/bin/python3 tests/docs_links.py --site build/site
