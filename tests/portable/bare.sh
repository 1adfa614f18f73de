#!/bin/sh
# bare.sh TARBALL [ROOT]: the portable build in a Debian 12 that has nothing else (a chroot, so it needs root; debootstrap
# makes one unless ROOT is one). Every command of the README's first page works there, or names the package that it misses.
set -eu
tarball=$1
if [ "$(id -u)" != 0 ]; then echo "SKIPPED: a chroot needs root"; exit 77; fi
scratch=$(mktemp -d)
root=${2:-$scratch/root}
finish() {
    for mount in dev proc; do umount -l "$root/$mount" 2>/dev/null || true; done
    rm -rf --one-file-system "$scratch" "$root/heddle"
}
trap finish EXIT
trap 'exit 130' INT TERM
failed=0
if [ $# = 1 ]; then
    command -v debootstrap >/dev/null || { echo "SKIPPED: debootstrap is not here (apt install debootstrap)"; exit 77; }
    debootstrap --variant=minbase bookworm "$root" >"$scratch/log" 2>&1 || { tail -n 5 "$scratch/log"; echo "FAILED: debootstrap"; exit 1; }
fi
for mount in proc dev; do
    mount --rbind "/$mount" "$root/$mount" && mount --make-rslave "$root/$mount" || { echo "SKIPPED: nothing can be mounted here"; exit 77; }
done
mkdir "$root/heddle"
tar xzf "$tarball" -C "$root/heddle" --strip-components=1

# run CODE COMMAND-LINE: in a shell of that system, in the folder of the tarball.
run() {
    code=0
    chroot "$root" env -i HOME=/heddle PATH=/heddle/bin:/usr/bin:/bin LANG=C.UTF-8 sh -c "cd /heddle && $2" >"$scratch/out" 2>&1 </dev/null || code=$?
    words=$2
    if [ "$code" = "$1" ]; then return; fi
    complain "exit code $code instead of $1"
}
complain() {
    failed=1
    echo "FAILED: $words: $*"
    tail -n 20 "$scratch/out" | sed 's/^/    /'
}
says() { grep -q -e "$1" "$scratch/out" || complain "does not say \"$1\""; }
begins() { [ "$(head -c "${#2}" "$root/heddle/$1" 2>/dev/null)" = "$2" ] || complain "$1 does not begin with $2"; }

run 0 'heddle doctor'
says '^host  *works'
for package in libjack-jackd2-0 libasound2 libsndfile1 libegl1 libglfw3 ocl-icd-libopencl1 nvidia-driver; do says "apt install $package"; done
run 0 'heddle devices'; says '^host '
run 0 'heddle verify --quick --kernel copy'; says 'passed'
run 0 'heddle tune heddle:saxpy --device host --time 2 --no-keep --report tune.html'; begins tune.html '<!'

run 0 'heddle demo --quick --out page'; says 'The page: page/index.html'
grep -q 'processor: [0-9.]* times faster' "$root/heddle/page/index.html" || complain 'the demo has tuned nothing'

run 0 'heddle synth check vibes'
run 0 'heddle synth render vibes -o note.wav --tail 0.5 --spectrogram note.png'
begins note.wav RIFF; begins note.png "$(printf '\211PNG')"
run 0 'heddle synth render tank --in note.wav -o wet.wav --tail 0'; begins wet.wav RIFF
run 1 'heddle synth render vibes -o note.flac --tail 0'; says 'apt install libsndfile1'
run 1 'heddle synth play vibes'; says 'apt install libjack-jackd2-0'
run 1 'heddle synth play vibes --alsa'; says 'apt install libasound2'

run 0 'heddle cloth run flag --frames 4 --out flag.pc2'; begins flag.pc2 POINTCACHE2
run 0 'heddle cloth run flag --frames 2 --png-every 1 --glb flag.glb --out picture.pc2'
begins picture-0001.png "$(printf '\211PNG')"; begins flag.glb glTF
printf '{"frames": 2, "garments": [{"mesh": "flag.glb"}]}\n' >"$root/heddle/again.json"
run 0 'heddle cloth run again.json --out again.pc2'; begins again.pc2 POINTCACHE2
run 1 'heddle cloth view flag'; says 'apt install libglfw3'

# The first lines of the documents, in an empty folder each. There is no compiler here, neither of C nor of kernels.
python3 "$(dirname "$0")/../first_lines.py" --without cc --without pip --without compiler --without vulkan --without browser >"$root/heddle/lines.sh"
run 0 'sh lines.sh'

[ $failed = 0 ] && echo 'portable: every command works in a bare Debian 12, or names its package'
exit $failed
