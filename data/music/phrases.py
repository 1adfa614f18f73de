#!/usr/bin/env python3
"""Makes a few seconds for each instrument of data/instruments: phrases/NAME.mid. python3 phrases.py; nothing else is needed.

A phrase is (begin, length, note, velocity) in seconds. The files are format 0 with a tick a millisecond."""
import os
import struct

from greensleeves import chunk

PHRASES = {
    # An open chord from below, then the octaves of A.
    "harp": [(0.5 * k, 0.4, n, 92) for k, n in enumerate((45, 52, 57, 60, 64, 69, 76))],
    "drum": [(0.0, 0.2, 36, 110), (0.6, 0.2, 38, 90), (0.9, 0.2, 38, 60), (1.2, 0.2, 36, 80), (1.5, 0.2, 38, 110), (2.0, 0.2, 36, 127)],
    "viol": [(0.0, 1.4, 45, 100), (1.5, 1.4, 52, 90), (3.0, 1.4, 57, 100), (4.5, 1.9, 64, 100)],
    "cymbal": [(0.0, 1.0, 60, 30), (2.0, 1.0, 60, 70), (4.0, 3.0, 60, 127)],
    "vibes": [(0.4 * k, 1.5, n, 90) for k, n in enumerate((45, 52, 57, 61, 64, 69, 73, 76))],
    "orrery": [(0.0, 2.5, 57, 100), (3.0, 2.5, 64, 80)],
    "million": [(0.0, 0.5, 60, 110)],
}


def main():
    os.makedirs("phrases", exist_ok=True)
    for name, notes in PHRASES.items():
        events = [(0, 0, b"\xff\x51\x03\x07\xa1\x20")]
        for begin, length, note, velocity in notes:
            events.append((round(1000 * begin), 1, bytes((0x90, note, velocity))))
            events.append((round(1000 * (begin + length)), 0, bytes((0x80, note, 64))))
        with open(f"phrases/{name}.mid", "wb") as f:
            f.write(b"MThd" + struct.pack(">IHHH", 6, 0, 1, 500) + chunk(name, events))


if __name__ == "__main__":
    main()
