#!/usr/bin/env python3
"""Makes the presets that are described here: python3 presets.py. Presets with a description of their own were written by hand, as plain text.

A preset plays in twelve voices that time dilation pitches, has four macros, and is damped by note-off and by the pedal. `gain` and `slope` (dB a
semitone, of the microphones) make it as loud as the others over its range; tests/synth_sounds_all_test.c measures the result."""
import math

from make import RATE, Instrument, felts, frequency, tension

def preset(family, text, root, low, high, gain, bend=2):
    i = Instrument(text, mode="voices", voices=12, root_note=root, low=low, high=high, gain=gain, bend_range=bend)
    i.head = {"version": 1, "description": text, "family": family, "instrument": i.head["instrument"], "macros": []}
    i.sections = {key: [] for key in ("grids", "bodies", "springs", "changes", "mallets", "plectrums", "bows", "oscillators", "audio_inputs", "dampers",
                                      "microphones", "delay_lines", "lfos", "envelopes", "midi_sources", "links", "modulations")}
    i.add("midi_sources", name="key", kind="note", centre=root)
    return i


def finish(i, name, knobs, slope):
    """`knobs`: four of (name, initial, [(target, parameter, mode, depth)])."""
    ears = [m["name"] for m in i.sections["microphones"] if m.get("heard", True)]
    i.modulate("key", ears, "gain", None, slope)
    for number, (label, initial, actions) in enumerate(knobs):
        i.head["macros"].append(label)
        i.add("midi_sources", name=f"knob{number + 1}", kind="host", number=number, initial=initial or None, smoothing=0.02)
        for target, parameter, mode, depth in actions:
            i.modulate(f"knob{number + 1}", target, parameter, mode, depth)
    i.sections = {key: entries for key, entries in i.sections.items() if entries}
    i.write(f"{name}.json")


WIDTH = ("Width", 0, [("left", "pan", None, -0.5), ("right", "pan", None, 0.5)])


def ears(i, names, x=0.1, **more):
    for name in names:
        i.add("microphones", name=name, position=[{"left": -x, "right": x}.get(name, 0), 0.05, 0.2], pan={"left": -0.4, "right": 0.4}.get(name), **more)


# ---- modes: a mass between two springs for each ----

def add_modes(i, root, modes, mass=0.02):
    """`modes`: (name, ratio to the note, T60 at the root, weight); gives references to the masses."""
    places = []
    for k, (name, ratio, t60, _) in enumerate(modes):
        length = 0.1 / (1 + 0.25 * k)
        i.add("grids", kind="string", name=name, size=3, origin=[0.05 * (k - (len(modes) - 1) / 2), -length, 0], step=[0, length, 0],
              tune=frequency(root) * ratio, body={"mass": mass, "damping": math.log(1000) / t60}, spring={"rest_length": -0.2})
        places.append(f"{name}[1]")
    return places


def drive(i, exciter, places, modes):
    for place, (_, _, _, weight) in zip(places, modes):
        if weight:
            i.link(exciter, place, None if weight == 1 else weight)


def struck(name, family, text, notes, gain, slope, modes, mallet, felt, knobs=None, more=None, bend=1):
    root, low, high = notes
    i = preset(family, text, root, low, high, gain, bend)
    places = add_modes(i, root, modes)
    i.add("mallets", name="mallet", direction=[0, 0, -1], **mallet)
    drive(i, "mallet", places, modes)
    i.add("dampers", name="felt", resistance=felt[0], envelope={"attack": 0.001, "release": felt[1]})
    i.link("felt", places)
    ears(i, ["ear", "left", "right"])
    i.link("ear", places[0])
    for side in ("left", "right"):
        i.link(side, places[1:])
    if more:
        more(i, places)
    finish(i, name, knobs or [("Mallet", 0.5, [("mallet", "hardness", "exponential", 4)]), ("Noise", 0, [("mallet", "noise", None, 0.8)]),
                              ("Overtones", 0.5, [(["left", "right"], "gain", None, 12)]), WIDTH], slope)


def blown(name, family, text, notes, gain, slope, modes, motor, air, envelope, knobs=None, more=None, brake=0.4):
    root, low, high = notes
    attack, decay, sustain, release = envelope
    i = preset(family, text, root, low, high, gain)
    places = add_modes(i, root, modes)
    i.add("oscillators", name="motor", follows_note=True, velocity_sensitivity=0.8,
          envelope={"attack": attack, "decay": decay, "sustain": sustain, "release": release}, **motor)
    drive(i, "motor", places, modes)
    if air:
        i.add("oscillators", name="air", wave="noise", gain=air, velocity_sensitivity=0.8,
              envelope={"attack": 0.3 * attack, "decay": 0.12, "sustain": 0.25, "release": release})
        i.link("air", places)
    i.add("dampers", name="brake", resistance=brake, envelope={"attack": 0.001, "release": release})
    i.link("brake", places)
    ears(i, ["left", "right"])
    for side in ("left", "right"):
        i.link(side, places)
    if more:
        more(i, places)
    if not knobs:
        i.add("lfos", name="vibrato", frequency=5, depth=0)
        i.modulate("vibrato", "motor", "frequency", "multiply", 0.004)
        i.modulate("vibrato", ["left", "right"], "gain", None, 1.5)
        i.add("midi_sources", name="swell", kind="cc", number=1, smoothing=0.03)
        i.modulate("swell", "motor", "gain", "multiply", 0.5)
        knobs = [("Breath", 0, [("motor", "gain", "multiply", 0.5)]), ("Air", 0, [("air", "gain", "multiply", 3)]),
                 ("Vibrato", 0, [("vibrato", "depth", None, 1)]), WIDTH]
    finish(i, name, knobs, slope)


# ---- strings ----

def add_string(i, name, pitch, masses, mass, t60, dashpot, swings, x=0.0, length=0.6, stiff=1.0, damping=0.1):
    """A chain along y. `dashpot` damps high partials at the bridge, N s/m; `stiff` is the stiffness of wire, 1 for gut. Gives its tension."""
    loss, apart = math.log(1000) / t60, length / (masses + 1)
    pull = tension(pitch, masses, mass, loss)
    i.add("grids", kind="string", name=name, size=masses + 2, origin=[x, 0, 0], step=[0, apart, 0], tune=pitch, bend=pull / 3 * stiff,
          body={"mass": mass, "damping": loss}, spring={"rest_length": -0.3, "damping": damping})
    i.add("bodies", name=f"bridge_{name}", position=[x + 0.02 * (swings == 0), apart, 0.02 * (swings == 2)], anchored=True)
    i.add("springs", **{"from": f"bridge_{name}", "to": f"{name}[1]", "stiffness": 0, "damping": dashpot})
    return pull


def at(masses, share):
    """Two masses around a share of the length."""
    first = max(1, min(masses - 1, round((masses + 1) * share)))
    return f"[{first}..{first + 1}]"


def plucked(name, text, notes, gain, slope, masses, mass, t60, dashpot, pluck, strings=(0,), felt=(1.4, 0.1), more=None, strike=None, stiff=1.0):
    """`strings`: detuning of each string of a course, cents; `pluck`: (share of the length, distance, duration); `strike`: a mallet instead."""
    root, low, high = notes
    i = preset("plucked", text, root, low, high, gain)
    share, distance, duration = pluck
    courses = [f"string{k + 1}" if len(strings) > 1 else "string" for k in range(len(strings))]
    for k, (course, cents) in enumerate(zip(courses, strings)):
        add_string(i, course, frequency(root + cents / 100), masses, mass, t60, dashpot, 2, 0.012 * (k - (len(strings) - 1) / 2), stiff=stiff)
    if strike:
        i.add("mallets", name="finger", direction=[0, 0, -1], **strike)
    else:
        i.add("plectrums", name="finger", direction=[0, 0, 1], distance=distance, duration=duration, velocity_sensitivity=0.9)
    for k, course in enumerate(courses):
        i.link("finger", course + at(masses, share), None if k == 0 else 0.9)
    i.add("dampers", name="felt", resistance=felt[0], envelope={"attack": 0.001, "release": felt[1]})
    i.link("felt", [f"{course}[{place}]" for course in courses for place in felts(masses, (0.31, 0.43))])
    ears(i, ["left", "right"])
    i.add("microphones", name="neck", position=[0, 0.27, 0.15], gain=-24)
    for k, course in enumerate(courses):
        for side in ("left", "right"):
            i.link(side, course + at(masses, 0.11), None if len(courses) == 1 else [1.0, 0.6][(side == "left") == (k == 1)])
    i.link("neck", courses[0] + at(masses, 0.45))
    if more:
        more(i)
    if strike:
        first = ("Hammer", 0.5, [("finger", "hardness", "exponential", 4)])
        reach = ("Force", 0, [("finger", "impulse", "multiply", 0.6)])
    else:
        i.add("midi_sources", name="touch", kind="velocity")
        i.modulate("touch", "finger", "duration", "exponential", -1.5)
        first = ("Softness", 0, [("finger", "duration", "exponential", 2.5)])
        reach = ("Reach", 0, [("finger", "distance", "multiply", 0.6)])
    finish(i, name, [first, ("Pickup", 0, [(["left", "right"], "gain", None, -8), ("neck", "gain", None, 22)]), reach, WIDTH], slope)


def bowed(name, text, notes, gain, slope, masses, t60, dashpot, bow, force, envelope, flat=1.4, felt=1.0, damping=0.08, more=None, grip=0.8):
    """`bow`: mass that the bow is on; `force`: times the square root of tension and mass, N s/m; `flat`: cents that the string is tuned up."""
    root, low, high = notes
    attack, decay, sustain, release = envelope
    mass = 2e-4
    i = preset("bowed", text, root, low, high, gain)
    pull = add_string(i, "string", frequency(root + flat / 100), masses, mass, t60, dashpot, 0, damping=damping)
    i.add("bows", name="bow", direction=[1, 0, 0], force=force * math.sqrt(pull * mass), draw_velocity=0.09, stiction=grip, sliding=0.25, dropoff=0.15,
          velocity_sensitivity=0.3, envelope={"attack": attack, "decay": decay, "sustain": sustain, "release": release})
    i.link("bow", f"string[{bow}]")
    i.add("dampers", name="hand", direction=[1, 0, 0], resistance=felt, envelope={"attack": 0.001, "release": release})
    i.link("hand", [f"string[{place}]" for place in felts(masses, (0.53, 0.68))])
    for side, x in (("left", -0.2), ("right", 0.2)):
        i.add("microphones", name=side, position=[x, 0.063, 0.15], direction=[1, 0, 0], pan=1.5 * x)
        i.link(side, "string[2..3]")
    i.add("microphones", name="body", position=[0, 0.36, 0.15], direction=[1, 0, 0], gain=-24)
    i.link("body", "string" + at(masses, 0.58))
    i.add("midi_sources", name="swell", kind="cc", number=1, smoothing=0.03)
    i.modulate("swell", "bow", "draw_velocity", "multiply", 0.5)
    if more:
        more(i)
    finish(i, name, [("Speed", 0, [("bow", "draw_velocity", "multiply", 0.5)]), ("Grip", 0, [("bow", "rosin_stiction", "multiply", 0.25)]),
                     ("Body", 0, [("body", "gain", None, 18)]), WIDTH], slope)


# ---- further parts ----

def sympathetic(i, root, sources, ratios, gain, t60):
    """Strings that are never touched: the bridge drives them a moment later."""
    modes = [(f"taraf{k + 1}", ratio, t60, 1) for k, ratio in enumerate(ratios)]
    places = []
    for k, (name, ratio, seconds, _) in enumerate(modes):
        i.add("grids", kind="string", name=name, size=3, origin=[0.06 + 0.012 * k, 0, -0.02], step=[0, 0.3, 0], tune=frequency(root) * ratio,
              body={"mass": 0.02, "damping": math.log(1000) / seconds}, spring={"rest_length": -0.2})
        places.append(f"{name}[1]")
    i.add("microphones", name="bridge", position=[0, 0.06, 0.15], direction=sources[1], heard=False)
    i.link("bridge", sources[0])
    i.add("delay_lines", name="wood", source="bridge", seconds=0.002, gain=gain)
    i.add("audio_inputs", name="return", direction=[0, 0, 1], gain=1)
    i.link("return", "wood")
    i.link("return", places)
    for side in ("left", "right"):
        i.add("microphones", name=f"taraf_{side}", position=[0.1 if side == "right" else -0.1, 0.3, 0.2], pan=0.7 if side == "right" else -0.7)
        i.link(f"taraf_{side}", places)
    i.add("dampers", name="cloth", resistance=0.5, envelope={"attack": 0.001, "release": 0.3})
    i.link("cloth", places)


# ---- plucked ----

def make_plucked():
    plucked("mandolin", "Two wires of a course, a cent and a half apart, under a plectrum near the bridge: bright, short, with a slow shimmer.\nG3 to A5; play it in tremolo.",
            (64, 55, 81), -52.5, 0.5, 14, 1e-4, 2.2, 0.02, (0.16, 0.002, 0.0012), strings=(-0.7, 0.8), felt=(0.8, 0.08), stiff=1.1)
    plucked("dulcimer", "Two strings of a course under a small wooden hammer: hard touches are brighter, the pair rings on in slow beats.\nD3 to D6, as a santur or a hammered dulcimer.",
            (67, 50, 86), -36, 0.5, 10, 1e-4, 3.5, 0.014, (0.14, 0, 0), strings=(-0.7, 0.8), felt=(0.7, 0.25), stiff=1.1,
            strike={"mass": 0.003, "impulse": 0.003, "hardness_soft": 2e6, "hardness_hard": 3e8, "exponent": 2.2})
    plucked("sitar", "A wire plucked hard at the bridge over five strings that are never touched: they answer it, and ring on.\nC3 to C5; bends by four semitones.",
            (57, 48, 72), -54, 0.5, 22, 2e-4, 4.5, 0.02, (0.1, 0.003, 0.001), felt=(1.2, 0.12), stiff=1.15,
            more=lambda i: sympathetic(i, 57, ("string[1..2]", [0, 0, 1]), (1, 1.5, 2, 2.5, 3), -33, 3.0))


# ---- bowed ----

def make_bowed():
    bowed("viola", "A gut string under a bow of middling weight: darker than a fiddle, closer than a cello.\nC3 to E5; controller 1 swells.",
          (58, 48, 72), -25, -0.6, 18, 1.4, 0.12, 3, 0.21, (0.05, 0.1, 0.88, 0.12), felt=1.3, damping=0.12, flat=0.7)
    bowed("violone", "The great bass of the viols: a heavy string under a slow broad bow, which takes its time to speak.\nE1 to G3; controller 1 swells.",
          (40, 28, 55), -23, -0.6, 22, 1.6, 0.1, 4, 0.2415, (0.14, 0.2, 0.85, 0.3), felt=0.6, damping=0.05)
    bowed("morinkhuur", "A string of a hundred horsehairs under a loose bow of the same: broad, breathy and dark, with the bow near the middle.\nF2 to G#4; controller 1 swells.",
          (53, 41, 68), -22.5, -0.6, 19, 1.1, 0.16, 4, 0.22, (0.09, 0.15, 0.86, 0.16), felt=1.1, damping=0.12, flat=0.9)


# ---- struck bars ----

def make_bars():
    struck("lithophone", "struck bars", "Slabs of stone on ropes, under wood: a dry knock, then three partials of a free bar that are gone within a second.\nC4 to E6.",
           (72, 60, 88), -22, 0.3, [("slab", 1, 0.9, 1), ("second", 2.756, 0.4, 0.5), ("third", 5.404, 0.2, 0.4), ("rope", 0.62, 0.06, 0.3)],
           {"mass": 0.006, "impulse": 0.006, "hardness_soft": 3e8, "hardness_hard": 8e9, "exponent": 2, "noise": 0.1}, (1.2, 0.1))
    struck("gender", "struck bars", "A thin key of bronze over a tube of bamboo, under a padded disc: the tube swells after the stroke, the key rings on.\nD3 to E6, damped by the hand.",
           (62, 50, 88), -23, 0.3, [("key_", 1, 7, 1), ("bamboo", 1.003, 0.5, 0.5), ("second", 2.756, 2.2, 0.3), ("third", 5.404, 0.8, 0.15)],
           {"mass": 0.012, "impulse": 0.007, "hardness_soft": 1e7, "hardness_hard": 3e8, "exponent": 2}, (0.9, 0.15))
    struck("electric", "struck bars", "A hammer on a thin tine beside a heavy bar, before a magnet: a bell when it is struck hard, a soft hum when it is not.\nE1 to E6; macro 3 is the tremolo.",
           (60, 28, 88), -20, 0.3, [("tine", 1, 5, 1), ("second", 2.0, 2.5, 0.25), ("third", 3.0, 1.2, 0.1), ("rod", 6.27, 0.5, 0.35)],
           {"mass": 0.006, "impulse": 0.006, "hardness_soft": 2e7, "hardness_hard": 3e9, "exponent": 2.2}, (1.2, 0.1),
           knobs=[("Hammer", 0.5, [("mallet", "hardness", "exponential", 4)]), ("Pickup", 0.5, [(["left", "right"], "gain", None, 12)]),
                  ("Tremolo", 0, [("tremolo", "depth", None, 1)]), WIDTH], more=tremolo)
    struck("balafon", "struck bars", "A bar of rosewood over a gourd, under a rubber head: the gourd answers for a quarter of a second, and macro 2 is its spider's web.\nG2 to G5.",
           (67, 43, 79), -21.5, 0.42, [("bar", 1, 0.9, 1), ("gourd", 1.004, 0.25, 0.6), ("second", 2.92, 0.25, 0.4), ("third", 5.6, 0.12, 0.3)],
           {"mass": 0.01, "impulse": 0.008, "hardness_soft": 2e7, "hardness_hard": 1e9, "exponent": 2}, (1.2, 0.08))


def tremolo(i, places):
    i.add("lfos", name="tremolo", frequency=5.5, depth=0)
    i.modulate("tremolo", "ear", "gain", None, 3)
    i.modulate("tremolo", "left", "gain", None, 4)
    i.modulate("tremolo", "right", "gain", None, -4)


# ---- skins and plates ----

def make_skins():
    struck("conga", "skins and plates", "A thick skin over a tall barrel: the open tone, whose membrane modes die fast, and a slap when it is struck hard.\nC3 to C5.",
           (57, 48, 72), -27.5, 0.45, [("open", 1, 0.8, 1), ("second", 1.594, 0.3, 0.6), ("third", 2.136, 0.22, 0.5), ("fourth", 2.653, 0.15, 0.45), ("slap", 5.2, 0.05, 0.5)],
           {"mass": 0.012, "impulse": 0.01, "hardness_soft": 2e7, "hardness_hard": 6e9, "exponent": 2.2}, (1.6, 0.08))
    struck("singingbowl", "skins and plates", "A bowl of bronze on a cushion: each mode is a pair, a cent or two apart, and beats slowly as it fades.\nC3 to C5; a padded stick.",
           (60, 48, 72), -27, 0.3, [("rim", 0.9995, 16, 1), ("twin", 1.0005, 14, 0.6), ("third", 2.71, 7, 0.3), ("thirdtwin", 2.714, 6.5, 0.25), ("fourth", 5.05, 3, 0.15), ("fifth", 7.9, 1.5, 0.08)],
           {"mass": 0.02, "impulse": 0.01, "hardness_soft": 1e7, "hardness_hard": 4e8, "exponent": 2}, (1.2, 0.25))
    struck("bonang", "skins and plates", "A small kettle gong in a rack: its note, and a cluster above it that the knobbed shape leaves inharmonic.\nC4 to C6; a stick wound with cord.",
           (72, 60, 84), -22.5, 0.3, [("knob", 1, 2.6, 1), ("second", 1.52, 1.1, 0.5), ("third", 2.0, 1.4, 0.45), ("fourth", 3.46, 0.7, 0.35), ("fifth", 3.92, 0.6, 0.3)],
           {"mass": 0.008, "impulse": 0.007, "hardness_soft": 5e7, "hardness_hard": 2e9, "exponent": 2}, (1.0, 0.15))
    struck("gong", "skins and plates", "A great gong with a boss: its note and the octave above, which is a pair and beats, and a rim that wakes when it is struck hard.\nG1 to G3.",
           (43, 31, 55), -23, 0.5, [("boss", 1, 8, 1), ("octave", 2.0, 6, 0.1), ("ombak", 2.02, 5.5, 0.08), ("third", 3.12, 3, 0.07), ("rim", 4.43, 2, 0.1), ("edge", 9.3, 0.9, 0.2)],
           {"mass": 0.04, "impulse": 0.014, "hardness_soft": 5e5, "hardness_hard": 4e8, "exponent": 2}, (1.1, 0.3))
    struck("taiko", "skins and plates", "Cowhide nailed over a hollowed log, under a thick stick: a boom that the wood holds together, and the crack of the stick on it.\nA1 to A3.",
           (45, 33, 57), -28.5, 0.55, [("boom", 1, 1.6, 1), ("second", 1.594, 0.7, 0.5), ("third", 2.136, 0.5, 0.4), ("ring", 2.296, 0.45, 0.35), ("log", 3.6, 0.2, 0.3), ("stick", 9.3, 0.04, 0.5)],
           {"mass": 0.03, "impulse": 0.014, "hardness_soft": 1e6, "hardness_hard": 8e8, "exponent": 2}, (1.6, 0.1))
    make_bodhran()


def make_bodhran():
    """A real membrane: seven by seven masses, with the modes of a square."""
    root, size, mass = 55, 9, 2e-3
    i = preset("skins and plates", "A goat skin on a square frame, forty-nine masses of it: the tipper wakes modes at the places where it strikes.\nG2 to G4; soft touches stay in the low modes.",
               root, 43, 67, -30)
    i.add("grids", kind="membrane", name="skin", size=[size, size], origin=[-0.16, -0.16, 0], step=[[0.04, 0, 0], [0, 0.04, 0]], tune=frequency(root),
          body={"mass": mass, "damping": 9.0}, spring={"rest_length": -0.4, "damping": 0.25})
    i.add("mallets", name="mallet", direction=[0, 0, -1], mass=0.015, impulse=0.02, hardness_soft=2e5, hardness_hard=3e7, exponent=2)
    i.link("mallet", "skin[3,3]")
    i.add("dampers", name="hand", resistance=0.6, envelope={"attack": 0.001, "release": 0.08})
    i.link("hand", "skin[2..6,4]")
    for side, x in (("left", -0.12), ("right", 0.12)):
        i.add("microphones", name=side, position=[x, 0, 0.2], pan=3 * x)
    i.link("left", "skin[1..4,2..6]", 0.1)
    i.link("right", "skin[4..7,2..6]", 0.1)
    i.add("microphones", name="edge", position=[0, -0.12, 0.2], gain=-18)
    i.link("edge", "skin[1..7,1]", 0.3)
    finish(i, "bodhran", [("Tipper", 0.5, [("mallet", "hardness", "exponential", 4)]), ("Noise", 0, [("mallet", "noise", None, 0.8)]),
                          ("Edge", 0, [("edge", "gain", None, 18)]), WIDTH], 0.3)


# ---- blown by noise and delay ----

def make_blown():
    blown("oboe", "blown by noise and delay", "A double reed on a cone: all partials, the second and third above the first, as narrow as the reed.\nA#3 to F6; controller 1 blows harder.",
          (70, 58, 89), -30, 0.3, [("first", 1, 0.3, 0.5), ("second", 2, 0.25, 1), ("third", 3, 0.2, 1), ("fourth", 4, 0.15, 0.8), ("fifth", 5, 0.12, 0.5), ("sixth", 6, 0.1, 0.35)],
          {"wave": "rectangle", "pulse_width": 0.14, "gain": 0.5}, 0.03, (0.035, 0.06, 0.92, 0.07))
    blown("bassoon", "blown by noise and delay", "A double reed on eight feet of cone: a hollow low register, dry and quick of speech.\nA#1 to C4; controller 1 blows harder.",
          (46, 34, 60), -30, 0.3, [("first", 1, 0.5, 0.5), ("second", 2, 0.4, 0.8), ("third", 3, 0.3, 1), ("fourth", 4, 0.25, 0.9), ("fifth", 5, 0.2, 0.5), ("seventh", 7, 0.15, 0.3)],
          {"wave": "rectangle", "pulse_width": 0.22, "gain": 0.5}, 0.04, (0.03, 0.05, 0.9, 0.06))
    blown("horn", "blown by noise and delay", "A brass tube of which the bell is covered by a hand: soft touches are round, and macro 3 opens the bell.\nF2 to C5; controller 1 blows harder.",
          (53, 41, 72), -30, 0.3, [("first", 1, 0.5, 1), ("second", 2, 0.4, 0.9), ("third", 3, 0.3, 0.6), ("fourth", 4, 0.25, 0.4), ("fifth", 5, 0.2, 0.25), ("sixth", 6, 0.15, 0.15)],
          {"wave": "saw", "gain": 0.5}, 0.02, (0.07, 0.15, 0.85, 0.12), more=bell_of_horn,
          knobs=[("Breath", 0, [("motor", "gain", "multiply", 0.5)]), ("Air", 0, [("air", "gain", "multiply", 3)]),
                 ("Bell", 0, [("bell", "gain", None, 20)]), WIDTH])
    blown("harmonium", "blown by noise and delay", "Two reeds of brass, a cent apart, in one wind: the tone breathes by itself, and macro 2 lets a third one in above.\nC2 to C6.",
          (60, 36, 84), -30, -0.2, [("first", 1, 0.3, 0.8), ("second", 2, 0.25, 0.8), ("third", 3, 0.2, 0.7), ("fourth", 4, 0.16, 0.5), ("sixth", 6, 0.12, 0.35)],
          {"wave": "saw", "gain": 0.4}, 0.02, (0.06, 0.05, 1, 0.1), more=second_reed,
          knobs=[("Wind", 0, [(["motor", "reed"], "gain", "multiply", 0.5)]), ("Octave", 0, [("flute", "gain", "add", 0.25)]),
                 ("Tremolo", 0, [("tremolo", "depth", None, 1)]), WIDTH])
    blown("ocarina", "blown by noise and delay", "A vessel with one tone in it: no partials of its own, a whisper at the edge, and a small scoop of air at each note.\nC5 to F6; controller 1 blows harder.",
          (76, 69, 89), -24, 0.3, [("vessel", 1, 0.25, 1), ("second", 2.0, 0.12, 0.06), ("edge", 3.3, 0.03, 0.1)],
          {"wave": "sine", "gain": 0.5}, 0.3, (0.05, 0.08, 0.95, 0.09))


def bell_of_horn(i, places):
    i.add("microphones", name="bell", position=[0, 0.05, 0.2], gain=-20)
    i.link("bell", places[2:])
    i.add("midi_sources", name="touch", kind="velocity")
    i.modulate("touch", "bell", "gain", None, 12)
    i.add("midi_sources", name="swell", kind="cc", number=1, smoothing=0.03)
    i.modulate("swell", "motor", "gain", "multiply", 0.5)


def second_reed(i, places):
    envelope = {"attack": 0.08, "decay": 0.05, "sustain": 1, "release": 0.1}
    i.add("oscillators", name="reed", wave="saw", gain=0.25, follows_note=True, detune=1.2, velocity_sensitivity=0.8, envelope=envelope)
    i.add("oscillators", name="flute", wave="sine", gain=0, follows_note=True, octave=1, velocity_sensitivity=0.8, envelope=envelope)
    i.link("reed", places[:4])
    i.link("flute", places[1])
    i.add("lfos", name="tremolo", frequency=6, depth=0)
    i.modulate("tremolo", ["left", "right"], "gain", None, 2.5)


# ---- rubbed: modes under a wet finger or a bow ----

def rubbed(name, text, notes, gain, slope, modes, mass, bow, envelope, felt, knobs, more=None):
    """The bow is on the first mode, along the row of modes; weak springs carry its motion to the others, whose last figure is the strength of
    that spring, of the first mode's own. They do not pull at rest, which would move the modes."""
    root, low, high = notes
    attack, decay, sustain, release = envelope
    i = preset("bowed", text, root, low, high, gain)
    places = add_modes(i, root, modes, mass)
    own = mass * (2 * math.pi * frequency(root)) ** 2
    for place, (_, _, _, strength) in list(zip(places, modes))[1:]:
        i.add("springs", **{"from": places[0], "to": place, "stiffness": strength * own})
    i.add("bows", name="bow", direction=[1, 0, 0], velocity_sensitivity=0.5,
          envelope={"attack": attack, "decay": decay, "sustain": sustain, "release": release}, **bow)
    i.link("bow", places[0])
    i.add("dampers", name="hand", direction=[1, 0, 0], resistance=felt, envelope={"attack": 0.001, "release": release})
    i.link("hand", places)
    ears(i, ["ear", "left", "right"], direction=[1, 0, 0])
    i.link("ear", places[0])
    for side in ("left", "right"):
        i.link(side, places[1:])
    i.add("midi_sources", name="swell", kind="cc", number=1, smoothing=0.03)
    i.modulate("swell", "bow", "draw_velocity", "multiply", 0.5)
    if more:
        more(i, places)
    finish(i, name, knobs, slope)


def make_rubbed():
    rubbed("armonica", "A bowl of glass that turns under a wet finger: it speaks slowly, nearly pure, and its second mode glimmers above.\nG3 to G5; controller 1 swells.",
           (67, 55, 79), -5, 0, [("glass", 1, 2.5, 1), ("second", 2.32, 0.5, 3e-4), ("third", 4.25, 0.3, 3e-4)], 0.02,
           {"force": 0.5, "draw_velocity": 0.09, "stiction": 0.8, "sliding": 0.2, "dropoff": 0.1}, (0.15, 0.1, 1, 0.3), 0.8,
           knobs=[("Speed", 0, [("bow", "draw_velocity", "multiply", 0.5)]), ("Grip", 0, [("bow", "rosin_stiction", "multiply", 0.25)]),
                  ("Glimmer", 0, [(["left", "right"], "gain", None, 18)]), WIDTH])
    rubbed("saw", "A blade bent into an S and bowed at its edge: one trapped mode that sings by itself, swells late and rings on.\nE4 to E6; controller 1 swells, macro 3 trembles.",
           (76, 64, 88), -4, -0.05, [("blade", 1, 3.5, 1), ("edge", 2.9, 0.4, 2e-4)], 0.012,
           {"force": 1.2, "draw_velocity": 0.08, "stiction": 0.7, "sliding": 0.25, "dropoff": 0.12}, (0.12, 0.2, 0.9, 0.4), 0.5,
           knobs=[("Speed", 0, [("bow", "draw_velocity", "multiply", 0.5)]), ("Rosin", 0, [("bow", "rosin_stiction", "multiply", 0.25)]),
                  ("Tremble", 0, [("tremble", "depth", None, 1)]), WIDTH], more=tremble)


def tremble(i, places):
    i.add("lfos", name="tremble", frequency=5.5, depth=0)
    i.modulate("tremble", "bow", "draw_velocity", "multiply", 0.3)
    i.modulate("tremble", "ear", "gain", None, 2)


# ---- strange machines ----

def make_machines():
    struck("pendulum", "strange machines", "A bell on a long arm that swings through the room once in four beats, and a smaller one on the same arm.\nC3 to C6; macro 2 is the arm's reach.",
           (60, 48, 84), -24, 0.3, [("bell", 1, 6, 1), ("small", 2.0, 4, 0.4), ("third", 2.76, 2.5, 0.3), ("fourth", 5.4, 1.2, 0.25), ("hinge", 0.5, 0.3, 0.3)],
           {"mass": 0.006, "impulse": 0.006, "hardness_soft": 1e8, "hardness_hard": 1e9, "exponent": 2}, (1.0, 0.25),
           knobs=[("Clapper", 0.5, [("mallet", "hardness", "exponential", 4)]), ("Arm", 0.5, [("swing", "depth", None, 1)]),
                  ("Small bell", 0.5, [(["left", "right"], "gain", None, 12)]), ("Pace", 0, [("swing", "frequency", "exponential", 2)])], more=arm)
    struck("rain", "strange machines", "Drops on five tuned bowls of tin: a key opens the sky, drops fall while it is held, each bowl by chance.\nC4 to C6; macro 1 is how dense it is.",
           (72, 60, 84), -16, 0.3, [("bowl", 1, 2.2, 1), ("second", 1.5, 0.9, 0.4), ("third", 2.0, 1.2, 0.4), ("fourth", 2.67, 0.7, 0.3), ("fifth", 4.0, 0.6, 0.3)],
           {"mass": 0.003, "impulse": 0.005, "hardness_soft": 1e9, "hardness_hard": 1e10, "exponent": 2}, (1.0, 0.3),
           knobs=[("Weather", 0, [([f"drop{k + 1}" for k in range(5)], "frequency", "exponential", 2)]), ("Noise", 0, [("mallet", "noise", None, 0.8)]),
                  ("Bowls", 0.5, [(["left", "right"], "gain", None, 12)]), WIDTH], more=drops)
    blown("swarm", "strange machines", "Two wings that beat nearly together in five hollow stems: a swarm that comes near, and turns when macro 3 sends it round.\nC2 to C5.",
          (57, 36, 72), -25.5, -0.72, [("first", 1, 0.4, 0.5), ("second", 2, 0.3, 0.7), ("third", 3, 0.25, 1), ("fifth", 5, 0.2, 0.7), ("eighth", 8, 0.12, 0.4)],
          {"wave": "rectangle", "pulse_width": 0.21, "gain": 0.45, "detune": -0.3}, 0, (0.2, 0.1, 1, 0.3), more=wings,
          knobs=[("Anger", 0, [(["motor", "wing"], "gain", "multiply", 0.5)]), ("Wings", 0, [(["motor", "wing"], "pulse_width", None, 0.25)]),
                 ("Turn", 0, [("turn", "depth", None, 1)]), WIDTH])
    blown("lighthouse", "strange machines", "A horn of four brass plates whose beam goes round once in two bars: loud when it looks at you, dim and far when it does not.\nG1 to G4; macro 2 is the beam.",
          (50, 31, 67), -28, -0.8, [("first", 1, 0.8, 0.8), ("second", 2, 0.7, 0.8), ("third", 3, 0.6, 0.7), ("fourth", 4, 0.5, 0.6), ("sixth", 6, 0.4, 0.5)],
          {"wave": "saw", "gain": 0.4}, 0, (0.12, 0.1, 1, 0.5), more=beam,
          knobs=[("Steam", 0, [("motor", "gain", "multiply", 0.5)]), ("Beam", 0.3, [("beam", "depth", None, 1)]),
                 ("Fog", 0, [("bright", "gain", None, -20)]), WIDTH])
    blown("cathedral", "strange machines", "A pedal of stone pipes in fifths and octaves that fill slowly and empty slowly, as if the hall were the instrument.\nC2 to C5.",
          (48, 36, 72), -28, -0.8, [("first", 1, 3, 1), ("second", 2, 2.5, 0.8), ("third", 3, 2, 0.6), ("fourth", 4, 1.8, 0.5), ("sixth", 6, 1.4, 0.35), ("eighth", 8, 1, 0.25)],
          {"wave": "saw", "gain": 0.15}, 0, (0.5, 0.2, 1, 0.5), brake=0.4,
          knobs=[("Wind", 0, [("motor", "gain", "multiply", 0.5)]), ("Tremulant", 0, [("tremulant", "depth", None, 1)]),
                 ("Octave", 0, [("octave", "gain", None, 0.1)]), WIDTH], more=octave)
    make_loom()


def arm(i, places):
    i.add("lfos", name="swing", division=4, depth=0.2)
    i.modulate("swing", ["ear", "left", "right"], "pan", None, 0.9)
    i.modulate("swing", "ear", "position_z", None, 0.1)


def drops(i, places):
    for k, (place, speed) in enumerate(zip(places, (7.3, 5.1, 8.7, 6.2, 9.4))):
        i.add("oscillators", name=f"drop{k + 1}", wave="hold", frequency=speed, gain=0.3, velocity_sensitivity=0.8,
              envelope={"attack": 0.05, "decay": 0.1, "sustain": 1, "release": 0.2})
        i.link(f"drop{k + 1}", place)


def wings(i, places):
    i.add("oscillators", name="wing", wave="rectangle", pulse_width=0.21, gain=0.12, follows_note=True, detune=1.5, velocity_sensitivity=0.8,
          envelope={"attack": 0.25, "decay": 0.1, "sustain": 1, "release": 0.3})
    i.link("wing", places)
    i.add("lfos", name="turn", frequency=0.7, depth=0)
    i.modulate("turn", ["left", "right"], "pan", None, 0.6)


def beam(i, places):
    i.add("microphones", name="bright", position=[0, 0.05, 0.2], gain=-4)
    i.link("bright", places[1:])
    i.add("lfos", name="beam", division=8, phase=0.25, depth=0)
    i.modulate("beam", "bright", "gain", None, 9)
    i.modulate("beam", ["left", "right"], "gain", None, 3)


def octave(i, places):
    i.add("oscillators", name="octave", wave="saw", gain=0, octave=1, follows_note=True, velocity_sensitivity=0.8,
          envelope={"attack": 0.8, "decay": 0.1, "sustain": 1, "release": 1})
    i.link("octave", places[1])
    i.link("octave", places[3])
    i.add("lfos", name="tremulant", frequency=4, depth=0)
    i.modulate("tremulant", ["left", "right"], "gain", None, 2)


def make_loom():
    """Half a period of the shuttle is 63.5 periods of the thread, so that each pull adds to the motion of the last."""
    root, low, high, masses = 52, 40, 76, 14
    i = preset("strange machines", "A loom with one thread, whose shuttle is geared to it: it pulls once in 63 periods, so that a fifth weaves three against two.\nE2 to E5; macro 1 changes the gear.",
               root, low, high, -30)
    add_string(i, "thread", frequency(root), masses, 2e-4, 2.5, 0.03, 2)
    i.add("oscillators", name="shuttle", direction=[0, 0, 1], wave="rectangle", follows_note=True, octave=-7, detune=round(1200 * math.log2(128 / 127), 3), gain=0.3,
          velocity_sensitivity=0.8, envelope={"attack": 0.001, "decay": 0.1, "sustain": 1, "release": 0.05})
    i.link("shuttle", "thread" + at(masses, 0.2))
    i.add("dampers", name="felt", resistance=1.2, envelope={"attack": 0.001, "release": 0.12})
    i.link("felt", ["thread[5]", "thread[7]"])
    ears(i, ["left", "right"])
    for side in ("left", "right"):
        i.link(side, "thread" + at(masses, 0.11))
    i.add("microphones", name="heddle", position=[0, 0.27, 0.15], gain=-24)
    i.link("heddle", "thread" + at(masses, 0.45))
    finish(i, "loom", [("Gear", 0, [("shuttle", "frequency", "exponential", 2)]), ("Weft", 0, [("heddle", "gain", None, 22)]),
                       ("Force", 0, [("shuttle", "gain", "multiply", 0.5)]), WIDTH], 0.5)


if __name__ == "__main__":
    make_plucked()
    make_bowed()
    make_bars()
    make_skins()
    make_blown()
    make_rubbed()
    make_machines()
