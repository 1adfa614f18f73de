#!/usr/bin/env python3
"""Makes a phrase for each instrument of data/instruments: phrases/NAME.mid. python3 phrases.py; nothing else is needed.

Phrases of presets, eight bars each, are in presets.txt, whose head explains the notation; the others are below.

A phrase is (begin, length, note, velocity) in seconds; with a channel behind these, what that finger of an MPE controller does may follow: (time
from the note's begin, status byte of channel 1, data ...). The files are format 0 with a tick a millisecond."""
import os
import re
import struct
from fractions import Fraction

from greensleeves import chunk



def bend(semitones):
    """The status byte and the data of a bend, of the octave that the instrument has at the most."""
    value = min(16383, round(8192 + 8192 * semitones / 12))
    return 0xe0, value & 127, value >> 7


PHRASES = {
    # An open chord from below, then the octaves of A.
    "harp": [(0.5 * k, 0.4, n, 92) for k, n in enumerate((45, 52, 57, 60, 64, 69, 76))],
    "drum": [(0.0, 0.2, 36, 110), (0.6, 0.2, 38, 90), (0.9, 0.2, 38, 60), (1.2, 0.2, 36, 80), (1.5, 0.2, 38, 110), (2.0, 0.2, 36, 127)],
    "viol": [(0.0, 1.4, 45, 100), (1.5, 1.4, 52, 90), (3.0, 1.4, 57, 100), (4.5, 1.9, 64, 100)],
    "cymbal": [(0.0, 1.0, 60, 30), (2.0, 1.0, 60, 70), (4.0, 3.0, 60, 127)],
    "vibes": [(0.4 * k, 1.5, n, 90) for k, n in enumerate((45, 52, 57, 61, 64, 69, 73, 76))],
    "glide": [
        (0.0, 3.4, 36, 90, 1, *[(0.2 + 0.1 * k, 0xd0, 30 + 5 * k) for k in range(15)]),
        (0.6, 2.8, 43, 80, 2, *[(1.2 + 0.04 * k, *bend(-2 * k / 20)) for k in range(21)]),
        (1.2, 2.2, 52, 80, 3, *[(0.6 + 0.04 * k, *bend(3 * k / 20)) for k in range(21)]),
        (3.6, 3.0, 45, 100, 4, *[(0.3 + 0.02 * k, *bend(12 * k / 50)) for k in range(51)], *[(1.5 + 0.05 * k, 0xd0, 38 + 2 * k) for k in range(25)]),
    ],
    "orrery": [(0.0, 2.5, 57, 100), (3.0, 2.5, 64, 80)],
    "million": [(0.0, 0.5, 60, 110)],
}


STEPS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
VELOCITIES = {"!": 108, "": 88, ",": 58}


def read_presets(path):
    """Phrases of presets.txt as those of PHRASES. Notes end a little early, so that the same key can be struck again."""
    with open(path, encoding="ascii") as file:
        text = re.sub(r"^#.*$", "", file.read(), flags=re.M)
    phrases = {}
    for name, tempo, bars in re.findall(r"^([a-z]+) (\d+)\n(.*?)(?=^[a-z]+ \d+$|\Z)", text, re.M | re.S):
        assert bars.count("|") == 7, f"{name}: {bars.count('|') + 1} bars; expected 8"
        at, notes = 0.0, []
        for word in bars.replace("|", " ").split():
            tones, mark, length = re.fullmatch(r"(-|[A-G#0-9+]+)((?=:)|[!,]?):?([\d/]*[!,]?)", word).groups()
            mark, length = mark or "".join(c for c in length if c in "!,"), length.strip("!,")
            quarters = float(Fraction(length)) if length else 0.5
            seconds = quarters * 60 / int(tempo)
            for step, sharp, octave in re.findall(r"([A-G])(#?)(\d)", tones):
                notes.append((at, 0.94 * seconds, 12 * (int(octave) + 1) + STEPS[step] + len(sharp), VELOCITIES[mark]))
            at += seconds
        phrases[name] = notes
    return phrases


def main():
    os.makedirs("phrases", exist_ok=True)
    for name, notes in {**PHRASES, **read_presets("presets.txt")}.items():
        events = [(0, 0, b"\xff\x51\x03\x07\xa1\x20")]
        for begin, length, note, velocity, *finger in notes:
            channel, *moves = finger or [0]
            events.append((round(1000 * begin), 1, bytes((0x90 | channel, note, velocity))))
            events.append((round(1000 * (begin + length)), 0, bytes((0x80 | channel, note, 64))))
            for time, status, *values in moves:
                events.append((round(1000 * (begin + time)), 2, bytes((status | channel, *values))))
        with open(f"phrases/{name}.mid", "wb") as f:
            f.write(b"MThd" + struct.pack(">IHHH", 6, 0, 1, 500) + chunk(name, events))


if __name__ == "__main__":
    main()
