#!/usr/bin/env python3
"""Makes the instruments here: python3 make.py; nothing else is needed. What an instrument file holds is in docs/instrument-file.md.

The files are plain enough to be edited; this program is where their figures come from, and what repeats a string forty times."""
import json
import math

RATE = 48000
NAMES = ["C", "Cs", "D", "Ds", "E", "F", "Fs", "G", "Gs", "A", "As", "B"]


def frequency(note):
    return 440 * 2 ** ((note - 69) / 12)


def name_of(note):
    """A4, Fs5: letters and figures alone, as names of entities are."""
    return f"{NAMES[note % 12]}{note // 12 - 1}"


def figure(x):
    """Seven digits put a pitch within a thousandth of a cent."""
    return float(f"{x:.7g}") if isinstance(x, float) else x


class Instrument:
    def __init__(self, description, **settings):
        self.sections = {}
        self.head = {"version": 1, "description": description, "instrument": settings}

    def add(self, section, **fields):
        """Fields whose value is None are left out."""
        kept = {key: value for key, value in fields.items() if value is not None}
        self.sections.setdefault(section, []).append(kept)

    def link(self, source, to, weight=None):
        self.add("links", **{"from": source, "to": to, "weight": weight})

    def modulate(self, source, target, parameter, mode, depth, invert=None):
        self.add("modulations", source=source, target=target, parameter=parameter, mode=mode, depth=depth, invert=invert)

    def macro(self, number, name, targets, parameter, mode, depth):
        """Knob `number` of a host, from 0 on; where it stands unless it is turned, at 0, nothing is changed."""
        names = self.head.setdefault("macros", [])
        names += [""] * (number + 1 - len(names))
        names[number] = name
        source = f"macro{number + 1}"
        self.add("midi_sources", name=source, kind="host", number=number, smoothing=0.02)
        self.modulate(source, targets, parameter, mode, depth)

    def write(self, path):
        def line(value):
            if isinstance(value, dict):
                return "{" + ", ".join(f"{json.dumps(k)}: {line(v)}" for k, v in value.items()) + "}"
            if isinstance(value, (list, tuple)):
                return "[" + ", ".join(line(v) for v in value) + "]"
            return json.dumps(figure(value))

        parts = [f'  {json.dumps(key)}: {line(value)}' for key, value in self.head.items()]
        for key, entries in self.sections.items():
            parts.append(f'  "{key}": [\n' + ",\n".join("    " + line(e) for e in entries) + "\n  ]")
        with open(path, "w", encoding="ascii") as f:
            f.write("{\n" + ",\n".join(parts) + "\n}\n")


# ---- strings ----

def tension(pitch, masses, mass, damping):
    """What pulls across a string, k (1 - rest length): springs to the next but one with a third of it make the chain's lowest
    quarter of partials harmonic within 4 cents, as 4 s^2 + 4/3 s^4 is theta^2 but for theta^6."""
    g = math.exp(-damping / RATE)
    square = ((1 - g) ** 2 + 4 * g * math.sin(math.pi * pitch / RATE) ** 2) / g ** 2 * RATE ** 2 * mass
    s = math.sin(math.pi / (2 * (masses + 1)))
    return square / (4 * s ** 2 + 4 / 3 * s ** 4)


def add_string(instrument, name, pitch, masses, mass, t60, high_t60, origin, length, swings):
    """A string along y. t60: s until 60 dB are gone; high_t60: likewise of a partial at 3 kHz, by a dashpot at the bridge. `swings`: the axis
    along which it is played. Gives its tension."""
    damping = math.log(1000) / t60
    pull = tension(pitch, masses, mass, damping)
    apart = length / (masses + 1)
    instrument.add("grids", kind="string", name=name, size=masses + 2, origin=origin, step=[0, apart, 0], tune=pitch,
                   body={"mass": mass, "damping": damping}, spring={"rest_length": -0.3}, bend=pull / 3)
    # A dashpot c at the first mass takes c sin(j pi / (masses + 1))^2 / (mass (masses + 1)) from partial j; at most what ends all waves.
    partial = min(3000 / pitch, (masses + 1) / 2)
    dashpot = max(math.log(1000) / high_t60 - damping, 0) * mass * (masses + 1) / math.sin(partial * math.pi / (masses + 1)) ** 2
    anchor = [origin[k] + apart * (k == 1) + 0.02 * (k == swings) for k in range(3)]
    instrument.add("bodies", name=f"bridge_{name}", position=anchor, anchored=True)
    instrument.add("springs", **{"from": f"bridge_{name}", "to": f"{name}[1]", "stiffness": 0, "damping": min(dashpot, math.sqrt(pull * mass))})
    return pull


def masses_for(pitch, share, least, most):
    """As many as make a wave go `share` of a mass a sample: more would shake at the highest pitch."""
    return max(least, min(most, round(share * RATE / (2 * pitch)) - 1))


# ---- the instruments ----

HARP = range(43, 80)  # notes

# Loudness of each string from note 43 on if all are heard alike, dB (K-weighted power of the loudest tenth of a second, ITU-R BS.1770).
HARP_LEVELS = [
    -6.8, -6.4, -6, -5.5, -5.3, -4.9, -4.6, -4.4, -4, -3.5, -2.9, -2.2, -1.6, -0.8, -0.9, -0.6, 0.5, 0.8, 0.8, 1.1, 2.4, 2.7, 3.2, 4.9, 5.5, 6,
    6.5, 6.8, 7.2, 7.8, 8.5, 9.2, 9.8, 10.2, 10.5, 11.1, 11.7]


def felts(masses, shares):
    """Places of two felts, near these shares of the length. No partial has a node at both, since their greatest common divisor with the number
    of springs is 1: at 6 and 9 of 21 springs the partials 7 and 14 would ring on."""
    first, second = (round((masses + 1) * share) for share in shares)
    while math.gcd(first, second, masses + 1) > 1:
        second -= 1
    return [first, second]


def binomial(order):
    return [math.comb(order, k) / 2 ** order for k in range(order + 1)]


def add_harp(instrument, notes, channel, microphones):
    """A string for each note. Its last partials are crowded together at the edge of its band, out of tune, where they would whistle: so a
    string is drawn to a triangle whose corner is rounded by binomial weights, and heard with binomial weights; both are blind to the edge.
    A weight of each string makes all keys as loud."""
    for note in notes:
        pitch = frequency(note)
        name = f"harp_{name_of(note)}"
        masses = masses_for(pitch, 0.3, 16, 36)
        length = min(0.9, 0.9 * (110 / pitch) ** 0.7)
        x = 0.014 * (note - 61)
        t60 = 5.5 * (110 / pitch) ** 0.5
        pull = add_string(instrument, name, pitch, masses, 1e-4, t60, 0.15 * t60, [x, 0, 0], length, 2)
        plectrum = f"finger_{name_of(note)}"
        instrument.add("plectrums", name=plectrum, direction=[0, 0, 1], distance=0.003, duration=0.004, velocity_sensitivity=0.85,
                       route={"channel": channel, "low": note, "high": note})
        pluck, ear = round(0.22 * (masses + 1)), max(1, round(0.1 * (masses + 1) - 2))
        for at in range(pluck - 1, pluck + 2):
            drawn = sum(w * min(m / pluck, (masses + 1 - m) / (masses + 1 - pluck)) for w, m in zip(binomial(2), range(at - 1, at + 2)))
            instrument.link(plectrum, f"{name}[{at}]", drawn)
        # A felt of the string's wave resistance at two places: a wave that passes loses most of itself.
        felt = f"felt_{name_of(note)}"
        instrument.add("dampers", name=felt, direction=[0, 0, 1], resistance=math.sqrt(pull * 1e-4), envelope={"attack": 0.001, "release": 0.08},
                       route={"channel": channel, "low": note, "high": note})
        for place in felts(masses, (0.3, 0.43)):
            instrument.link(felt, f"{name}[{place}]")
        loudness = 2 * 10 ** (-HARP_LEVELS[note - 43] / 20)
        for microphone in microphones:
            for k, weight in enumerate(binomial(4)):
                instrument.link(microphone, f"{name}[{ear + k}]", loudness * weight)


def make_harp():
    i = Instrument("Three octaves of strings, each plucked by its own note: G2 to G5.", mode="singleton", gain=-40)
    i.add("microphones", name="left", position=[-0.35, 0.1, 0.3], direction=[0, 0, 1], pan=-0.7)
    i.add("microphones", name="right", position=[0.35, 0.1, 0.3], direction=[0, 0, 1], pan=0.7)
    add_harp(i, HARP, 0, ["left", "right"])
    fingers = [plectrum["name"] for plectrum in i.sections["plectrums"]]
    i.macro(0, "Reach", fingers, "distance", "multiply", 2.0)
    i.macro(1, "Softness", fingers, "duration", "exponential", 2.0)
    i.write("harp.json")


def add_drum(instrument, size, channel, microphones):
    """A membrane, the rim anchored; a soft mallet in the middle, a hard one near the rim."""
    mass, step, middle = 0.045 / size ** 2, 0.28 / (size - 1), size // 2
    instrument.add("grids", kind="membrane", name="skin", size=[size, size], origin=[-0.14, -0.54, 0], step=step, tune=98.0,
                   body={"mass": mass, "damping": 7.0}, spring={"rest_length": -0.5, "damping": 0.004})
    instrument.add("mallets", name="beater", direction=[0, 0, -1], mass=0.02, impulse=0.05, hardness_soft=4e4, hardness_hard=4e5,
                   exponent=2.3, hysteresis=0.3, relaxation=2e-4, noise=0.05, velocity_sensitivity=0.9,
                   route={"channel": channel, "low": 36, "high": 36})
    instrument.add("mallets", name="knuckle", direction=[0, 0, -1], mass=0.002, impulse=0.006, hardness_soft=2e5, hardness_hard=2e6,
                   exponent=2.3, hysteresis=0.1, relaxation=1e-4, noise=0.05, velocity_sensitivity=0.9,
                   route={"channel": channel, "low": 38, "high": 38})
    instrument.link("beater", f"skin[{middle - 1}..{middle + 1},{middle - 2}..{middle}]")
    instrument.link("knuckle", f"skin[{size - 4},{middle - 2}..{middle - 1}]")
    for microphone in microphones:
        instrument.link(microphone, f"skin[{middle}..{size - 3},3..{middle}]", 4 / size ** 2)


def make_drum():
    i = Instrument("A frame drum: note 36 in the middle, 38 at the rim.", mode="singleton", gain=-6)
    i.add("microphones", name="left", position=[-0.3, -0.4, 0.4], direction=[0, 0, 1], pan=-0.4)
    i.add("microphones", name="right", position=[0.3, -0.4, 0.4], direction=[0, 0, 1], pan=0.4)
    add_drum(i, 25, 0, ["left", "right"])
    i.macro(0, "Hardness", ["beater", "knuckle"], "hardness", "exponential", 3.0)
    i.macro(1, "Noise", ["beater", "knuckle"], "noise", "add", 0.5)
    i.write("drum.json")


SHARP = 0.8


def add_viol(instrument, notes, channel, microphones):
    """A bowed string for each note. The bow's force is in proportion to the string's wave resistance; strings are tuned SHARP cents higher,
    because a bowed string is that much flatter than a plucked one. At most 24 masses: the crowded last partials of more would sound by
    themselves. Controller 1 draws faster."""
    instrument.add("midi_sources", name="swell", kind="cc", number=1, initial=0.5, smoothing=0.03, depth=1,
                   route={"channel": channel, "low": 0, "high": 127})
    for note in notes:
        pitch, mass = frequency(note + SHARP / 100), 2e-4
        name = f"viol_{name_of(note)}"
        masses = masses_for(pitch, 0.16, 18, 24)
        x = 0.012 * (note - 53)
        pull = add_string(instrument, name, pitch, masses, mass, 1.5, 0.2, [x, 0, -0.15], 0.7 * (80 / pitch) ** 0.5, 0)
        resistance = math.sqrt(pull * mass)
        bow = f"bow_{name_of(note)}"
        instrument.add("bows", name=bow, direction=[1, 0, 0], force=0.21 * resistance, draw_velocity=0.06, stiction=0.8, sliding=0.25,
                       dropoff=0.14, velocity_sensitivity=0.4, envelope={"attack": 0.06, "decay": 0.1, "sustain": 0.85, "release": 0.12},
                       route={"channel": channel, "low": note, "high": note})
        instrument.link(bow, f"{name}[{round((masses + 1) * 0.14)}]")
        instrument.modulate("swell", bow, "draw_velocity", "multiply", 1.0)
        for microphone in microphones:
            instrument.link(microphone, f"{name}[2..3]")


def make_viol():
    i = Instrument("A bass viol with a string and a bow for each note, E2 to F4. Controller 1 swells.", mode="singleton", gain=-18)
    i.add("microphones", name="left", position=[-0.3, 0.05, 0.3], direction=[1, 0, 0], pan=-0.3)
    i.add("microphones", name="right", position=[0.2, 0.05, 0.4], direction=[1, 0, 0], pan=0.3)
    add_viol(i, range(40, 66), 0, ["left", "right"])
    bows = [bow["name"] for bow in i.sections["bows"]]
    i.macro(0, "Speed", bows, "draw_velocity", "multiply", 1.0)
    i.macro(1, "Rosin", bows, "rosin_stiction", "multiply", 0.5)
    i.write("viol.json")


def make_consort():
    i = Instrument("Harp, viol and frame drum for data/music/greensleeves.mid: all the notes of each, on channels 1, 2 and 3.",
                   mode="singleton", gain=-6.5)
    i.add("microphones", name="harp_left", position=[-0.35, 0.1, 0.3], direction=[0, 0, 1], pan=-0.7, gain=-39)
    i.add("microphones", name="harp_right", position=[0.35, 0.1, 0.3], direction=[0, 0, 1], pan=0.5, gain=-43)
    i.add("microphones", name="viol", position=[0.1, 0.05, 0.3], direction=[1, 0, 0], pan=0.35, gain=-8)
    i.add("microphones", name="drum", position=[0.0, -0.4, 0.4], direction=[0, 0, 1], pan=-0.2, gain=-8)
    add_harp(i, HARP, 1, ["harp_left", "harp_right"])
    add_viol(i, range(40, 67), 2, ["viol"])
    add_drum(i, 17, 3, ["drum"])
    i.macro(0, "Harp reach", [plectrum["name"] for plectrum in i.sections["plectrums"]], "distance", "multiply", 2.0)
    i.macro(1, "Viol speed", [bow["name"] for bow in i.sections["bows"]], "draw_velocity", "multiply", 1.0)
    i.macro(2, "Drum hardness", ["beater", "knuckle"], "hardness", "exponential", 3.0)
    i.write("consort.json")


def make_cymbal():
    """Two layers of 18 x 18 with braces between them make a plate of some thickness. Struck hard it bends by more than that, and the low
    partials feed the high ones. The springs are as stiff as 48 kHz bears, so that its partials reach up to 9.5 kHz."""
    i = Instrument("A square cymbal, held in its middle: struck softly it hums, struck hard it crashes.", mode="singleton", gain=-30)
    size, mass, stiffness = 18, 2e-3, 9.7e5
    i.add("grids", kind="lattice", name="plate", size=[size, size, 2], origin=[-0.065, -0.065, 0], step=0.13 / (size - 1),
          body={"mass": mass, "damping": 0.8}, spring={"stiffness": stiffness, "rest_length": -1, "damping": 0.001}, diagonal=stiffness / 2)
    i.add("changes", entity=f"plate[{size // 2 - 1}..{size // 2},{size // 2 - 1}..{size // 2},*]", anchored=True)
    i.add("mallets", name="stick", direction=[0, 0, 1], mass=0.05, impulse=2.0, hardness_soft=1e6, hardness_hard=2e8, exponent=2.0,
          hysteresis=0.1, relaxation=1e-4, velocity_sensitivity=1)
    i.link("stick", "plate[2,7,0]")
    # a hand at the rim after the note
    i.add("dampers", name="hand", direction=[0, 0, 1], resistance=2.0, envelope={"attack": 0.001, "release": 0.25})
    i.link("hand", "plate[5..12,0,0]")
    i.add("microphones", name="left", position=[-0.4, 0, 0.5], direction=[0, 0, 1], pan=-0.6)
    i.add("microphones", name="right", position=[0.4, 0, 0.5], direction=[0, 0, 1], pan=0.6)
    i.link("left", "plate[0,*,1]", 1 / size)
    i.link("right", f"plate[{size - 1},*,1]", 1 / size)
    i.macro(0, "Hardness", "stick", "hardness", "exponential", 3.0)
    i.macro(1, "Force", "stick", "impulse", "multiply", 1.0)
    i.write("cymbal.json")


def make_vibes():
    """A bar of seven masses, cut thinner towards its middle as those of a vibraphone are: `shares` is the resistance to bending at each mass but
    the first and the last, relative to the outer two. By eigenvalues the second partial is at four times the first, and the first has a
    frequency of `first` sqrt(bend / mass) / (2 pi). Microphones hear three masses each, with weights that are blind to a bar that bounces or
    rocks on its cords."""
    shares, first = [0, 1, 0.9, 0.2160864, 0.9, 1, 0], 0.293881452
    root, masses, mass, apart = 57, len(shares), 2e-3, 0.02
    i = Instrument("A bar of seven masses, struck; notes are pitched by time dilation, bends too.", mode="voices", voices=8, root_note=root,
                   low=45, high=76, bend_range=2, gain=-28)
    whole = mass * (2 * math.pi * frequency(root) / first) ** 2
    bend = [whole * share for share in shares]
    middle = (masses - 1) / 2
    for k in range(masses):
        i.add("bodies", name=f"bar{k}", position=[apart * (k - middle), 0, 0], mass=mass, damping=1.8)
    # A fourth difference: springs to the next pull across by 2 (bend + bend) and springs to the next but one push by bend, so that all rests.
    for k in range(masses - 1):
        i.add("springs", **{"from": f"bar{k}", "to": f"bar{k + 1}", "stiffness": 1.05 * 2 * (bend[k] + bend[k + 1]),
                            "rest_length": apart * (1 - 1 / 1.05), "damping": 0.003})
    for k in range(1, masses - 1):
        i.add("springs", **{"from": f"bar{k - 1}", "to": f"bar{k + 1}", "stiffness": bend[k], "rest_length": 4 * apart})
    for place in (1, masses - 2):
        for side, z in (("above", 0.03), ("below", -0.03)):
            i.add("bodies", name=f"cord{place}_{side}", position=[apart * (place - middle), 0, z], anchored=True)
            i.add("springs", **{"from": f"cord{place}_{side}", "to": f"bar{place}", "stiffness": 15, "rest_length": -0.5, "damping": 0.05})
    i.add("mallets", name="mallet", direction=[0, 0, -1], mass=0.003, impulse=0.006, hardness_soft=1e6, hardness_hard=3e8, exponent=2.5,
          hysteresis=0.1, relaxation=1e-4, velocity_sensitivity=1)
    i.link("mallet", "bar2")
    # the felt under all bars, which the note or the pedal lowers
    i.add("dampers", name="felt", direction=[0, 0, 1], resistance=0.03, envelope={"attack": 0.001, "release": 0.1})
    for k in range(masses):
        i.link("felt", f"bar{k}")
    for side, x, pan, first_heard, step in (("left", -0.2, -0.5, 0, 1), ("right", 0.2, 0.5, masses - 1, -1)):
        i.add("microphones", name=side, position=[x, 0, 0.3], direction=[0, 0, 1], pan=pan)
        for k, weight in ((0, 1), (2, -1.5), (6, 0.5)):  # their sum is 0, and so is that of their moments
            heard = first_heard + step * k
            i.link(side, f"bar{heard}", weight * math.hypot(apart * (heard - middle) - x, 0.3) / 0.33)
    i.macro(0, "Hardness", "mallet", "hardness", "exponential", 3.0)
    i.macro(1, "Noise", "mallet", "noise", "add", 0.5)
    i.write("vibes.json")


def make_glide():
    """One bowed string in six voices, pitched by time dilation: each finger of an MPE controller bends its own by an octave, presses the bow
    along, and slides towards a sharper grip. Above A4 a bowed string of this rate falls flat: hence a bass."""
    i = Instrument("A bowed bass for MPE: every note bends, swells with its pressure, and gets sharper with controller 74.", mode="mpe", voices=6,
                   root_note=45, low=36, high=57, bend_range=2, note_bend_range=12, gain=-17)
    masses, mass = 16, 2e-4
    i.add("microphones", name="left", position=[-0.25, 0.05, 0.2], direction=[1, 0, 0], pan=-0.25)
    i.add("microphones", name="right", position=[0.2, 0.05, 0.3], direction=[1, 0, 0], pan=0.25)
    pull = add_string(i, "string", frequency(45 + SHARP / 100), masses, mass, 1.5, 0.2, [0, 0, -0.15], 0.4, 0)
    i.add("bows", name="bow", direction=[1, 0, 0], force=0.21 * math.sqrt(pull * mass), draw_velocity=0.06, stiction=0.8, sliding=0.25,
          dropoff=0.15, velocity_sensitivity=0.4, envelope={"attack": 0.05, "decay": 0.1, "sustain": 0.85, "release": 0.15})
    i.link("bow", f"string[{round((masses + 1) * 0.17)}]")
    i.link("left", "string[2..3]")
    i.link("right", "string[2..3]")
    i.add("midi_sources", name="pressure", kind="pressure", initial=0.3, smoothing=0.02)
    i.add("midi_sources", name="slide", kind="cc", number=74, initial=0.5, smoothing=0.02)
    i.modulate("pressure", "bow", "draw_velocity", "multiply", 1.0)
    i.modulate("slide", "bow", "rosin_dropoff", "exponential", -0.7)
    i.macro(0, "Speed", "bow", "draw_velocity", "multiply", 1.0)
    i.macro(1, "Rosin", "bow", "rosin_stiction", "multiply", 0.5)
    i.write("glide.json")


def make_million():
    """The box's partials are those of a room: c/2 sqrt((i/a)^2 + (j/b)^2 + (k/c)^2), the wave going `share` of a mass a sample. Springs of rest
    length 0 pull evenly in all directions, so there are no two speeds; the masses are close together, because what the springs pull
    against each other is rounded."""
    mass, share, step = 1e-4, 0.4, 0.0005
    i = Instrument("A block of 160 x 80 x 80 masses, anchored all around: a room of jelly with a knock in it.", mode="singleton", gain=0)
    i.add("grids", kind="lattice", name="block", size=[160, 80, 80], step=step, anchor="ends",
          body={"mass": mass, "damping": 4.0}, spring={"stiffness": mass * (share * RATE) ** 2, "rest_length": 0})
    i.add("mallets", name="knock", direction=[0, 0, 1], mass=0.06, impulse=0.3, hardness_soft=1e5, hardness_hard=1e6, exponent=2.5)
    i.link("knock", "block[40..43,30..33,36]")
    i.add("microphones", name="left", position=[0.02, 0.02, 0.2], direction=[0, 0, 1], pan=-0.8)
    i.add("microphones", name="right", position=[0.06, 0.02, 0.2], direction=[0, 0, 1], pan=0.8)
    i.link("left", "block[28..31,40,40]")
    i.link("right", "block[128..131,40,40]")
    i.write("million.json")


def make_tank():
    """Three springs of a reverberation tank between two transducers, and a delay line that feeds their end back to their beginning."""
    i = Instrument("An effect: sound goes through three long springs and a delay line. heddle synth render tank.json --in voice.wav",
                   mode="singleton", gain=-16)
    i.add("microphones", name="left", position=[-0.2, 0.5, 0.2], direction=[0, 0, 1], pan=-0.8)
    i.add("microphones", name="right", position=[0.2, 0.5, 0.2], direction=[0, 0, 1], pan=0.8)
    i.add("microphones", name="pickup", position=[0, 0.5, 0.2], direction=[0, 0, 1], heard=False)
    i.add("delay_lines", name="echo", source="pickup", seconds=0.18, gain=-6)
    i.add("audio_inputs", name="driver", direction=[0, 0, 1], channel=0, gain=0.05)
    i.add("audio_inputs", name="return", direction=[0, 0, 1], gain=0.0015)
    i.link("return", "echo")
    for k, (pitch, masses) in enumerate(((53.1, 100), (61.7, 90), (73.3, 80))):
        name = f"spring{k}"
        add_string(i, name, pitch, masses, 1e-4, 2.6, 0.8, [0.05 * (k - 1), 0, 0], 0.5, 2)
        i.link("driver", f"{name}[3..4]")
        i.link("return", f"{name}[7..8]")
        i.link("left" if k < 2 else "pickup", f"{name}[{masses - 4}..{masses - 3}]")
        i.link("right" if k > 0 else "pickup", f"{name}[{masses - 6}..{masses - 5}]")
    i.macro(0, "Drive", "driver", "gain", "multiply", 3.0)
    i.macro(1, "Echo", "echo", "gain", "add", 4.0)
    i.write("tank.json")


def make_orrery():
    """Every type of entity at once, and modulators that modulate modulators."""
    i = Instrument("Every type of entity: a string, a ring of planets, five ways to set them going, and what moves all that.",
                   mode="singleton", gain=4)
    add_string(i, "string", 110.0, 30, 2e-4, 4.0, 0.6, [0, 0, 0], 0.6, 2)
    planets = 12
    i.add("bodies", name="sun", position=[0, 0.3, 0.1], anchored=True)
    for k in range(planets):  # each between the sun and a star of its own, so that the tension is even
        angle = 2 * math.pi * k / planets
        for name, radius, anchored in (("planet", 0.3, None), ("star", 0.6, True)):
            i.add("bodies", name=f"{name}{k}", position=[radius * math.cos(angle), 0.3 + radius * math.sin(angle), 0.1],
                  mass=None if anchored else 1e-3 * (1 + k / 6), damping=2.5, anchored=anchored)
        for name, fixed in (("ray", "sun"), ("beam", f"star{k}")):
            i.add("springs", name=f"{name}{k}", **{"from": fixed, "to": f"planet{k}", "stiffness": 900 * (1 + k), "rest_length": -0.6, "cubic": 1e6})
    for k in range(planets):
        i.add("springs", name=f"orbit{k}", **{"from": f"planet{k}", "to": f"planet{(k + 1) % planets}", "stiffness": 3000, "rest_length": -1,
                                              "damping": 0.002})
    i.add("mallets", name="hammer", mass=0.004, impulse=0.006, hardness_soft=5e4, hardness_hard=1e6, noise=0.1)
    i.add("plectrums", name="finger", distance=0.002, duration=0.005)
    i.add("bows", name="bow", direction=[1, 0, 0], force=0.25, draw_velocity=0.08, stiction=0.8, sliding=0.25, dropoff=0.12,
          envelope={"attack": 0.3, "decay": 0.2, "sustain": 0.8, "release": 0.5})
    i.add("oscillators", name="hum", direction=[0, 1, 0], wave="saw", gain=0.02, follows_note=True, octave=-1,
          envelope={"attack": 0.5, "decay": 0.5, "sustain": 0.5, "release": 1.0})
    i.add("audio_inputs", name="return", direction=[0, 0, 1], gain=0.00003)
    i.link("hammer", "planet0")
    i.link("hammer", "planet5")
    i.link("finger", "string[7]")
    i.link("bow", "string[4]")
    i.link("hum", "planet3")
    i.link("return", "planet9")
    i.add("dampers", name="felt", direction=[0, 0, 1], resistance=0.01)
    i.link("felt", "planet7")
    i.add("microphones", name="left", position=[-0.4, 0.3, 0.5], pan=-0.8, directionality=0.5, isotropy=0.5, threshold=-12, ratio=4, attack=0.003,
          release=0.15)
    i.add("microphones", name="right", position=[0.4, 0.3, 0.5], pan=0.8, directionality=0.5, isotropy=0.5)
    for k in range(planets):
        i.link("left" if k % 2 else "right", f"planet{k}")
    i.link("left", "string[2]")
    i.link("right", "string[3]")
    i.add("delay_lines", name="echo", source="left", seconds=0.25, gain=0)
    i.link("return", "echo")
    i.add("lfos", name="breath", wave="sine", frequency=0.3)
    i.add("lfos", name="tremor", wave="hold", division=0.25)
    i.add("envelopes", name="onset", envelope={"attack": 0.01, "decay": 1.5, "sustain": 0.2, "release": 1.0})
    i.add("followers", name="loudness", source="right", attack=0.02, release=0.3)
    i.add("midi_sources", name="wheel", kind="cc", number=1, initial=0.3)
    i.add("midi_sources", name="height", kind="note", centre=57)
    i.modulate("breath", "tremor", "depth", "multiply", 0.9)          # a modulator of a modulator
    i.modulate("wheel", "breath", "frequency", "exponential", 3.0)
    i.modulate("loudness", "breath", "depth", "multiply", 0.5)
    i.modulate("tremor", "orbit2", "stiffness", "multiply", 0.05)
    i.modulate("breath", "sun", "position_z", "add", 0.002)
    i.modulate("breath", "left", "pan", "add", 0.2)
    i.modulate("onset", "hum", "gain", "multiply", 2.0)
    i.modulate("onset", "bow", "draw_velocity", "multiply", 0.5)
    i.modulate("height", "finger", "distance", "exponential", -1.0)
    i.modulate("breath", "echo", "delay", "multiply", 0.01)
    i.macro(0, "Breath", "breath", "frequency", "exponential", 3.0)
    i.macro(1, "Tremor", "tremor", "depth", "multiply", 1.0)
    i.macro(2, "Echo", "echo", "gain", "add", 4.0)
    i.write("orrery.json")


if __name__ == "__main__":
    make_harp()
    make_drum()
    make_viol()
    make_cymbal()
    make_vibes()
    make_glide()
    make_million()
    make_tank()
    make_orrery()
    make_consort()
