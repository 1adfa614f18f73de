#!/usr/bin/env python3
"""Table and picture of the figures of scale.py:

    python3 benchmarks/scale_plot.py FIGURES.json OUT.svg
"""
import json, math, pathlib, sys

COLOURS = ['#2b6cb0', '#2b8a5f', '#c0392b', '#8e5bb5', '#c77612', '#0f8b9c', '#555', '#b03a7a']
GOAL = 0.9  # of the devices
PANEL, HEIGHT, LEFT, TOP, NAMES = 250, 300, 44, 40, 200
SHOWN = 1.2  # highest efficiency


def kinds_of(figures, scaling):
    found = [f for f in figures if f.get('scaling') == scaling and f.get('plotted', True)]
    return {kind: sorted((f['n'], f['efficiency']) for f in found if f['kind'] == kind) for kind in dict.fromkeys(f['kind'] for f in found)}


def spread(wanted, apart, low, high):
    """Positions near the wanted ones, at least `apart` from each other, within the bounds."""
    order, at = sorted(range(len(wanted)), key=lambda i: wanted[i]), [0.0] * len(wanted)
    for rank, i in enumerate(order):
        at[i] = max(wanted[i], low if rank == 0 else at[order[rank - 1]] + apart)
    for rank, i in reversed(list(enumerate(order))):
        at[i] = min(at[i], high if rank == len(order) - 1 else at[order[rank + 1]] - apart)
    return at


def panel(figures, scaling, x0, colours):
    kinds = kinds_of(figures, scaling)
    most = max([2] + [n for points in kinds.values() for n, _ in points])
    x = lambda n: x0 + math.log2(n) / math.log2(most) * PANEL
    y = lambda e: TOP + (1 - min(e, SHOWN) / SHOWN) * HEIGHT
    lines = [f'<text x="{x0}" y="20" font-size="15" font-weight="bold">{scaling.capitalize()} scaling</text>']
    for e in (0, 0.2, 0.4, 0.6, 0.8, 1):
        lines.append(f'<path d="M{x0} {y(e):.1f}H{x0 + PANEL}" stroke="#ddd"/><text x="{x0 - 8}" y="{y(e) + 4:.1f}" text-anchor="end" fill="#555">{e}</text>')
    lines.append(f'<path d="M{x0} {y(GOAL):.1f}H{x0 + PANEL}" stroke="#c0392b" stroke-dasharray="5 4"/>'
                 f'<text x="{x0 + 4}" y="{y(GOAL) + 14:.1f}" fill="#c0392b" font-size="11">goal {GOAL}</text>')
    for n in sorted({n for points in kinds.values() for n, _ in points}):
        lines.append(f'<path d="M{x(n):.1f} {y(0):.1f}v5" stroke="#555"/><text x="{x(n):.1f}" y="{y(0) + 20:.1f}" text-anchor="middle" fill="#555">{n}</text>')
    lines.append(f'<text x="{x0 + PANEL / 2}" y="{y(0) + 38:.1f}" text-anchor="middle" fill="#555">devices</text>')
    places = spread([y(points[-1][1]) for points in kinds.values()], 15, TOP, y(0))
    for (kind, points), place in zip(kinds.items(), places):
        colour, ends = colours[kind.removesuffix(' each')], [(x(n), y(e)) for n, e in points]
        lines.append(f'<path d="M{" L".join(f"{a:.1f} {b:.1f}" for a, b in ends)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        lines += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.5" fill="{colour}"/>' for a, b in ends]
        a, b = ends[-1]
        lines.append(f'<path d="M{a + 5:.1f} {b:.1f}L{x0 + PANEL + 16} {place:.1f}" stroke="{colour}" stroke-width="0.7" fill="none"/>'
                     f'<text x="{x0 + PANEL + 20}" y="{place + 4:.1f}" fill="{colour}">{kind} {points[-1][1]:.2f}</text>')
    return lines


def picture(figures):
    """SVG of efficiency over the number of devices: strong on the left, weak on the right."""
    scalings = [s for s in ('strong', 'weak') if kinds_of(figures, s)]
    names = dict.fromkeys(kind.removesuffix(' each') for s in scalings for kind in kinds_of(figures, s))
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}
    width = max(1, len(scalings)) * (LEFT + PANEL + NAMES)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {TOP + HEIGHT + 50}" font-family="sans-serif" font-size="12">',
             '<title>Efficiency over the number of devices</title>', '<rect width="100%" height="100%" fill="white"/>']
    for i, scaling in enumerate(scalings):
        lines += panel(figures, scaling, i * (LEFT + PANEL + NAMES) + LEFT, colours)
    return '\n'.join(lines + ['</svg>\n'])


def table(figures):
    """Markdown: a row for each part, a column for each number of devices, with the efficiency in brackets."""
    scaled = [f for f in figures if 'scaling' in f]
    counts = sorted({f['n'] for f in scaled})
    rows = {}
    for f in scaled:
        rows.setdefault((f['kind'], f['scaling'], f['unit']), {})[f['n']] = f'{f["value"]:.4g} ({f["efficiency"]:.2f})'
    lines = ['| part | scaling | unit | ' + ' | '.join(map(str, counts)) + ' |', '|---' * (3 + len(counts)) + '|']
    lines += [f'| {kind} | {scaling} | {unit} | ' + ' | '.join(row.get(n, '') for n in counts) + ' |' for (kind, scaling, unit), row in rows.items()]
    return '\n'.join(lines) + '\n'


if __name__ == '__main__':
    pathlib.Path(sys.argv[2]).write_text(picture(json.loads(pathlib.Path(sys.argv[1]).read_text())['figures']))
