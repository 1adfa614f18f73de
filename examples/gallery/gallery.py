#!/usr/bin/env python3
"""gallery.py [--heddle PATH] [--device NAME | --browser NAME [--headless]] [--budget N] [--time S]: tunes every shader of this folder, those in GLSL on
a device or those in WGSL in a browser, and prints a table as in docs/shader-gallery.md."""
import argparse, glob, json, os, re, subprocess, sys

options = argparse.ArgumentParser(description=__doc__)
options.add_argument('--heddle', default='heddle')
options.add_argument('--device', default='vulkan:0')
options.add_argument('--browser')
options.add_argument('--headless', action='store_true')
options.add_argument('--budget', default='24')
options.add_argument('--time', default='10')
options = options.parse_args()
here = os.path.dirname(os.path.abspath(__file__))


def size_of(config):
    sides = [config[name] for name in ('WG_X', 'WG_Y', 'WG_Z', 'WG') if name in config]
    rest = [f'{name} = {value}' for name, value in config.items() if not name.startswith('WG')]
    return ', '.join([' x '.join(map(str, sides))] + rest)


def declared(path):
    """The numbers of the file's own size and constants."""
    text = open(path).read()
    config = {'WG_' + axis.upper(): int(n) for axis, n in re.findall(r'local_size_([xyz])\s*=\s*(\d+)', text)}
    config.update((name, int(n)) for name, n in re.findall(r'override (\w+): u32 = (\d+);', text))
    config.update((name, int(n)) for name, n in re.findall(r'const \w+ (\w+) = (\d+);', text) if name.isupper() and f'const uint {name}' in text and 'constant_id' in text)
    return config


where = ['--browser', options.browser] + ['--headless'] * options.headless if options.browser else ['--device', options.device]
begun = failed = False
for path in sorted(glob.glob(os.path.join(here, '*.wgsl' if options.browser else '*.comp'))):
    name = os.path.basename(path)
    run = subprocess.run([options.heddle, 'tune', path, *where, '--budget', options.budget, '--time', options.time, '--json', '--no-keep', '--quiet'],
                         stdout=subprocess.PIPE)
    if run.returncode or not run.stdout:
        print(f'gallery.py: {name}: heddle ended with {run.returncode}', file=sys.stderr)
        failed = True
        continue
    result = json.loads(run.stdout)
    if not begun:
        print(f'On {result["device_name"]}:\n\n| shader | problem | own size | us | best size | us | times as fast |\n|---|---|---|---|---|---|---|')
        begun = True
    problem = ' x '.join(str(n) for n in result['problem'].values())
    before, after = size_of({**declared(path)}), size_of(result['config'])
    us = 1e6 * result['seconds']
    print(f'| [{name}](../examples/gallery/{name}) | {problem} | {before} | {us * result["gain"]:.4g} | {after} | {us:.4g} | {result["gain"]:.2f} |', flush=True)
    print(f'{name}: {before} -> {after}, {result["gain"]:.2f}', file=sys.stderr)
sys.exit(failed)
