#!/usr/bin/env python3
"""Makes a few seconds for each instrument of data/instruments: phrases/NAME.mid. python3 phrases.py; nothing else is needed.

A phrase is (begin, length, note, velocity) in seconds; with a channel behind these, what that finger of an MPE controller does may follow: (time
from the note's begin, status byte of channel 1, data ...). The files are format 0 with a tick a millisecond."""
import os
import struct

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


def main():
    os.makedirs("phrases", exist_ok=True)
    for name, notes in PHRASES.items():
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
