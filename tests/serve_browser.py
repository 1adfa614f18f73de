#!/usr/bin/env python3
"""serve_browser.py HEDDLE BROWSER: the page of `heddle serve` in chromium or firefox: it shows an empty database, follows it when a run is imported, and compares two
runs, filters, sorts and draws any quantity; at 360 and at 1,280 pixels nothing is wider than the window, and no script complains."""
import json, os, pathlib, signal, subprocess, sys, tempfile

import browsers

DEVICE = {'backend': 'opencl', 'platform': 'p', 'name': 'a device', 'vendor': 'v', 'type': 'cpu', 'architecture': 0, 'compute_units': 2}


def measurement(number, config, seconds, outcome='measured', text=''):
    values = {'seconds': seconds, 'low': 0.9 * seconds, 'high': 1.1 * seconds, 'deviation': 0.0} if seconds else {'text': text}
    return {'number': number, 'outcome': outcome, 'config': config, 'runs': 3, 'build_seconds': 0.5, 'at': number / 2, **values}


def session(name, begun, factor):
    found = [measurement(1, 'WG=16 MODE=rows', 4e-3 * factor), measurement(2, 'WG=32 MODE=rows', 2e-3 * factor),
             measurement(3, 'WG=64 MODE=rows', 3e-3 * factor), measurement(4, 'WG=64 MODE=columns', None, 'build', 'error: <b>no</b>'),
             measurement(5, 'WG=32 MODE=rows', 1e-3 * factor)] # of the final rounds
    return {'session': name * 32, 'settings': 'auto, 5 evaluations', 'version': '0.1.0', 'begun': begun, 'measurements': found}


def export(path, sessions):
    choice = {key: sessions[0][key] for key in ('session', 'settings', 'version', 'begun')}
    choice.update({'config': 'WG=32 MODE=rows', 'seconds': 1e-3, 'low': 0.9e-3, 'high': 1.1e-3, 'default_seconds': 4e-3})
    key = {'kernel': 'blur', 'source': 'ab' * 16, 'math': 'fast', 'objective': 'time', 'device': DEVICE, 'driver': '1', 'compiler': 'c', 'problem': 'n=64',
           'choice': choice, 'sessions': sessions}
    path.write_text(json.dumps({'format': 'heddle tuning', 'version': 1, 'keys': [key]}))
    return path


def text_of(browser, selector):
    return browser.value(f'document.querySelector("{selector}").innerText')


def choose(browser, selector, value):
    browser.value(f'(() => {{ const e = document.querySelector("{selector}"); e.value = {value}; e.dispatchEvent(new Event("input")); e.dispatchEvent(new Event("change")); }})()')


def try_page(browser, load):
    browser.wait('document.querySelector("#state").textContent.startsWith("nothing was tuned")', 'an empty database is not shown as empty')
    load([session('1', 1000, 1)])
    browser.wait('document.querySelectorAll("#raw tbody tr").length === 4', 'the imported run is not followed')
    assert '4.00 ×' in text_of(browser, '#figures') and '1 failed' in text_of(browser, '#figures'), text_of(browser, '#figures')
    assert 'error: <b>no</b>' in text_of(browser, '#raw'), text_of(browser, '#raw')
    assert browser.value('document.querySelectorAll("#chart circle").length') == 3
    assert browser.value('document.querySelectorAll("#heat > :not(.name):not(.none)").length') == 3
    load([session('1', 1000, 1), session('2', 2000, 2)])
    browser.wait('document.querySelectorAll("#run option").length === 2', 'the second run is not followed')
    choose(browser, '#other', 'e.options[1].value')
    assert 'the median of their ratios is 2.000' in text_of(browser, '#verdict'), text_of(browser, '#verdict')
    assert browser.value('document.querySelectorAll("#chart circle").length') == 6
    choose(browser, '#x', '"=WG"')
    assert text_of(browser, '#plotted') == 'time by WG'
    browser.value('[...document.querySelectorAll("#filters button")].find(b => b.textContent === "64").click()')
    assert browser.value('document.querySelectorAll("#raw tbody tr").length') == 2
    browser.value('document.querySelector("#clear").click()')
    browser.value('[...document.querySelectorAll("#raw thead button")].find(b => b.textContent === "time").click()')
    first = text_of(browser, '#raw tbody tr')
    assert first.split()[:3] == ['2', '2.000', 'ms'], first
    assert 'WG' in browser.value('decodeURIComponent(document.querySelector("#csv").href)')
    # two runs with nearly the same times: labels of the axis do not overlap
    load([session('1', 1000, 1), session('2', 2000, 2), session('3', 3000, 1.03)])
    browser.wait('document.querySelectorAll("#run option").length === 3', 'the third run is not followed')
    choose(browser, '#run', 'e.options[0].value')
    choose(browser, '#other', 'e.options[e.options.length - 1].value')
    assert 'the median of their ratios is 1.030' in text_of(browser, '#verdict'), text_of(browser, '#verdict')
    places = browser.value('[...document.querySelectorAll("#chart text.left")].map(t => t.getBoundingClientRect().top).sort((a, b) => a - b)')
    assert len(places) > 1 and min(b - a for a, b in zip(places, places[1:])) > 10, places


def main():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        folder = pathlib.Path(scratch)
        browser = browsers.start(sys.argv[2], scratch)
        if not browser:
            return 77
        environment = {**os.environ, 'HEDDLE_DATABASE': str(folder / 'tuning.db')}
        server = subprocess.Popen([sys.argv[1], 'serve'], env=environment, stdout=subprocess.PIPE, text=True)

        def load(sessions):
            subprocess.run([sys.argv[1], 'db', 'import', str(export(folder / 'runs.json', sessions))], env=environment, check=True, stdout=subprocess.DEVNULL)
        try:
            with browser:
                browser.go(server.stdout.readline().split()[-1])
                try_page(browser, load)
                for width in (360, 1280):
                    browser.check_width(width, 900, 'the page')
            assert not browser.complaints, browser.complaints
        finally:
            server.send_signal(signal.SIGINT)
            server.wait()
    return 0


if __name__ == '__main__':
    sys.exit(main())
