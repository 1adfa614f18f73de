#!/usr/bin/env python3
"""Makes greensleeves.mid: "Greensleeves" (England, before 1580; nobody's property), arranged for harp, viol and frame drum and given away
under the project's licence. python3 greensleeves.py; nothing else is needed.

A line of music is a string of NOTE:LENGTH, r is a rest; lengths are in sixteenths, a bar of 6/8 has twelve. Channel 1 is the harp,
2 the viol (CC 1 swells the bow), 3 the drum (36 middle, 38 rim)."""
import struct

DIVISION = 480  # ticks of a quarter note
SIXTEENTH = DIVISION // 4
BAR = 12
HARP, VIOL, DRUM = 0, 1, 2  # channels, from 0
MIDDLE, RIM = 36, 38

STEPS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}


def note_number(name):
    """C4 is 60."""
    return STEPS[name[0]] + name.count("#") + 12 * (int(name[-1]) + 1)


# ---- the tune ----

VERSE = """A4:2  C5:4 D5:2 E5:3 F#5:1 E5:2  D5:4 B4:2 G4:3 A4:1 B4:2  C5:4 A4:2 A4:3 G#4:1 A4:2  B4:4 G#4:2 E4:4
          A4:2  C5:4 D5:2 E5:3 F#5:1 E5:2  D5:4 B4:2 G4:3 A4:1 B4:2  C5:3 B4:1 A4:2 G#4:3 F#4:1 G#4:2  A4:10"""
CHORUS = """G5:6 G5:3 F#5:1 E5:2  D5:4 B4:2 G4:3 A4:1 B4:2  C5:4 A4:2 A4:3 G#4:1 A4:2  B4:4 G#4:2 E4:6
            G5:6 G5:3 F#5:1 E5:2  D5:4 B4:2 G4:3 A4:1 B4:2  C5:3 B4:1 A4:2 G#4:3 F#4:1 G#4:2  A4:12"""

# A chord for each half of each bar.
VERSE_CHORDS = "Am Am G G Am Am E E Am Am G G Am E Am Am".split()
CHORUS_CHORDS = "C C G G Am Am E E C C G G Am E Am Am".split()

ROLLED = {"Am": "A2 E3 A3 C4 A3 E3", "G": "G2 D3 G3 B3 G3 D3", "C": "C3 G3 C4 E4 C4 G3", "E": "E3 G#3 B3 E4 B3 G#3"}
BASS = {"Am": "A2", "G": "G2", "C": "C3", "E": "E2"}


class Track:
    """Events of a channel, by tick."""

    def __init__(self, name, channel):
        self.name, self.channel, self.events = name, channel, []

    def note(self, at, length, number, velocity):
        """Times in sixteenths, which may be fractions. Notes end before others of the same time begin."""
        on, off = round(at * SIXTEENTH), round((at + length) * SIXTEENTH)
        self.events.append((on, 1, bytes((0x90 | self.channel, number, velocity))))
        self.events.append((off, 0, bytes((0x80 | self.channel, number, 64))))

    def control(self, at, number, value):
        self.events.append((round(at * SIXTEENTH), 0, bytes((0xB0 | self.channel, number, value))))

    def line(self, at, text, velocity, transpose=0, legato=1.0):
        """Plays a line, the first note of each half bar a little louder."""
        for word in text.split():
            name, length = word.split(":")
            length = int(length)
            if name != "r":
                accent = 8 if at % 6 == 0 else 0
                self.note(at, length * legato, note_number(name) + transpose, velocity + accent)
            at += length
        return at


# ---- the arrangement ----

def roll(harp, at, chords, velocity):
    """Broken chords, an eighth each; a chord of half a bar has the lower half of its figure."""
    for half, chord in enumerate(chords):
        names = ROLLED[chord].split()
        same = half % 2 == 1 and chords[half - 1] == chord
        for i, name in enumerate(names[3:] if same else names[:3]):
            harp.note(at + 6 * half + 2 * i, 4, note_number(name), velocity + (6 if i == 0 and not same else 0))


def ground(viol, at, chords, velocity):
    """A long bow on each chord's root; the bow swells and comes back."""
    half = 0
    while half < len(chords):
        halves = 2 if chords[half] == chords[half + 1] else 1
        begin, length = at + 6 * half, 6 * halves
        viol.note(begin, length - 0.5, note_number(BASS[chords[half]]), velocity)
        for i in range(length):
            viol.control(begin + i, 1, 50 + round(50 * (1 - abs(2 * i / length - 1))))
        half += halves


def beat(drum, at, bars, velocity, busy):
    """Middle on one, rim on four and six; a fuller bar now and then."""
    for bar in range(bars):
        drum.note(at + BAR * bar, 2, MIDDLE, velocity)
        drum.note(at + BAR * bar + 6, 2, RIM, velocity - 22)
        drum.note(at + BAR * bar + 10, 2, RIM, velocity - 34)
        if busy:
            drum.note(at + BAR * bar + 4, 2, RIM, velocity - 40)
        if busy and bar % 4 == 3:
            for i in range(3):
                drum.note(at + BAR * bar + 6 + 2 * i + 1, 1, MIDDLE if i == 2 else RIM, velocity - 30 + 6 * i)


def arrange():
    harp, viol, drum = Track("Harp", HARP), Track("Viol", VIOL), Track("Frame drum", DRUM)
    at = 0
    roll(harp, at, ["Am"] * 4, 56)
    beat(drum, at, 2, 70, False)
    at += 2 * BAR

    harp.line(at - 2, VERSE, 84)
    for bar, chord in enumerate(VERSE_CHORDS[::2]):
        harp.note(at + BAR * bar, 10, note_number(ROLLED[chord].split()[0]), 66)
        harp.note(at + BAR * bar + 6, 5, note_number(ROLLED[chord].split()[1]), 54)
    at += 8 * BAR

    harp.line(at, CHORUS, 92)
    roll(harp, at, CHORUS_CHORDS, 52)
    ground(viol, at, CHORUS_CHORDS, 80)
    beat(drum, at, 8, 84, False)
    at += 8 * BAR

    viol.control(at - 3, 1, 96)  # now the viol has the tune, an octave lower
    viol.line(at - 2, VERSE, 92, transpose=-12, legato=0.96)
    roll(harp, at, VERSE_CHORDS, 58)
    beat(drum, at + 4 * BAR, 4, 64, False)
    at += 8 * BAR

    harp.line(at, CHORUS, 98)
    roll(harp, at, CHORUS_CHORDS, 58)
    ground(viol, at, CHORUS_CHORDS, 92)
    beat(drum, at, 8, 92, True)
    at += 8 * BAR

    for i, name in enumerate("A2 E3 A3 C4 E4 A4 C5 E5".split()):  # the last chord, rolled slowly
        harp.note(at + i, 20 - i, note_number(name), 76 - 2 * i)
    viol.note(at, 18, note_number("A2"), 70)
    for i in range(16):
        viol.control(at + i, 1, 90 - 5 * i)
    drum.note(at, 4, MIDDLE, 88)
    return [harp, viol, drum], at


def tempo_map(end):
    """Quarter notes a minute, by sixteenth: steady, slower towards the end."""
    tempi = [(0, 78)]
    for i in range(8):
        tempi.append((end - 2 * BAR + 3 * i, 78 - 3.5 * (i + 1)))
    return tempi


# ---- the file: standard MIDI file, format 1 ----

def variable(value):
    out = bytes((value & 0x7F,))
    while value := value >> 7:
        out = bytes((0x80 | value & 0x7F,)) + out
    return out


def chunk(name, events):
    """Events are (tick, order, bytes)."""
    data = b"\x00\xff\x03" + variable(len(name)) + name.encode("ascii")
    now = 0
    for tick, _, message in sorted(events, key=lambda e: e[:2]):
        data += variable(tick - now) + message
        now = tick
    data += b"\x00\xff\x2f\x00"
    return b"MTrk" + struct.pack(">I", len(data)) + data


def main():
    tracks, end = arrange()
    conductor = [(0, 0, b"\xff\x58\x04\x06\x03\x24\x08"), (0, 0, b"\xff\x59\x02\x00\x01")]
    conductor += [(at * SIXTEENTH, 1, b"\xff\x51\x03" + round(60e6 / tempo).to_bytes(3, "big")) for at, tempo in tempo_map(end)]
    with open("greensleeves.mid", "wb") as f:
        f.write(b"MThd" + struct.pack(">IHHH", 6, 1, 1 + len(tracks), DIVISION) + chunk("Greensleeves", conductor))
        for track in tracks:
            f.write(chunk(track.name, track.events))


if __name__ == "__main__":
    main()
