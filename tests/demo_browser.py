#!/usr/bin/env python3
"""demo_browser.py HEDDLE BROWSER: the page of `heddle demo` in chromium or firefox: at 360 and at 1,280 pixels nothing is wider than the window, the
flag moves, a drag turns it, and neither a script nor the console complains."""
import os, pathlib, subprocess, sys, tempfile

import browsers

def look(browser, page, width):
    browser.resize(width, 900)
    browser.go(page.as_uri())
    flag = 'document.querySelector("canvas.model")'
    browser.wait(f'document.readyState === "complete" && {flag}?.dataset.frame !== undefined', 'the flag is not drawn')
    frame = browser.value(f'{flag}.dataset.frame')
    browser.wait(f'{flag}.dataset.frame !== "{frame}"', 'the flag does not move')
    wide = browser.value('[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1'
                         ' && !e.closest("pre")).map(e => e.outerHTML.slice(0, 80)).join("\\n")')
    assert not wide, f'wider than {width}: {wide}'
    browser.check_width(width, 900, 'the page')
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
    heddle = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        browser = browsers.start(sys.argv[2], scratch)
        if not browser:
            return 77
        with browser:
            subprocess.run([heddle, 'demo', '--quick'], cwd=scratch, check=True, stdout=subprocess.DEVNULL)
            for width in (360, 1280):
                look(browser, pathlib.Path(scratch) / 'heddle-demo/index.html', width)
        assert not browser.complaints, browser.complaints
    print('demo_browser: the flag moves and turns, at 360 and at 1,280 pixels')
    return 0


if __name__ == '__main__':
    sys.exit(main())
