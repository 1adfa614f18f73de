#!/bin/sh
# The Debian packages, in a system that has nothing else: `./dev deb` runs this in one brand-new Debian 12 to build, and in
# another to install. Needs root.
#     deb.sh build OUT      what is committed, as source and binary packages in OUT; lintian; again in another folder: the same bits?
#     deb.sh try OUT        installs them one by one, then runs debian/tests against what is installed
set -eu
out=$(mkdir -p "$2" && cd "$2" && pwd)
stage() { printf '== %s\n' "$*"; }
fail() { printf 'deb: %s\n' "$*" >&2; exit 1; }
quietly() { # WORDS COMMAND...
    words=$1
    shift
    "$@" >"$out/log" 2>&1 </dev/null || { tail -n 40 "$out/log" >&2; fail "failed: $words (the log: $out/log)"; }
}
export DEBIAN_FRONTEND=noninteractive
apt_get() { quietly "apt-get $1" apt-get -y -q -o Dpkg::Use-Pty=0 "$@"; }

# The source as it would be uploaded: upstream's tarball is the committed tree without debian/, at the commit's time.
unpack() { # FOLDER
    mkdir -p "$1"
    version=$(dpkg-parsechangelog -S Version)
    upstream=${version%-*}
    git archive --prefix="heddle-$upstream/" --output="$1/heddle.tar" HEAD -- . ':!debian'
    gzip -n9 <"$1/heddle.tar" >"$1/heddle_$upstream.orig.tar.gz"
    tar xf "$1/heddle.tar" -C "$1"
    git archive HEAD debian | tar x -C "$1/heddle-$upstream"
    rm "$1/heddle.tar"
}

build() { # FOLDER
    unpack "$1"
    start=$(date +%s)
    (cd "$1/heddle-$upstream" && quietly "dpkg-buildpackage in $1" dpkg-buildpackage -us -uc)
    printf '   built in %d s: %s\n' $(($(date +%s) - start)) "$1"
}

case $1 in
    build)
        stage "build dependencies"
        apt_get update
        apt_get install --no-install-recommends dpkg-dev debhelper lintian
        apt_get build-dep --no-install-recommends ./
        rm -rf "${out:?}"/*
        stage "packages"
        build /var/tmp/heddle-first
        find /var/tmp/heddle-first -maxdepth 1 -type f -exec cp {} "$out/" \;
        stage "lintian"
        lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$out"/*.changes || fail 'lintian found something'
        stage "the same to the bit from another folder"
        build /srv/another/place/for-heddle
        differ=0
        for package in /var/tmp/heddle-first/*.deb; do
            if cmp "$package" "/srv/another/place/for-heddle/${package##*/}"; then
                printf '   %s  %s\n' "$(sha256sum <"$package" | cut -c 1-16)" "${package##*/}"
            else differ=1; fi
        done
        [ $differ = 0 ] || fail 'two builds differ: diffoscope says where'
        ;;
    try)
        apt_get update
        stage "what the library pulls in"
        apt_get install --no-install-recommends "$out"/libheddle0.1_*.deb
        dpkg-query -W -f '   ${binary:Package} ${Installed-Size} kB\n' libheddle0.1
        dpkg-query -f '${Depends}\n' -W libheddle0.1 | sed 's/^/   /'
        for package in libjack-jackd2-0 libassimp5 libasound2; do
            ! dpkg-query -W "$package" >/dev/null 2>&1 || fail "libheddle0.1 pulls in $package"
        done
        stage "install"
        names=
        for package in "$out"/*.deb; do case $package in *-dbgsym_*) ;; *) names="$names $package" ;; esac; done
        # shellcheck disable=SC2086  # file names of ours, without spaces
        apt_get install --no-install-recommends $names
        # shellcheck disable=SC2086
        for package in $names; do printf '   %6d kB  %s\n' $(($(wc -c <"$package") / 1024)) "${package##*/}"; done
        awk '/^Tests:/ { print $2 }' debian/tests/control | while read -r test; do
            stage "debian/tests/$test"
            needs=$(awk -v test="$test" '/^Tests:/ { found = $2 == test } found && /^Depends:/ { sub("Depends:", ""); gsub(",", ""); print }' debian/tests/control)
            # shellcheck disable=SC2086
            apt_get install --no-install-recommends $needs
            AUTOPKGTEST_TMP=$(mktemp -d)
            export AUTOPKGTEST_TMP
            quietly "debian/tests/$test" "debian/tests/$test"
        done
        stage "removed"
        # shellcheck disable=SC2086
        apt_get purge libheddle0.1 heddle-data
        left=$(find /usr /etc /var/lib -path /var/lib/dpkg -prune -o -name '*heddle*' -print)
        [ -z "$left" ] || fail "after purging this is left: $left"
        ;;
    *) fail "unknown step \"$1\": build or try" ;;
esac
rm -f "$out/log"
