"""Resident child of a hand ("heddle batch stay"): each job's result has the bytes that it has in a process of its own, in
any order, after jobs that failed, on other devices and threads; and a process that stays does not grow.

    HEDDLE_DEVICE=ID python3 stay.py HEDDLE DATA [ROUNDS]

HEDDLE_STAY_LOG=FILE: the processes' messages. ROUNDS: further rounds over the list in one process; its memory and open files are
compared before and after these.
"""
import os, pathlib, random, re, socket, subprocess, sys, tempfile

heddle, data, device = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute(), os.environ.pop('HEDDLE_DEVICE')
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 1
failures = []


def check(good, text):
    if not good:
        failures.append(text)
        print('FAILED:', text, flush=True)


class Stay:
    """One resident child, with the ends of its job's stdout in a file."""

    def __init__(self):
        ours, theirs = socket.socketpair()
        self.log = open(os.environ.get('HEDDLE_STAY_LOG', os.devnull), 'a')
        self.process = subprocess.Popen([heddle, 'batch', 'stay'], stdin=theirs, stdout=self.log, stderr=self.log)
        theirs.close()
        self.lines = ours.makefile('rw', encoding='utf-8', newline='\n')
        self.socket = ours

    def job(self, folder, stdout, words):
        """Gives the reply's word and the exit code."""
        self.lines.write('\t'.join([str(folder) + '/', stdout, *words]) + '\n')
        self.lines.flush()
        reply = self.lines.readline().rstrip('\n').split('\t')
        return (reply[0], int(reply[1])) if len(reply) == 2 else ('nothing', None)

    def status(self):
        """Gives the resident memory in KiB, and the number of open files."""
        with open(f'/proc/{self.process.pid}/status') as file:
            rss = int(re.search(r'VmRSS:\s*(\d+)', file.read()).group(1))
        return rss, len(os.listdir(f'/proc/{self.process.pid}/fd'))

    def end(self):
        self.lines.close()
        self.socket.close()
        code = self.process.wait(60)
        self.log.close()
        return code


glide, dress, body, flag = (str(data / name) for name in ('instruments/glide.json', 'scenes/dress.obj', 'scenes/body.obj', 'scenes/flag.json'))
here = ['--device', device]
# name, words, the file that it writes ('': what it prints), exit code
JOBS = [
    ('glide', ['synth', 'render', glide, '--tail', '0.1', '--rate', '8000', '--seed', '3', '--out', 'glide.wav', *here], 'glide.wav', 0),
    ('strict', ['synth', 'render', glide, '--tail', '0', '--rate', '8000', '--strict', '--out', 'strict.wav', *here], 'strict.wav', 0),
    ('rate', ['synth', 'render', glide, '--tail', '0', '--rate', '11025', '--solver', 'cpu', '--threads', '2', '--out', 'rate.wav', '--device', 'host'], 'rate.wav', 0),
    ('missing', ['synth', 'render', 'missing.json', '--out', 'missing.wav', *here], '', 1),
    ('drape', ['cloth', 'drape', dress, '--over', body, '--seconds', '0.04', '--out', 'drape.obj', '--device', 'host', '--threads', '2'], 'drape.obj', 0),
    ('flag', ['cloth', 'run', flag, '--frames', '2', '--out', 'flag.pc2', *here], 'flag.pc2', 0),
    ('pictures', ['cloth', 'run', flag, '--frames', '1', '--png-every', '1', '--pictures', 'software', '--threads', '1', '--out', 'pictures.pc2', '--device', 'host'],
     'pictures-0001.png', 0),
    ('cut', ['cloth', 'run', 'cut.json', '--frames', '2', '--out', 'cut.pc2', *here], '', 1),
    ('cartpole', ['mppi', 'run', 'cartpole', '--steps', '10', '--json', *here], '', 0),
    ('quadrotor', ['mppi', 'run', 'quadrotor', '--steps', '5', '--strict', '--seed', '7', '--json', '--device', 'host', '--threads', '2'], '', 0),
    ('solver', ['mppi', 'run', 'cartpole', '--solver', 'no', *here], '', 2),
    ('page', ['css', 'match', 'page.html', 'sheet.css', '--tsv', *here], '', 0),
    ('two', ['mppi', 'run', 'cartpole', '--steps', '3', '-n', '512', '--json', '--device', 'host', *here], '', 0),
]
TIMES = re.compile(rb'^ *"(p50|p99|max|min|missed|elapsed|times_real_time|seconds)": .*$', re.M)


def prepare(folder):
    folder.mkdir()
    (folder / 'cut.json').write_text('{"garments": [{"mesh": "')
    (folder / 'page.html').write_text('<!doctype html><div class=a>' + '<p class=b>x</p>' * 40)
    (folder / 'sheet.css').write_text('.a .b { margin: 0 } p:nth-child(3) { top: 0 }')
    return folder


def result(folder, job):
    name, words, output, code = job
    file = folder / (output or f'{name}.out')
    return TIMES.sub(b'', file.read_bytes()) if code == 0 and file.exists() else b''


def alone(folder):
    for name, words, output, code in JOBS:
        with open(folder / f'{name}.out', 'wb') as out:
            done = subprocess.run([heddle, *words], cwd=folder, stdout=out, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        check(done.returncode == code, f'{name} alone: exit code {done.returncode} instead of {code}: {done.stderr[-300:]}')
    return {job[0]: result(folder, job) for job in JOBS}


def stayed(stay, folder, jobs, expected):
    for job in jobs:
        name, words, output, code = job
        word, found = stay.job(folder, str(folder / f'{name}.out'), words)
        check(found == code, f'{name}: exit code {found} instead of {code}')
        check(word == ('last' if name == 'solver' else 'done'), f'{name}: reply "{word}"')
        check(result(folder, job) == expected[name], f'{name}: another result than in a process of its own')
        if word != 'done':
            check(stay.end() == 0, f'{name}: the process did not end well')
            stay = Stay()
    return stay


with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    os.environ['HEDDLE_DATABASE'] = 'none'
    expected = alone(prepare(work / 'alone'))
    for name in expected:
        check(bool(expected[name]) == (next(j[3] for j in JOBS if j[0] == name) == 0), f'{name}: no result')
    stay = Stay()
    stay = stayed(stay, prepare(work / 'forward'), JOBS, expected)
    stay = stayed(stay, prepare(work / 'backward'), JOBS[::-1], expected)
    # memory grows by caches and pools of the allocator before that alone
    first, first_files = stay.status()
    steady, order, folder = [job for job in JOBS if job[0] != 'solver'], random.Random(1), prepare(work / 'rounds')
    for _ in range(rounds):
        order.shuffle(steady)
        stay = stayed(stay, folder, steady, expected)
    last, last_files = stay.status()
    count = rounds * len(steady)
    print(f'{device}: {first} KiB and {first_files} open files after the first round, {last} and {last_files} after {count} further jobs')
    check(last_files <= first_files, f'{last_files - first_files} files were left open')
    # of a job's memory the allocator keeps up to 20 MB, more or less by the job that was the last
    check(last < first + 24576, f'memory has grown from {first} to {last} KiB')
    # a signal between two jobs ends the process and is not the next job's
    os.kill(stay.process.pid, 15)
    check(stay.process.wait(60) == 0, 'it did not end by SIGTERM')
sys.exit(1 if failures else 0)
