#!/usr/bin/env python3
"""plugin_window.py HEDDLE HOST PLUGIN [HOST PLUGIN]: the window of heddle.clap, and of heddle.lv2, under Xvfb, embedded in a host's window: the page is drawn, what its user turns, plays
and edits reaches the plugin and the host, what the host turns and loads is seen in the page, the session contains the edit, twenty windows open and
close, and neither a killed page nor a killed window takes anything from the host. Without a web view there is no window. Skipped (77) where Xvfb,
xdotool, WebKitGTK or the WebAssembly package is missing."""
import os, shutil, signal, struct, subprocess, sys, tempfile, time

from screen import Screen

PATIENCE = 120 # s, on a machine that others share
ORIGIN = 20    # place of the host's window on the screen, pixels


class HostScreen(Screen):
    def part(self, left, top, right, bottom):
        """Pixels of a part of the host's window: blue, green, red, 0."""
        data = open(self.file, 'rb').read()
        head = struct.unpack('>25I', data[:100])
        start, line = head[0] + 12 * head[19], head[12]
        return b''.join(data[start + y * line + 4 * (ORIGIN + left):start + y * line + 4 * (ORIGIN + right)] for y in range(ORIGIN + top, ORIGIN + bottom))

    def do(self, *words):
        subprocess.run(['xdotool', *words], env=dict(os.environ, DISPLAY=self.name), check=True, stdout=subprocess.DEVNULL)

    def click(self, x, y):
        self.do('mousemove', str(ORIGIN + x), str(ORIGIN + y), 'click', '1')

    def has_keys(self):
        """True if the black keys at the lower edge of the page are drawn."""
        return sum(blue < 80 for blue in self.part(0, 640, 1000, 660)[::4]) > 2000


class Host:
    def __init__(self, program, plugin, **environment):
        self.process = subprocess.Popen([program, plugin], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ, **environment))

    def say(self, words):
        self.process.stdin.write(words + '\n')
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        assert answer, f'{words}: the host has ended'
        return answer

    def wait(self, words, is_right, subject):
        until(lambda: is_right(self.say(words)), f'{subject}; {words}: {self.say(words)}')

    def end(self):
        assert self.say('quit') == 'ended'
        assert self.process.wait() == 0


def until(is_done, subject):
    end = time.monotonic() + PATIENCE
    while not is_done():
        assert time.monotonic() < end, subject
        time.sleep(0.1)


def children(process):
    """Direct children, {process: name}."""
    found = {}
    for entry in filter(str.isdigit, os.listdir('/proc')):
        try:
            name, rest = open(f'/proc/{entry}/stat').read().rsplit(')', 1)
        except OSError:
            continue
        if int(rest.split()[1]) == process:
            found[int(entry)] = name.split('(', 1)[1]
    return found


def scan(screen, x, places, is_done, subject, key=None):
    """Clicks from top to bottom until something is done; returns the place."""
    for patience in (0.4, 2, 8): # s, on a busy machine
        for y in places:
            screen.click(x, y)
            if key:
                screen.do('key', key)
            end = time.monotonic() + patience
            while time.monotonic() < end:
                if is_done():
                    return y
                time.sleep(0.05)
    raise AssertionError(subject)


def look(screen, host):
    # drawn
    assert host.say('gui') == '1' and host.say('open embed') == '1'
    until(screen.has_keys, 'the page is not drawn')
    # from the page to the plugin
    before = float(host.say('get 0'))
    y = scan(screen, 780, range(70, 110, 6), lambda: float(host.say('get 0')) != before, 'no click turns the first macro')
    host.wait('told', lambda told: int(told.split()[1]) >= 2, 'no gesture')
    moves, gestures, param, value = host.say('told').split()[:4]
    assert int(moves) >= 1 and int(gestures) % 2 == 0 and param == '0' and abs(float(value) - float(host.say('get 0'))) < 1e-6, host.say('told')
    assert float(host.say('peak')) == 0
    screen.click(100, 660)
    host.wait('peak', lambda peak: float(peak) > 1e-3, 'a key of the page is not heard')
    # from the host to the page: the slider's filled part grows
    time.sleep(0.5)
    def filled():
        pixels = screen.part(710, y - 14, 860, y + 20)
        return sum(blue > red + 60 for blue, red in zip(pixels[::4], pixels[2::4]))
    host.say('set 0 0')
    until(lambda: filled() < 60, 'a macro at 0 is not seen')
    host.say('set 0 1')
    until(lambda: filled() > 400, 'a macro at 1 is not seen')
    assert float(host.say('get 0')) == 1
    # an edit: one voice more; it is in the session
    saved = host.say('save')
    scan(screen, 915, range(342, 400, 6), lambda: host.say('save') != saved, 'no key edits the number of voices', key='Up')
    edited = host.say('save')
    assert r'\"voices\": 9' in edited and r'\"voices\": 8' in saved, (saved[:600], edited[:600])
    assert '"macros": [1' in edited, 'the edit has reset the macro'
    host.wait('told', lambda told: int(told.split()[4]) >= 1, 'the host does not know that the session has changed')
    # another instrument: the page follows, and the edited one comes back from the session
    picture = screen.part(0, 100, 600, 600)
    assert host.say('preset marimba') == '1'
    until(lambda: screen.part(0, 100, 600, 600) != picture, 'another preset is not seen')
    assert r'\"voices\": 9' not in host.say('save')


def survive(screen, host):
    window = lambda: [p for p, name in children(host.process.pid).items() if name == 'heddle']
    # the page's process
    pages = [p for p, name in children(window()[0]).items() if 'WebKitWeb' in name]
    assert pages, children(window()[0])
    os.kill(pages[0], signal.SIGKILL)
    until(lambda: pages[0] not in children(window()[0]), 'the killed page is still there')
    until(screen.has_keys, 'no page after a crash')
    assert host.say('closed') == '0'
    # the window's process
    os.kill(window()[0], signal.SIGKILL)
    host.wait('closed', lambda closed: closed == '1', 'the host does not know that its window has ended')
    host.say('set 0 0.25')
    host.wait('get 0', lambda value: float(value) == 0.25, 'the host\'s own knob')
    host.say('peak')
    host.say('note 60')
    host.wait('peak', lambda peak: float(peak) > 1e-3, 'silent after its window was killed')
    assert host.say('close') == '1'
    assert not window(), children(host.process.pid)
    # twenty more
    for i in range(20):
        assert host.say(f'open {"embed" if i % 2 else "float"}') == '1', i
        time.sleep(0.05 * (i % 4))
        assert host.say('close') == '1' and not children(host.process.pid), children(host.process.pid)
    assert host.say('open embed') == '1' and host.say('size 900 600') == '1'
    until(lambda: len(window()) == 1, 'no window')
    # a window that hangs ends without the host's waiting for it
    os.kill(window()[0], signal.SIGSTOP)
    begin = time.monotonic()
    assert host.say('close') == '1' and time.monotonic() - begin < 30 and not window()
    # and one that is open when the host ends
    assert host.say('open float') == '1'


def look_lv2(screen, host):
    """The same for LV2, whose host owns the knobs."""
    window = lambda: [p for p, name in children(host.process.pid).items() if name == 'heddle']
    assert host.say('open') == '1'
    until(screen.has_keys, 'the page is not drawn')
    host.say('set 1 0.5')
    before = host.say('get 0')
    scan(screen, 780, range(70, 110, 6), lambda: host.say('get 0') != before, 'no click turns the first macro of the host')
    assert host.say('told').split()[1] == '0' and host.say('get 1') == '0.500000'
    assert float(host.say('peak')) == 0
    screen.click(100, 660)
    host.wait('peak', lambda peak: float(peak) > 1e-3, 'a key of the page is not heard')
    saved = host.say('save')
    scan(screen, 915, range(342, 400, 6), lambda: r'\"voices\": 9' in host.say('save'), 'no key edits the number of voices', key='Up')
    assert '"macros": [null' in saved or '"macros": [0.' in saved, saved[:200]
    os.kill(window()[0], signal.SIGKILL)
    host.wait('closed', lambda closed: closed == '1', 'the host does not know that its window has ended')
    assert host.say('close') == '1' and not window()
    for i in range(5):
        assert host.say('open') == '1' and host.say('close') == '1' and not window(), i


def main():
    heddle, host_program, plugin, *lv2 = map(os.path.abspath, sys.argv[1:])
    for tool in ('Xvfb', 'xdotool'):
        if not shutil.which(tool):
            print(f'skipped: {tool} is not here')
            return 77
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        screen = HostScreen(folder, '1100x760')
        host = None
        environment = {'DISPLAY': screen.name, 'PATH': os.path.dirname(heddle) + ':' + os.environ['PATH'], 'HOME': folder,
                       'GDK_BACKEND': 'wayland'} # a session of Wayland's: the window uses X11 all the same
        try:
            check = subprocess.run([heddle, 'synth', 'window', '--check'], env=dict(os.environ, **environment), capture_output=True, text=True)
            if check.returncode:
                print('skipped: ' + check.stderr.strip())
                return 77
            blind = Host(host_program, plugin, **environment, HEDDLE_WEBKIT_LIBRARY='/nowhere/libwebkit.so')
            assert blind.say('gui') == '0' and blind.say('get 8') == '0.000000'
            blind.end()
            host = Host(host_program, plugin, **environment)
            look(screen, host)
            survive(screen, host)
            host.end()
            host = Host(*lv2, **environment) if lv2 else None
            if host:
                look_lv2(screen, host)
                host.end()
            host = None
        finally:
            if host:
                host.process.kill()
            screen.process.terminate()
            screen.process.wait()
    print('plugin_window: drawn, turned from both sides, played, edited, saved; killed and opened again')
    return 0


if __name__ == '__main__':
    sys.exit(main())
