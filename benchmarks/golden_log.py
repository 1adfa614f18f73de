#!/usr/bin/env python3
"""The latency log: time of a block of each golden instrument, per device, over versions.

    python3 benchmarks/golden_log.py build/release/cli/heddle [--device host]...

measures each of tests/golden/*.json with `heddle synth check` (blocks of 64 frames, all voices sound; on the host the thread's own processor
time), appends a line for each device and solver to benchmarks/golden_log.tsv, and draws docs/images/golden-log.svg, with the versions on the
axis. A second measurement of one version on one device replaces the first. --draw only draws. `busy` is the load of the machine a processor, over
the minute before: above 1, or unknown, others ran beside it, and the picture has rings in place of dots."""
import argparse
import collections
import datetime
import json
import math
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOG = ROOT / "benchmarks/golden_log.tsv"
PICTURE = ROOT / "docs/images/golden-log.svg"
COLUMNS = ("date", "version", "device", "solver", "golden", "median_us", "p99_us", "busy")
RATE, BLOCK = 48000, 64


def read_log():
    if not LOG.exists():
        return []
    lines = LOG.read_text(encoding="utf-8").splitlines()
    return [dict(zip(lines[0].split("\t"), line.split("\t"))) for line in lines[1:]]


def write_log(rows):
    lines = ["\t".join(COLUMNS)] + ["\t".join(row.get(column, "") for column in COLUMNS) for row in rows]
    LOG.write_text("\n".join(lines) + "\n", encoding="utf-8")


def records(text):
    """Objects of `--json`, a list or one a line."""
    try:
        found = json.loads(text)
        return found if isinstance(found, list) else found.get("records", [found])
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


def measure(heddle, device, golden):
    command = [heddle, "synth", "check", "--json", "--rate", str(RATE), "--block", str(BLOCK), "--device", device, str(golden)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if not done.stdout:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    block = BLOCK / RATE * 1e6
    return [(r["device"], r["solver"], block * r["load"], block * r["load_p99"]) for r in records(done.stdout)
            if r.get("record") == "load" and r.get("load") is not None]


def instruments():
    """Golden instruments; the folder has goldens of other engines too."""
    return [path for path in sorted((ROOT / "tests/golden").glob("*.json")) if "microphones" in json.loads(path.read_text(encoding="utf-8"))]


def version():
    number = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%h"], stdout=subprocess.PIPE, text=True, check=True)
    return number.stdout.strip()


def name_of_device(heddle, device):
    listed = subprocess.run([heddle, "devices", "--json"], stdout=subprocess.PIPE, text=True, check=True)
    for row in records(listed.stdout):
        if row.get("id") == device:
            return f"{device} {row.get('name', '')}".strip()
    return device


def draw(rows):
    """A line for each golden and device: microseconds of a block, logarithmic, over the versions in the order of the log."""
    versions = list(dict.fromkeys(row["version"] for row in rows))
    lines = collections.defaultdict(dict)
    for row in rows:
        lines[row["device"], row["solver"], row["golden"]][row["version"]] = (float(row["median_us"]), row.get("busy") or "inf")
    values = [value for line in lines.values() for value, _ in line.values()]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    width, height, left, bottom, right = 900, 620, 60, 60, 230
    x = lambda v: left + (width - left - right) * (versions.index(v) + 0.5) / len(versions)
    y = lambda us: height - bottom - (height - bottom - 20) * (math.log10(us) - low) / max(1, high - low)
    colours = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
    devices = list(dict.fromkeys((row["device"], row["solver"]) for row in rows))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
           "<title>Time of a block of 64 frames of each golden instrument, by version</title>",
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for decade in range(low, high + 1):
        at = y(10 ** decade)
        out.append(f'<line x1="{left}" x2="{width - right}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{left - 6}" y="{at + 4:.1f}" text-anchor="end">{10 ** decade:g} us</text>')
    for v in versions:
        out.append(f'<text x="{x(v):.1f}" y="{height - bottom + 18}" text-anchor="middle">{v}</text>')
    labels = []
    for (device, solver, golden), line in sorted(lines.items()):
        colour = colours[devices.index((device, solver)) % len(colours)]
        places = [(x(v), y(line[v][0]), "white" if float(line[v][1]) > 1 else colour) for v in versions if v in line]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b, _ in places)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-opacity="0.6"/>')
        out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.5" fill="{fill}" stroke="{colour}"/>' for a, b, fill in places]
        labels.append((places[-1][:2], f"{golden}" if len(devices) == 1 else f"{golden} ({solver})", colour))
    last = -100
    for (begin, at), text, colour in sorted(labels, key=lambda label: label[0][1]):
        last = max(at, last + 11)
        out.append(f'<line x1="{begin + 4:.1f}" y1="{at:.1f}" x2="{width - right + 3}" y2="{last:.1f}" stroke="#ccc"/>')
        out.append(f'<text x="{width - right + 6}" y="{last + 4:.1f}" fill="{colour}">{text}</text>')
    for i, (device, solver) in enumerate(devices):
        out.append(f'<text x="{left}" y="{height - 22 + 12 * (i - len(devices) + 1)}" fill="{colours[i % len(colours)]}">{device}, {solver}</text>')
    PICTURE.write_text("\n".join(out) + "\n</svg>\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heddle", nargs="?", default=str(ROOT / "build/release/cli/heddle"))
    parser.add_argument("--device", action="append")
    parser.add_argument("--draw", action="store_true", help="measure nothing")
    given = parser.parse_args()
    rows = read_log()
    if not given.draw:
        now, today = version(), datetime.date.today().isoformat()
        busy = f"{os.getloadavg()[0] / (os.cpu_count() or 1):.1f}"
        for device in given.device or ["host"]:
            label = name_of_device(given.heddle, device)
            rows = [row for row in rows if (row["version"], row["device"]) != (now, label)]
            for golden in instruments():
                for _, solver, median, p99 in measure(given.heddle, device, golden):
                    rows.append(dict(zip(COLUMNS, (today, now, label, solver, golden.stem, f"{median:.2f}", f"{p99:.2f}", busy))))
                    print(f"{label}: {golden.stem} {median:.2f} us, p99 {p99:.2f}")
        write_log(rows)
    if rows:
        draw(rows)


if __name__ == "__main__":
    main()
