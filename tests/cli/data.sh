#!/bin/sh
# sh data.sh HEDDLE: names that stand for installed files, `heddle data`, and what completion offers.
heddle=$1
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
export HEDDLE_OPENCL_LIBRARY=none HEDDLE_CUDA_LIBRARY=none HEDDLE_NVRTC_LIBRARY=none HEDDLE_VULKAN_LIBRARY=none HEDDLE_GL_LIBRARY=none XDG_CACHE_HOME="$work/cache" XDG_DATA_HOME="$work/data"
unset HEDDLE_DEVICE
mkdir "$work/empty"
cd "$work/empty" || exit 1

run 0 data; err_is_empty
data=$(head -n 1 "$work/out")
[ -d "$data" ] || complain "heddle data: $data is no folder"
for word in flag shirt-inner vibes greensleeves car 'blur transpose\| blur ' blur.wgsl shop.css first.c; do out_has "$word"; done
run 0 data --json; err_is_empty; out_is_json kind name path
for path in $(sed -n 's/^ *"path": "\(.*\)"$/\1/p' "$work/out"); do [ -e "$path" ] || complain "$path is not there"; done
run 0 data first.c; grep -qx "$data/examples/first.c" "$work/out" || complain "heddle data first.c: another path"
run 0 data marimba.mid; grep -qx "$data/music/phrases/marimba.mid" "$work/out" || complain "heddle data marimba.mid: another path"
run 2 data nothing; out_is_empty; err_has 'no file "nothing" in '
run 2 data ../tuning.db; out_is_empty

# ---- one name of each kind ----
run 0 cloth inspect flag; err_has "^heddle: flag is $data/scenes/flag.json$"
run 0 cloth inspect flag --quiet; err_is_empty
run 0 cloth run flag.json --frames 1 --out flag.pc2; err_has "^heddle: flag.json is $data/scenes/flag.json$"
[ -s flag.pc2 ] || complain "no flag.pc2"
run 0 cloth check flag.pc2 --scene flag
run 0 cloth drape cushion --over table --seconds 0.02 --out cushion.glb
run 0 synth check vibes --no-load
run 0 synth render vibes -o note.wav --tail 0
run 0 synth render consort.json phrase.mid --help
run 0 mppi run car --steps 1
run 0 mppi run car.json --steps 1
run 0 mppi run cartpole --steps 1
run 0 css unused site; out_has ' \.newsletter$'; out_has 'on 3 pages'
run 0 css match shop shop.css; out_has ' nav ul$'
run 0 css explain shop.html shop.css h1

# ---- jobs of a batch: names in the list's folder, then installed ones ----
mkdir -p list/pages
echo '<p class=a>' > list/pages/a.html
echo '.a {} .b {}' > list/s.css
cat > list/l.json << 'JOBS'
{"jobs": [
  {"run": ["cloth", "run", "flag", "--frames", "1", "--out", "flag.pc2"], "output": "flag.pc2"},
  {"run": ["css", "match", "shop", "shop.css", "--tsv"], "stdout": "shop.tsv"},
  {"run": ["css", "unused", "pages", "--css", "s.css"], "stdout": "pages.txt"}]}
JOBS
run 0 batch list/l.json --device host; out_has '3 of 3 done'
grep -q "$data/scenes/flag.json.[0-9]*:[0-9a-f]" list/l.json.journal || complain "the journal has no size and hash of the installed scene"
run 0 batch list/l.json --device host --resume; err_is_empty
sed 's/"flag",/"flga",/' list/l.json > list/wrong.json
run 1 batch list/wrong.json --device host; err_has 'jobs\[0\].run.*flga: no such file.*did you mean flag?.*wrong.json:2'

# ---- names of nothing ----
run 2 cloth run flga; out_is_empty; err_has 'none of the scenes of cloth in .*; did you mean flag?$'
run 2 synth check vibez; err_has 'did you mean vibes?'
run 2 synth render vibes greensleevs -o x.wav; err_has 'did you mean greensleeves?'
run 2 css unused sites; err_has 'did you mean site?'
run 2 mppi run caar; err_has 'no model "caar"'
run 2 tune convolution; out_is_empty; err_has '^heddle: convolution: no such file; did you mean heddle:convolution?$'
run 2 tune convolutoin; err_has 'did you mean heddle:convolution?'
run 2 sweep heddle:copy saxpy; err_has 'did you mean heddle:saxpy?'
run 1 cloth run nothing.json; err_has 'nothing.json'
run 1 cloth run ./flag; err_has '\./flag'

# ---- a file of the current folder comes first, a folder does not stand for a scene ----
echo '{' > flag
run 1 cloth run flag; err_has '^heddle: flag:2:0: not JSON'
mkdir folder # one that is there is not called missing
run 1 tune folder; err_has '^heddle: folder: no index.html in this folder'
run 1 cloth run folder; err_has '^heddle: folder is a folder'
rmdir folder
rm flag && mkdir flag
# so for every kind of name; then an installed file, and last a scene that the command has built in
for words in 'synth check' 'mppi run' 'tune' 'css match shop'; do
    echo '{' > own
    # shellcheck disable=SC2086  # words
    case $words in
        css*) run 0 $words own ;;
        *) "$heddle" $words own > "$work/out" 2> "$work/err" && complain "$words own: taken"; err_has '^heddle: own' ;;
    esac
    rm own
done
echo '{' > cartpole
run 1 mppi run cartpole; err_has '^heddle: cartpole:'
rm cartpole && mkdir cartpole
run 0 mppi run cartpole --steps 1
run 0 mppi run differential_drive --steps 1
run 0 cloth inspect flag; err_has "^heddle: flag is $data/scenes/flag.json$"
mkdir -p site/deep/er site/.git
echo '<style>.one {} .two {}</style><p class=one>' > site/deep/er/page.htm
cp site/deep/er/page.htm site/.git/hidden.html
ln -s .. site/deep/loop
run 0 css unused site; out_has ' \.two$'; out_has 'on 1 page:'
run 0 css cost site --seconds 0.1
mkdir none
run 1 css unused none; err_has '^heddle: none: no page in this folder'

# ---- a command without data ----
mkdir "$work/bin"
cp "$heddle" "$work/bin/alone"
words='alone data' code=0
export LD_LIBRARY_PATH
LD_LIBRARY_PATH=$(ldd "$heddle" | sed -n 's|.* => \(.*\)/libheddle[^/]* .*|\1|p' | tr '\n' ':')
"$work/bin/alone" data > "$work/out" 2> "$work/err" || code=$?
[ $code = 1 ] || complain "heddle data without data: exit code $code"
err_has 'heddle-data'
heddle=$work/bin/alone
# the installed scene of a name comes before the built-in scene of a model of that name
mkdir -p "$work/share/heddle/mppi"
echo '{' > "$work/share/heddle/mppi/differential_drive.json"
run 1 mppi run differential_drive; err_has 'share/heddle/mppi/differential_drive.json:'
echo '{' > "$work/share/heddle/mppi/cartpole.json"
run 1 mppi run cartpole; err_has 'share/heddle/mppi/cartpole.json:'
rm -r "$work/share"
run 0 mppi run differential_drive --steps 1
rmdir flag
run 2 cloth run flag; err_has 'heddle-data'
run 0 mppi run cartpole --steps 1
run 2 mppi run network --steps 1; err_has 'heddle data'
heddle=$1
unset LD_LIBRARY_PATH

# ---- completion ----
offers() { # "WORDS SO FAR" WORD...
    words=$1
    shift
    # shellcheck disable=SC2086  # words
    "$heddle" __complete $words "${last-}" > "$work/out" 2> "$work/err"
    for word; do cut -f 1 "$work/out" | grep -qxF -e "$word" || complain "completion of \"$words ${last-}\" lacks $word"; done
}
last='' offers 'cloth run' :file flag garment
last=fl offers 'cloth run' flag
last='' offers 'synth render' vibes; last='' offers 'synth render vibes' greensleeves
last='' offers 'mppi run' car cartpole
last='' offers 'mppi models' bicycle quadratic
last=heddle: offers tune heddle:convolution heddle:copy
last='' offers tune blur
last='' offers 'verify --kernel' copy matmul
last='' offers 'cloth run --device' host best
last='' offers 'css unused' site shop
last='' offers data first.c flag
exit "$failed"
