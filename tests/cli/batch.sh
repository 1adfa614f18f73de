#!/bin/sh
# sh batch.sh HEDDLE INSTRUMENTS: `heddle batch`: results whole or not at all, faults, hands that die, leaders that die.
heddle=$1
instruments=$2
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
unset HEDDLE_DEVICE
export HEDDLE_OPENCL_LIBRARY=none HEDDLE_CUDA_LIBRARY=none HEDDLE_NVRTC_LIBRARY=none HEDDLE_VULKAN_LIBRARY=none
mkdir "$work/here"
cd "$work/here" || exit 1

# ---- lists that are none ----
run 2 batch; err_has 'JOBS'
run 1 batch nothing.json; err_has 'nothing.json'
echo '{"jobs": [{"run": ["synth", "rendre"], "stdout": "a"}]}' > wrong.json; run 1 batch wrong.json; err_has 'jobs\[0\].run.*wrong.json:1'
echo '{"jobs": [{"run": ["version"]}]}' > wrong.json; run 1 batch wrong.json; err_has '"output".*"stdout"'
echo '{"jobs": [{"run": ["version"], "output": "a"}]}' > wrong.json; run 1 batch wrong.json; err_has 'among the words of "run"'
echo '{"jobs": [{"run": ["devices", "--device", "host"], "stdout": "a"}]}' > wrong.json; run 1 batch wrong.json; err_has 'jobs\[0\].run'
echo '{"jobs": [{"run": ["version"], "stdout": "a"}, {"run": ["version"], "stdout": "a"}]}' > wrong.json; run 1 batch wrong.json; err_has 'job 0 has the same'

# ---- results, the log of each, a fault, and the rest of it ----
cat > jobs.json <<JOBS
{"jobs": [
  {"name": "small", "run": ["mppi", "run", "cartpole", "--steps", "3", "--json"], "stdout": "out/small.json"},
  {"name": "large", "run": ["mppi", "run", "pendulum", "--steps", "3", "--json"], "stdout": "out/deep/large.json", "cost": 9},
  {"name": "</script>", "run": ["synth", "render", "later.json", "--tail", "0", "--out", "out/sound.wav"], "output": "out/sound.wav"}]}
JOBS
run 1 batch jobs.json --device host --page page.html
out_has '2 of 3 done, 1 failed'; out_has 'cannot open later.json'
[ "$(sed -n 2p jobs.json.journal | cut -f 1)" = large ] || complain "the longest is not the first"
[ -s out/small.json ] && [ -s out/deep/large.json ] && [ ! -e out/sound.wav ] || complain "other results"
grep -q 'cannot open' 'jobs.json.logs/_script>.log' 2>/dev/null || grep -q 'cannot open' jobs.json.logs/*script* || complain "the fault is not in its log"
grep -q '"doing"' page.html && grep -q 'u003c/script>' page.html && [ "$(grep -c '</script>' page.html)" = 2 ] || complain "the page"
run 1 batch jobs.json --device host; err_has 'resume does the rest'
cp "$instruments/harp.json" later.json
run 0 batch jobs.json --device host --resume --json; out_has '"before": 2'; out_has '"done": 3'
[ "$(head -c 4 out/sound.wav)" = RIFF ] || complain "no sound"
run 0 batch jobs.json --device host --resume; out_has '3 of 3 done'
rm out/small.json
run 0 batch jobs.json --device host --resume --json; out_has '"before": 2'
find . -name '.heddle-part*' | grep . && complain "unfinished files are left"
[ ! -w / ] || mkdir out/blocked.json
printf '{"jobs": [{"run": ["version"], "stdout": "out/blocked.json"}]}' > blocked.json
run 1 batch blocked.json --device host; out_has 'cannot move'

# ---- a device or a pipe is no result: the rename would put a file in its place (as root, of /dev/null) ----
mkfifo pipe pipe.state
for device in pipe /dev/null; do
    printf '{"jobs": [{"run": ["version"], "stdout": "%s"}]}' $device > device.json
    run 1 batch device.json --device host; err_has "$device is a device or a pipe"
done
cp "$instruments"/../scenes/cushion.* .
echo '{"jobs": [{"run": ["cloth", "run", "cushion.json", "--frames", "1", "--out", "pipe.pc2"], "output": "pipe.pc2"}]}' > beside.json
run 1 batch beside.json --device host; out_has 'pipe.state is a device or a pipe'
[ -p pipe ] && [ -p pipe.state ] && [ -c /dev/null ] || complain "a file is in the place of a device"

# ---- short jobs one after the other in one process: a fault is one job's, a process that is killed costs one try ----
mkdir pages
echo '.a b { color: red } p { margin: 0 }' > sheet.css
pages=400
for i in $(seq $pages); do
    printf '<p class=a>%s<b>x</b>' "$i" > pages/$i.html
    printf '%s{"run": ["css", "match", "pages/%s.html", "sheet.css", "--tsv"], "stdout": "css/%s.tsv"}' "$([ "$i" = 1 ] || echo ,)" $i $i
done > middle
rm pages/7.html pages/20.html
mkfifo pages/20.html
{ printf '{"jobs": ['; cat middle; printf ']}'; } > css.json
"$heddle" batch css.json --device host > "$work/out" 2> "$work/err" &
leader=$!
words='batch css.json'
hold pages/20.html # the process that does the jobs stays there
stays=$(pgrep -P "$(pgrep -P $leader | head -n 1)")
[ "$(echo "$stays" | wc -w)" = 1 ] || complain "not one process: $stays"
[ -s css/19.tsv ] && [ -n "$(find css -name ".heddle-part*")" ] || complain "it is not at the twentieth job"
rm pages/20.html
printf '<p class=a>20<b>x</b>' > pages/20.html
kill -9 $stays
exec 9>&-
wait $leader && complain "a page that is not there was matched"
out_has '399 of 400 done, 1 failed'; out_has 'failed .*css/7.tsv: it ended with exit code 1.*7.html'; out_has 'ended by SIGKILL'
[ "$(find css -size +0 -name '*.tsv' | wc -l)" = 399 ] && [ -z "$(find css -name '.heddle-part*')" ] || complain "other results"
"$heddle" css match pages/400.html sheet.css --tsv | cmp -s - css/400.tsv || complain "another result than alone"
[ "$(tail -n +2 css.json.journal | cut -f 1 | sort -u | wc -l)" = $pages ] || complain "not a line for each page"
echo '<p class=a>' > pages/7.html
run 0 batch css.json --device host --resume --json; out_has '"before": 399'; out_has '"done": 400'

# ---- what a resident process keeps of a job changes no other job's result: sheets, their compiled form, pages in quirks mode ----
echo '.A b { color: red } p:hover { margin: 0 } :not(.a) > b { top: 0 }' > other.css
echo '@import "sheet.css"; b { left: 0 }' > imports.css
mkdir mixed
for i in $(seq 60); do
    quirks='<!doctype html>'
    [ $((i % 3)) = 0 ] && quirks=
    printf '%s<style>b { right: 0 }</style><p class=%s>%s<b>x</b>' "$quirks" "$([ $((i % 2)) = 0 ] && echo a || echo A)" $i > mixed/$i.html
    case $((i % 7)) in
        0 | 1 | 2) words='"sheet.css"' ;;
        3) words='"other.css"' ;;
        4) words='"sheet.css", "other.css"' ;;
        5) words='"imports.css"' ;;
        6) words='' ;;
    esac
    [ $((i % 5)) = 0 ] && words="$words${words:+, }\"--hover\""
    [ $((i % 11)) = 0 ] && words="$words${words:+, }\"--winners\""
    printf '%s{"run": ["css", "match", "mixed/%s.html", %s"--tsv"], "stdout": "mixed/%s.tsv"}' "$([ "$i" = 1 ] || echo ,)" $i "$words${words:+, }" $i
    # shellcheck disable=SC2046 # words
    "$heddle" css match mixed/$i.html $(echo "$words" | tr -d '",') --tsv > mixed/$i.alone
    # other commands of one process between these, and one that reads an empty standard input
    case $((i % 6)) in
        0) words='unused mixed/1.html --css sheet.css --json' ;;
        1) words="explain mixed/$i.html b" ;;
        2) words='match - sheet.css --tsv' ;;
        *) continue ;;
    esac
    printf ',{"run": ["css", %s], "stdout": "mixed/%s.other"}' "$(echo "$words" | sed 's/[^ ]*/"&"/g; s/ /, /g')" $i
    # shellcheck disable=SC2086 # words
    "$heddle" css $words > mixed/$i.expected < /dev/null
done > middle2
{ printf '{"jobs": ['; cat middle2; printf ']}'; } > mixed.json
run 0 batch mixed.json --device host
for i in $(seq 60); do cmp -s mixed/$i.alone mixed/$i.tsv || complain "another result than alone: mixed/$i"; done
for other in mixed/*.other; do cmp -s "$other" "${other%.other}.expected" || complain "another result than alone: $other"; done
[ "$(find mixed -name '*.other' -size +0 | wc -l)" = 30 ] || complain "not 30 results of other commands"
[ "$(sort -u mixed/*.tsv | wc -l)" -gt 10 ] || complain "all results are one"
[ "$(cat mixed.json.logs/mixed%2F7.tsv.log | wc -l)" = 2 ] || complain "the log of a short job: $(cat mixed.json.logs/mixed%2F7.tsv.log)"
grep -q '^== try 1 on .* host: heddle css match mixed/7.html sheet.css --tsv$' mixed.json.logs/mixed%2F7.tsv.log || complain "no words in the log of a short job"

# ---- a process that stays for renders, drapes, cloth runs and controllers: a fault, a signal and a kill cost one job each ----
mkdir stay
for i in 1 2 3; do mkfifo stay/$i.json; done
render() { printf '"run": ["synth", "render", "%s", "--tail", "0", "--seed", "%s", "--out", "stay/%s.wav"], "output": "stay/%s.wav"' "$1" "$2" "$2" "$2"; }
cat > stay.json <<JOBS
{"jobs": [
  {"name": "first", $(render stay/1.json 1)},
  {"name": "missing", $(render stay/none.json 2)},
  {"name": "stopped", $(render stay/2.json 3)},
  {"name": "killed", $(render stay/3.json 4)},
  {"name": "last", $(render "$instruments/harp.json" 5)},
  {"name": "cart", "run": ["mppi", "run", "cartpole", "--steps", "3", "--json"], "stdout": "stay/cart.json"},
  {"name": "flag", "run": ["cloth", "run", "$instruments/../scenes/flag.json", "--frames", "2", "--out", "stay/flag.pc2"], "output": "stay/flag.pc2"}]}
JOBS
"$heddle" batch stay.json --device host > "$work/out" 2> "$work/err" &
leader=$!
words='batch stay.json'
# one_stays: the process that is at work
one_stays() { pgrep -P "$(pgrep -P $leader | head -n 1)"; }
hold stay/1.json
first=$(one_stays)
cat "$instruments/harp.json" >&9
exec 9>&-
hold stay/2.json
second=$(one_stays)
[ "$first" = "$second" ] || complain "a file that is not there has cost the process: $first, $second"
kill -TERM "$second"
cat "$instruments/harp.json" >&9
exec 9>&-
hold stay/3.json
third=$(one_stays)
[ "$third" != "$second" ] || complain "a process that was interrupted goes on"
rm stay/3.json
cp "$instruments/harp.json" stay/3.json
kill -9 "$third"
exec 9>&-
wait $leader && complain "a missing instrument and a signal are no faults"
out_has '5 of 7 done, 2 failed'; out_has 'failed .*missing: it ended with exit code 1.*none.json'
out_has 'failed .*stopped: it ended with exit code 130'; out_has 'done after killed: it was ended by SIGKILL'
for i in 1 4 5; do
    "$heddle" synth render "$instruments/harp.json" --tail 0 --seed $i --out stay/alone.wav > /dev/null
    cmp -s stay/alone.wav stay/$i.wav || complain "another sound than alone: $i"
done
"$heddle" cloth run "$instruments/../scenes/flag.json" --frames 2 --out stay/alone.pc2 --device host > /dev/null 2>&1
cmp -s stay/alone.pc2 stay/flag.pc2 || complain "another flag than alone"
grep -q interrupted stay.json.logs/stopped.log || complain "the log of the job that was stopped"
grep -q interrupted stay.json.logs/last.log stay.json.logs/cart.log stay.json.logs/first.log && complain "a job's messages are in another job's log"
find stay -name '.heddle-part*' | grep . && complain "unfinished files are left"
rm stay/2.json
cp "$instruments/harp.json" stay/2.json
cp "$instruments/harp.json" stay/none.json
run 0 batch stay.json --device host --resume --json; out_has '"before": 5'; out_has '"done": 7'

# ---- a job that gets no memory: the jobs after it run in another process ----
cat > memory.json <<JOBS
{"jobs": [
  {"name": "small", $(render "$instruments/harp.json" 6)},
  {"name": "large", "run": ["synth", "render", "$instruments/harp.json", "--tail", "80000", "--spectrogram", "stay/large.png"], "output": "stay/large.png"},
  {"name": "after", $(render "$instruments/harp.json" 7)}]}
JOBS
code=0
words='batch memory.json'
prlimit --as=4000000000 "$heddle" batch memory.json --device host > "$work/out" 2> "$work/err" || code=$?
[ $code = 1 ] || complain "exit code $code after a job without memory"
out_has '2 of 3 done, 1 failed'; out_has 'failed .*large: .*memory'
[ "$(head -c 4 stay/7.wav)" = RIFF ] || complain "no sound after a job without memory"

# ---- leaders that are killed at any moment: no result is half there, and the rest of the work gives every result ----
{ printf '{"jobs": ['; head -c 1000000 middle | tr -d '\n' | sed 's/,{"run": \["css", "match", "pages\/101.html.*//'; printf ']}'; } > kill.json
mkdir alone
for i in $(seq 100); do mv css/$i.tsv alone; done
for moment in $(seq 20); do
    rm -rf css kill.json.journal
    "$heddle" batch kill.json --device host --quiet > killed.out 2>&1 &
    leader=$!
    sleep "0.$(printf %02d $((moment * 37 % 40)))"
    kill -9 $leader 2> /dev/null
    wait $leader 2> /dev/null
    for result in css/*.tsv; do
        [ ! -e "$result" ] || cmp -s "$result" "alone/${result#css/}" || complain "half a result: $result"
    done
    run 0 batch kill.json --device host --resume; out_has '100 of 100 done.* 0 failed'
    diff -r alone css > /dev/null || complain "other results after a kill"
    [ "$(tail -n +2 kill.json.journal | cut -f 1 | sort -u | wc -l)" = 100 ] || complain "not a line for each page after a kill"
done
rm -r alone

# ---- words beyond every size that was once fixed: none is dropped, in a process of its own and in one that stays ----
mkdir many
for i in $(seq 1300); do
    echo "<p class=a$i>" > many/$i.html
    echo ".a$i { color: red }"
done > many.css
# words ENDING COUNT: files as words of a list
words() { seq "$2" | sed "s|.*|\"many/&.$1\", |" | tr -d '\n'; }
for i in $(seq 1300); do echo ".a$i { color: red }" > many/$i.css; done
echo "{\"jobs\": [
  {\"run\": [\"css\", \"unused\", $(words html 1300) \"--css\", \"many.css\", \"--out\", \"rest.css\"], \"output\": \"rest.css\"},
  {\"run\": [\"css\", \"match\", \"many/1000.html\", $(words css 1000) \"--tsv\"], \"stdout\": \"match.tsv\"}]}" > many.json
run 0 batch many.json --device host
[ "$(grep -c 'color' rest.css)" = 1300 ] || complain "$(grep -c color rest.css) of 1300 used rules are left"
# shellcheck disable=SC2046 # words
"$heddle" css match many/1000.html $(seq -f many/%.0f.css 1000) --tsv | cmp - match.tsv || complain "other sheets than were named"
printf '{"jobs": [{"run": ["css", "match", "%s", "--tsv"], "stdout": "a.tsv"}]}' "$(head -c 4194304 /dev/zero | tr '\0' a)" > long.json
run 1 batch long.json; err_has 'jobs\[0\].run.*"run" has 4194321 bytes; expected at most 4194304'
echo '{"jobs": [{"run": [], "stdout": "a"}]}' > wrong.json; run 1 batch wrong.json; err_has 'jobs\[0\].run.*"run" is empty; expected the words of a command'

# ---- what counts as done: what the journal has with size and hash, and whose words and inputs are the same ----
echo '@import "more.css"; .a { color: red } .b { margin: 0 }' > input.css
echo '.c { top: 0 }' > more.css
echo '<p class=a>' > one.html
echo '<p class=b>' > two.html
cat > done.json <<'JOBS'
{"jobs": [
  {"name": "one", "run": ["css", "match", "one.html", "input.css", "--tsv"], "stdout": "done/one.tsv"},
  {"name": "two", "run": ["css", "unused", "two.html", "--css", "input.css", "--out", "done/two.css"], "output": "done/two.css"},
  {"name": "three", "run": ["version"], "stdout": "done/three.txt"}]}
JOBS
# again JOB REASON...: exactly these are run again
again() {
    run 0 batch done.json --device host --resume
    out_has '3 of 3 done'
    printf '%s\n' "$@" | sort > again.expected
    sed -n 's/^batch: \(.*\) is run again: /\1 /p' "$work/err" | sort > again.found
    cmp -s again.expected again.found || complain "run again: $(cat again.found); expected: $*"
}
run 0 batch done.json --device host
cp -r done first
grep -q 'input.css.[0-9]*:[0-9a-f]*' done.json.journal || complain "the journal has no inputs"
run 0 batch done.json --device host --resume; err_is_empty
: > done/one.tsv; again 'one its result done/one.tsv has changed'; cmp done/one.tsv first/one.tsv
rm done/three.txt; again 'three its result done/three.txt is not there'
tr a-z b-za < first/two.css > done/two.css; again 'two its result done/two.css has changed'; cmp done/two.css first/two.css
echo '<p class=c>' > one.html; again 'one its input one.html has changed'; cmp -s done/one.tsv first/one.tsv && complain "it is the old result"
echo '.c { top: 1px }' > more.css; again 'one its input more.css has changed' 'two its input more.css has changed'
echo '@import "more.css"; .a { color: tan } .b { margin: 0 }' > input.css; again 'one its input input.css has changed' 'two its input input.css has changed'
sed -i 's/"version"\]/"version", "--quiet"]/' done.json; again 'three its command has changed'
sed -i 's/^\(three\t[^\t]*\t[^\t]*\t[^\t]*\t[^\t]*\t[^\t]*\t[^\t]*\).*/\1/' done.json.journal; again 'three the journal has no hash of its result'
touch one.html input.css more.css done/*; run 0 batch done.json --device host --resume --json; out_has '"before": 3'; out_has '"again": \[\]'
: > input.css; run 1 batch done.json --device host --resume --json
out_has '"what": "its input input.css has changed"'; out_has 'it ended well and its result, done/one.tsv, has 0 bytes'; out_has '"failed": 2'
run 1 batch done.json --device host --resume; out_has '2 failed'
echo '.b { color: tan }' > input.css; run 0 batch done.json --device host --resume; out_has '3 of 3 done'

# ---- a file that comes beside a result is no other job's result ----
cat > beside.json <<JOBS
{"jobs": [
  {"name": "mesh", "run": ["version"], "stdout": "beside/x-mesh.obj", "cost": 9},
  {"name": "run", "run": ["cloth", "run", "$instruments/../scenes/flag.json", "--frames", "1", "--out", "beside/x.pc2"], "output": "beside/x.pc2"}]}
JOBS
run 1 batch beside.json --device host; out_has 'failed  *run: it has written beside/x-mesh.obj, the result of job mesh'
"$heddle" version | cmp -s - beside/x-mesh.obj && [ ! -e beside/x.pc2 ] || complain "other results"

# ---- workers that are none ----
one='{"jobs": [{"run": ["version"], "stdout": "one.txt"}]}'
echo "$one" > one.json; run 1 batch one.json --worker 'echo hello'; err_has 'no device is left for 1 jobs'
run 1 batch one.json --worker 'sleep 60' --patience 0.5; err_has 'sent nothing for 0.5 s'
run 1 batch one.json --worker 'head -c 100000 /dev/zero'; err_has 'no device is left'
run 0 batch one.json --worker "exit 1" --worker "'$heddle' batch hand --device host" --worker "'$heddle' batch hand --device host"; [ -s one.txt ] || complain "one worker was enough"

# ---- a device that is named twice is two, and not silently one ----
rm -f one.json.journal one.txt
run 0 batch one.json --device host --device host # the job may end before the second one has said its name
[ "$(grep -c ' host .*done, 0 faults' "$work/out")" = 2 ] || complain "batch: $(cat "$work/out"): expected two devices"
run 0 mppi run cartpole --steps 2 --json --device host --device host; out_has '"device": "host + host"'
run 2 tune heddle:copy --device host --device host; err_has 'device host: 2 devices of its kind are named; expected one'

# ---- a hand that is killed, and the leader with all the rest ----
cat > long.json <<JOBS
{"jobs": [
  {"name": "a", "run": ["synth", "render", "held.json", "--tail", "3", "--out", "a.wav"], "output": "a.wav"},
  {"name": "b", "run": ["synth", "render", "later.json", "--tail", "40000", "--out", "b.wav"], "output": "b.wav"}]}
JOBS
mkfifo held.json
"$heddle" batch long.json --device host > "$work/out" 2> "$work/err" &
leader=$!
words='batch long.json'
hold held.json # the first job
[ -n "$(find . -name '.heddle-part-*-0-1')" ] || complain "it is not at the first job"
rm held.json
cp later.json held.json
kill -9 "$(pgrep -P $leader | head -n 1)"
exec 9>&-
await '[ -e a.wav ]'
await 'ls .heddle-part-*-1-1/b.wav* > /dev/null 2>&1'
"$heddle" batch long.json --resume > two.out 2>&1 && complain "two leaders at once"
grep -q 'another heddle batch' two.out || complain "two leaders: $(cat two.out)"
hand=$(pgrep -P $leader | head -n 1)
stays=$(pgrep -P "$hand")
export hand stays # await looks at them
kill -9 $leader
wait $leader 2> /dev/null
await '! kill -0 "$hand" 2> /dev/null'
await '! kill -0 "$stays" 2> /dev/null'
[ "$(cut -f 3 long.json.journal | tr '\n' ' ')" = 'heddle batch 1 1000 0 ' ] || complain "the journal: $(cat long.json.journal)"
[ ! -e b.wav ] || complain "half a result"
part=$(find . -name '.heddle-part-*-1-1')
[ -n "$part" ] || complain "the killed try has left nothing"
echo stale > "$part/stale.txt"
echo stale > "$part/b.wav"
mkdir .heddle-part-00000000-other
printf 'half a li' >> long.json.journal
sed -i 's/40000/0/' long.json
run 0 batch long.json --device host --resume --json; out_has '"before": 1'; [ "$(head -c 4 b.wav)" = RIFF ] || complain "the rest was not done"
[ ! -e stale.txt ] && [ ! -e "$part" ] || complain "a file of a killed try is left, or has become a result"
rmdir .heddle-part-00000000-other || complain "the folder of another list was removed"

# ---- names of jobs: a log for each, however long and alike they are ----
same=$(head -c 220 /dev/zero | tr '\0' j)
printf '{"jobs": [{"name": "%s1", "run": ["version"], "stdout": "long1.txt"}, {"name": "%s2", "run": ["version"], "stdout": "long2.txt"}, {"name": "a/b", "run": ["version"], "stdout": "long3.txt"}, {"name": "a_b", "run": ["version"], "stdout": "long4.txt"}, {"name": "a%%2Fb", "run": ["version"], "stdout": "long5.txt"}]}' "$same" "$same" > names.json
run 0 batch names.json --device host; out_has '5 of 5 done'
[ "$(find names.json.logs -name '*.log' | wc -l)" = 5 ] || complain "not a log for each: $(ls names.json.logs)"
for log in names.json.logs/*; do [ "$(grep -c '^== try' "$log")" = 1 ] || complain "several jobs share $log"; done
[ -s names.json.logs/a%2Fb.log ] && [ -s names.json.logs/a_b.log ] && [ -s names.json.logs/a%252Fb.log ] || complain "other names: $(ls names.json.logs)"
rm names.json.journal
run 1 batch names.json --device host --logs "$work$(printf '/%.0s' $(seq 4090))"; err_has 'the path of the log of job .* bytes; expected at most 4095'

# ---- symbolic links in place of the journal and of a log are refused, and what they lead to stays ----
one='{"jobs": [{"name": "one", "run": ["version"], "stdout": "one.txt"}]}'
rm -f one.txt
echo "$one" > linked.json; echo precious > precious.txt
ln -s precious.txt linked.json.journal
run 1 batch linked.json --device host; err_has 'cannot write linked.json.journal: it is a symbolic link'
rm linked.json.journal
mkdir linked.json.logs; ln -s ../precious.txt linked.json.logs/one.log
run 1 batch linked.json --device host; err_has 'cannot write linked.json.logs/one.log: it is a symbolic link'
[ "$(cat precious.txt)" = precious ] || complain "the file behind the links was written"
[ ! -e one.txt ] || complain "a job was run"

# ---- a disk that is full: no file may grow ----
echo "$one" > full.json; rm -f one.txt
words='batch full.json'
(
    trap '' XFSZ
    ulimit -f 0
    "$heddle" batch full.json --device host
    echo "code $?"
) 2>&1 | cat > "$work/err"
err_has '^code 1$'; err_has 'cannot write\|cannot be written'
exit $failed
