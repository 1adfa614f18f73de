#!/usr/bin/env python3
"""demo_browser.py HEDDLE: the page of `heddle demo` in Chromium, over the pipe of its DevTools: at 390 and at 1,280 pixels nothing is wider than the
window, the flag moves, a drag turns it, and neither a script nor the console complains."""
import json, os, pathlib, shutil, subprocess, sys, tempfile, time

PATIENCE = 120 # s, on a machine that others share


class Browser:
    def __init__(self, scratch):
        here, self.out = os.pipe()
        self.back, there = os.pipe()
        self.rest, self.count, self.complaints = b'', 0, []

        def arrange(): # Chromium reads 3 and writes 4
            low, high = os.dup2(here, 103), os.dup2(there, 104)
            os.dup2(low, 3), os.dup2(high, 4)
        self.process = subprocess.Popen(
            ['chromium', '--headless=new', '--no-sandbox', '--remote-debugging-pipe', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
             f'--user-data-dir={scratch}/profile', 'about:blank'], preexec_fn=arrange, close_fds=False, stderr=subprocess.DEVNULL)
        os.close(here), os.close(there)
        self.session = None
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log'):
            self.call(domain + '.enable')

    def message(self):
        while b'\0' not in self.rest:
            part = os.read(self.back, 1 << 20)
            assert part, 'the browser has ended'
            self.rest += part
        message, self.rest = self.rest.split(b'\0', 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.count += 1
        message = {'id': self.count, 'method': method, 'params': parameters}
        if self.session:
            message['sessionId'] = self.session
        os.write(self.out, json.dumps(message).encode() + b'\0')
        while True:
            answer = self.message()
            if answer.get('method') in ('Runtime.consoleAPICalled', 'Runtime.exceptionThrown', 'Log.entryAdded'):
                self.complaints.append(answer['params'])
            if answer.get('id') == self.count:
                assert 'error' not in answer, answer
                return answer['result']

    def value(self, expression):
        return self.call('Runtime.evaluate', expression=expression, returnByValue=True)['result'].get('value')

    def wait(self, expression, subject):
        end = time.monotonic() + PATIENCE
        while not self.value(expression):
            assert time.monotonic() < end, subject
            time.sleep(0.05)

    def mouse(self, kind, x, y, down):
        self.call('Input.dispatchMouseEvent', type='mouse' + kind, x=x, y=y, button='left', buttons=int(down), clickCount=int(kind != 'Moved'))


def look(browser, page, width):
    browser.call('Emulation.setDeviceMetricsOverride', width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
    browser.call('Page.navigate', url=page.as_uri())
    flag = 'document.querySelector("canvas.model")'
    browser.wait(f'document.readyState === "complete" && {flag}?.dataset.frame !== undefined', 'the flag is not drawn')
    frame = browser.value(f'{flag}.dataset.frame')
    browser.wait(f'{flag}.dataset.frame !== "{frame}"', 'the flag does not move')
    wide = browser.value('[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1'
                         ' && !e.closest("pre")).map(e => e.outerHTML.slice(0, 80)).join("\\n")')
    assert not wide, f'wider than {width}: {wide}'
    assert browser.value('document.documentElement.scrollWidth <= document.documentElement.clientWidth'), f'the page scrolls sideways at {width}'
    broken = browser.value('[...document.images].filter(i => !i.hidden && !i.naturalWidth).map(i => i.src).join()')
    assert not broken, f'no picture: {broken}'
    yaw = browser.value(f'{flag}.scrollIntoView({{block: "center"}}), {flag}.dataset.yaw')
    x, y = browser.value(f'(b => [b.x + b.width / 2, b.y + b.height / 2])({flag}.getBoundingClientRect())')
    browser.mouse('Pressed', x, y, True)
    for step in range(1, 6):
        browser.mouse('Moved', x + 10 * step, y, True)
    browser.mouse('Released', x + 50, y, False)
    browser.wait(f'{flag}.dataset.yaw !== "{yaw}"', 'the flag does not turn')


def main():
    if not shutil.which('chromium'):
        print('SKIPPED: chromium is not here (apt install chromium)')
        return 77
    heddle = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        subprocess.run([heddle, 'demo', '--quick'], cwd=scratch, check=True, stdout=subprocess.DEVNULL)
        browser = Browser(scratch)
        try:
            for width in (390, 1280):
                look(browser, pathlib.Path(scratch) / 'heddle-demo/index.html', width)
        finally:
            browser.process.terminate()
            browser.process.wait()
        assert not browser.complaints, browser.complaints
    print('demo_browser: the flag moves and turns, at 390 and at 1,280 pixels')
    return 0


if __name__ == '__main__':
    sys.exit(main())
