#!/bin/sh
# sh files.sh HEDDLE SOURCE: no output of the command replaces a file that it reads, none follows a symbolic link.
heddle=$1
root=$2
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
unset HEDDLE_DEVICE
export HEDDLE_OPENCL_LIBRARY=none HEDDLE_CUDA_LIBRARY=none HEDDLE_NVRTC_LIBRARY=none HEDDLE_VULKAN_LIBRARY=none HEDDLE_GL_LIBRARY=none
export XDG_DATA_HOME="$work/data" XDG_CACHE_HOME="$work/cache"
mkdir "$work/here"
cd "$work/here" || exit 1

# refused CODE KEPT OUTPUT SOURCE ARGUMENTS...: ends with CODE, names both, and the file KEPT is as it was.
refused() {
    code_of=$1 kept=$2 output=$3 source=$4
    shift 4
    cp "$kept" "$work/before"
    run "$code_of" "$@"
    err_has "$output: this output would replace $source"
    cmp -s "$work/before" "$kept" || complain "heddle $words: $kept was changed"
    [ -z "$(find . -name '*.part')" ] || complain "heddle $words: unfinished files are left"
}

# ---- css ----
echo '<!doctype html><link rel=stylesheet href=a.css><p class=x>' > p.html
echo '@import "b.css"; .x { a: b } .gone { a: b }' > a.css
echo '.y { a: b }' > b.css
ln -s p.html link
ln p.html hard.html
mkdir sub
refused 2 p.html '--out p.html' p.html css unused p.html --css a.css --out p.html
refused 2 p.html '--out ./sub/../p.html' p.html css unused p.html --css a.css --out ./sub/../p.html
refused 2 p.html '--report hard.html' p.html css unused p.html --css a.css --report hard.html
refused 2 p.html '--report p.html' link css unused link --css a.css --report p.html
refused 2 a.css '--out a.css' a.css css unused p.html --css a.css --out a.css
refused 2 a.css '--out ./a.css' a.css css unused p.html --out ./a.css # which the page names
refused 2 b.css '--out b.css' b.css css unused p.html --css a.css --out b.css # which a sheet imports
refused 1 a.css ./a.css a.css css unused p.html --out .
echo '<!doctype html><link rel=stylesheet href=sub/a.css><p class=x>' > sub.html
cp a.css b.css sub
out_is_nothing() { [ ! -e new ] && [ ! -e new.css ] || complain "heddle $words: something was written"; }
run 0 css unused p.html sub.html --out new/ # sheets of one name, each in its folder
[ -e new/a.css ] && [ -e new/sub/b.css ] || complain "heddle $words: a sheet has another folder"
rm -r new
run 2 css unused p.html sub.html --out new.css; err_has 'a file holds one sheet, and 4 were read'; out_is_empty; out_is_nothing
rm sub.html sub/*.css
refused 2 b.css '--out new.css' '--report new.css' css unused p.html --css a.css --report new.css --out new.css
[ ! -e new.css ] || complain "one of two outputs of one name was written"
run 0 css unused p.html --css a.css --out fine.css
run 0 css unused p.html --css a.css --out fine.css # which is replaced: the command does not read it

# ---- pages that a browser reads: files by their addresses ----
cp p.html 'a page.json'
refused 2 'a page.json' '--out a page.json' '.*/a page.json' css record "file://$PWD/a%20page.json" --out 'a page.json' --headless
refused 2 'a page.json' '--out ./a page.json' '.*a page.json' css record 'a page.json' --out './a page.json' --headless

# ---- reports are results, not pages of a site ----
rm hard.html
run 0 css unused ./*.html --report unused.html; err_is_empty
cp "$work/out" "$work/first"
run 0 css unused ./*.html --report unused.html; err_has 'unused.html is left out: it is a report'
cmp -s "$work/first" "$work/out" || complain "a report was read as a page"
run 1 css unused unused.html; err_has 'reports of Heddle.s alone'
for page in cli/css/unused.html cli/batch/page.html tunefile/report/report.html web/page/index.html web/page/serve.html; do
    head -c 1024 "$root/$page" | grep -q '<meta name=generator content=heddle>' || complain "$page has no mark of a report"
done

# ---- tune: the file, the kernel's text, the database ----
cp "$root/examples/tune/blur.json" v.json
cp "$root/examples/tune/blur.cl" blur.txt
sed -i 's/blur\.cl/blur.txt/' v.json
for option in --csv --t4 --report; do refused 2 v.json "$option v.json" v.json tune v.json --device host $option v.json; done
compiles=$(env -u HEDDLE_OPENCL_LIBRARY "$heddle" devices 2> /dev/null | sed -n 's/^\(opencl:[0-9:]*\) .*/\1/p' | head -n 1)
[ -z "$compiles" ] || ( # a device that compiles the text
    unset HEDDLE_OPENCL_LIBRARY
    refused 1 blur.txt '--csv blur.txt' blur.txt tune v.json --device "$compiles" --csv blur.txt --budget 1 --time 20
    exit $failed
) || failed=1
refused 2 v.json '--t4 new' '--csv ./new' tune v.json --csv ./new --t4 new
echo '{}' > list.json
refused 2 list.json 'list.json' list.json db export list.json --database list.json

# ---- cloth: the scene, its meshes, frames, the state beside the cache ----
cp "$root/data/scenes/cushion.json" "$root/data/scenes/cushion.obj" .
cp cushion.json scene
refused 2 scene '--out scene' scene cloth run scene --frames 2 --device host --out scene
cp cushion.obj x.glb
sed 's/cushion\.obj/x.glb/' cushion.json > mesh.json
cp cushion.obj x-0002.obj
sed 's/cushion\.obj/x-0002.obj/' cushion.json > frame.json
refused 1 x-0002.obj x-0002.obj x-0002.obj cloth run frame.json --frames 3 --device host --out x.pc2 --obj-every 2
cp cushion.json c.state
[ ! -e x.pc2 ] && [ ! -e x-mesh.obj ] && [ ! -e x.state ] && [ ! -e x-0000.obj ] || complain "heddle $words: it was begun"
run 0 cloth run cushion.json --frames 1 --device host --out x.pc2
cp x.state "$work/state"
refused 1 x-0002.obj x-0002.obj x-0002.obj cloth run frame.json --frames 3 --device host --out x.pc2 --obj-every 2
cmp -s x.state "$work/state" || complain "heddle $words: the older run's state was changed"
cp x-0002.obj x-0000.obj
sed 's/x-0002/x-0000/' frame.json > start.json
refused 1 x-0000.obj x-0000.obj x-0000.obj cloth run start.json --frames 1 --device host --out x.pc2 --obj-every 2
refused 1 c.state c.state c.state cloth run c.state --frames 2 --device host --out c.pc2
refused 2 cushion.obj '--out cushion.obj' cushion.obj cloth drape cushion.obj --over "$root/data/scenes/body.obj" --out cushion.obj
run 0 cloth run cushion.json --frames 1 --device host --out again.pc2 --animated again.glb # which reads the cache that it has written
run 0 cloth run cushion.json --frames 2 --device host --out again.pc2 --resume             # which reads and replaces its state

# ---- sound, control ----
cp "$root/data/instruments/vibes.json" vibes
refused 2 vibes '--spectrogram vibes' vibes synth render vibes --device host --spectrogram vibes
cp vibes vibes.json
cp "$root/data/mppi/cartpole.json" cartpole
cp cartpole cartpole.json
refused 2 cartpole '--csv ./cartpole' cartpole mppi run cartpole --device host --steps 3 --csv ./cartpole

# ---- outputs that are open files: written in place, with all that is printed before and after ----
words='mppi run --csv to an open file'
"$heddle" mppi run cartpole.json --device host --steps 3 --csv /dev/stdout --strict > whole 2> "$work/err" || complain "heddle $words"
[ "$(grep -c '^[0-2],' whole)" = 3 ] && grep -q '^/dev/stdout: 3 rows' whole || complain "heddle $words: output is lost in a file"
echo before > whole
"$heddle" mppi run cartpole.json --device host --steps 3 --csv /dev/stdout --strict >> whole 2> "$work/err" || complain "heddle $words"
[ "$(head -n 1 whole)" = before ] && [ "$(grep -c '^[0-2],' whole)" = 3 ] && grep -q '^/dev/stdout: 3 rows' whole || complain "heddle $words: output is lost at the end of a file"
{ echo before >&3; "$heddle" mppi run cartpole.json --device host --steps 3 --csv /dev/fd/3 --strict 2>&1; echo after >&3; } 3> rows > "$work/out" || complain "heddle $words"
[ "$(head -n 1 rows)$(tail -n 1 rows)" = beforeafter ] && [ "$(grep -c '^[0-2],' rows)" = 3 ] || complain "heddle $words: rows are lost"
run 1 mppi run cartpole.json --device host --steps 3 --csv /dev/fd/99; err_has 'cannot write /dev/fd/99: Bad file descriptor'
"$heddle" synth render vibes.json -o sound.wav --strict > "$work/out" 2> "$work/err" || complain "heddle synth render"
{ printf head; "$heddle" synth render vibes.json -o /dev/stdout --strict 2> "$work/err"; } > copy || complain "heddle synth render -o /dev/stdout"
tail -c +5 copy | cmp -s -n "$(wc -c < sound.wav)" - sound.wav || complain "heddle synth render -o /dev/stdout: another sound"

# ---- outputs that cannot be written: refused before any work ----
mkdir folder.csv
run 1 mppi run cartpole.json --device host --steps 3 --csv folder.csv; err_has 'cannot write --csv folder.csv: Is a directory'; out_is_empty
run 1 mppi run cartpole.json --device host --steps 3 --csv nosuch/rows.csv; err_has 'cannot write --csv nosuch/rows.csv: No such file'; out_is_empty
if [ "$(id -u)" != 0 ]; then # root may write everywhere
    mkdir locked
    echo 1 > kept.csv
    chmod 500 locked kept.csv
    for file in locked/rows.csv kept.csv; do
        run 1 mppi run cartpole.json --device host --steps 3 --csv $file; err_has "cannot write --csv $file: Permission denied"; out_is_empty
    done
fi

# ---- batches: the whole list before any job ----
job() { printf '{"jobs": [%s]}' "$1" > l.json; }
page='"run": ["css", "unused", "p.html", "--css", "a.css"]'
for output in p.html a.css ./a.css l.json sub/../l.json.journal; do
    job "{$page, \"stdout\": \"$output\"}"
    cp p.html a.css l.json sub
    run 1 batch l.json --device host; err_has "job $output: .*$output: this output would replace "
    for kept in p.html a.css l.json; do cmp -s $kept sub/$kept || complain "heddle $words: $kept was changed"; done
    [ ! -e l.json.journal ] || complain "heddle $words: it was begun"
done
job "{$page, \"stdout\": \"one.txt\"}, {\"run\": [\"css\", \"unused\", \"p.html\", \"--css\", \"sheet.css\"], \"stdout\": \"two.txt\"},
     {\"run\": [\"css\", \"unused\", \"p.html\", \"--css\", \"a.css\", \"--out\", \"sheet.css\"], \"output\": \"sheet.css\"}"
run 1 batch l.json --device host; err_has 'job sheet.css: .*sheet.css: this output would replace .*sheet.css'; [ ! -e one.txt ] || complain "it was begun"
job "{$page, \"stdout\": \"page.html\"}"
run 1 batch l.json --device host --page page.html; err_has 'job page.html: .*page.html: this output would replace --page page.html'
job "{$page, \"stdout\": \"one.txt\"}"
run 0 batch l.json --device host
run 0 batch l.json --device host --resume

# ---- symbolic links as the last part of an output's name ----
echo kept > target
ln -s target linked
ln -s nothing dangling
for name in linked dangling; do
    run 2 css unused p.html --css a.css --out $name; err_has "cannot write --out $name: it is a symbolic link (to"
    ln -sf $name ok-mesh.obj
    run 1 cloth run cushion.json --frames 1 --device host --out ok.pc2; err_has 'cannot write ok-mesh.obj: it is a symbolic link'
done
[ "$(cat target)" = kept ] && [ ! -e nothing ] || complain "a link was followed"
run 0 mppi run cartpole --device host --steps 3 --csv /dev/stdout; out_has '^step,time'
ln -s . folder
run 0 css unused p.html --css a.css --out folder/through.css # a folder's link is no file's

exit $failed
