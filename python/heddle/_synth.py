"""The synth: instruments of masses and springs, rendered from MIDI files or lists of notes."""
from __future__ import annotations

import os
import struct
import warnings
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

from ._definitions import callback, converted, fill, listed, number, objects, whole
from ._devices import Device, device as find_device
from ._files import write_whole
from ._html import uri
from ._library import C, Handle, Object, call, ffi, made, path, text
from ._tuner import Tunable

#: (start s, end s, note, velocity 0 to 1)
Note = tuple[float, float, int, float]


class Sound(np.ndarray):
    """(2, frames) float32 samples, left and right, that notebooks show as a player."""

    rate: float = 48000

    def __array_finalize__(self, other: Any) -> None:
        self.rate = getattr(other, "rate", 48000)

    @property
    def seconds(self) -> float:
        return float(self.shape[-1] / self.rate)

    def _repr_html_(self) -> Optional[str]:
        if self.ndim not in (1, 2) or self.dtype.kind != "f" or self.shape[-1] > 100_000_000:
            return None
        return f'<audio controls src="{uri("audio/wav", _wav(self, self.rate, 16))}"></audio>'


def _wav(sound: Any, rate: float, bits: int) -> bytes:
    """A RIFF file: 16-bit integers, or 32-bit floats."""
    frames = converted(sound, np.float32, "sound")
    rate = number(rate, "rate", 1, 0xFFFFFFFF // 256)
    frames = frames.reshape(1, -1) if frames.ndim == 1 else frames
    if frames.ndim != 2 or len(frames) > 64:
        raise ValueError(f"a sound of shape {frames.shape}: expected (channels, frames)")
    inside = np.nan_to_num(frames.T)
    body: bytes = (np.rint(np.clip(inside, -1, 1) * 32767).astype("<i2") if bits == 16 else inside.astype("<f4")).tobytes()
    if len(body) > 0xFFFFFF00:
        raise ValueError("a WAV file holds 4 GiB at most")
    block = len(frames) * bits // 8
    head = struct.pack("<HHIIHH", 1 if bits == 16 else 3, len(frames), int(rate), int(rate) * block, block, bits)
    return b"".join([b"RIFF", struct.pack("<I", 36 + len(body)), b"WAVEfmt ", struct.pack("<I", 16), head, b"data",
                     struct.pack("<I", len(body)), body])


def write_wav(file: Union[str, os.PathLike[str]], sound: Any, rate: Optional[float] = None, bits: int = 32) -> None:
    """Writes (channels, frames) samples within [-1, 1] as a WAV file of 32-bit floats, or of 16-bit integers."""
    if bits not in (16, 32):
        raise ValueError(f"{bits} bits: expected 16 (integers) or 32 (floats)")
    write_whole(file, _wav(sound, getattr(sound, "rate", 48000) if rate is None else rate, bits))


class _Instrument(Object):
    """An instrument file that was read."""

    def __init__(self, file: Union[str, os.PathLike[str]]):
        self._handle = Handle(self, made(C.hed_synth_instrument_read, "hed_synth_instrument", path(file)), C.hed_synth_instrument_destroy)

    def channels(self) -> int:
        """That its audio inputs hear."""
        found = ffi.new("hed_synth_entity_def *")
        highest = 0
        for i in range(C.hed_synth_instrument_count(self.p, C.HED_SYNTH_AUDIO_INPUT)):
            call(C.hed_synth_instrument_get, self.p, C.hed_synth_instrument_at(self.p, C.HED_SYNTH_AUDIO_INPUT, i), found)
            highest = max(highest, getattr(found, "as").audio_input.channel + 1)
        return highest


def _pitches(tuning: Any, mapping: Union[None, str, os.PathLike[str]]) -> Any:
    """Pitches of the keys, float[128], of a file or of numbers."""
    found = ffi.new("float[128]")
    if isinstance(tuning, (str, os.PathLike)):
        call(C.hed_synth_tuning_read, path(tuning), ffi.NULL if mapping is None else path(mapping), found)
        return found
    if mapping is not None:
        raise ValueError("mapping: it maps the keys of a scale; expected tuning=FILE, too")
    values = converted(tuning, np.float32, "tuning")
    if values.shape != (128,):
        raise ValueError(f"tuning: shape {values.shape}; expected a file's name, or 128 semitones")
    found[0:128] = values.tolist()
    return found


class Synth(Tunable):
    """An instrument that is ready to play.

    instrument  a file (docs/instrument-file.md)
    device  "host" unless told: a processor plays most instruments best
    tuning  pitch of each key: a scale of Scala's (.scl), AnaMark's .tun, or 128 semitones of equal temperament, nan for a silent key
    mapping  a keyboard mapping (.kbm) of the scale
    **settings  members of hed_synth_def: block=64, threads=4, seed=1, math="strict", transpose=-12, fold=True, inputs=2 ..."""

    def __init__(self, instrument: Union[str, os.PathLike[str]], rate: float = 48000, *, device: Union[str, Device] = "host",
                 tuning: Any = None, mapping: Union[None, str, os.PathLike[str]] = None, **settings: Any):
        self.device, self.rate = find_device(device), number(rate, "rate", above=0)
        read = _Instrument(instrument)
        definition = ffi.new("hed_synth_def *", C.hed_default_synth_def())
        keep: list[Any] = []
        definition.instrument, definition.rate, definition.max_events = read.p, rate, 65536
        definition.inputs = read.channels()
        fill(definition, settings, keep)
        if tuning is not None or mapping is not None:
            keep.append(_pitches(tuning, mapping))
            definition.tuning = keep[-1]
        self.block = int(definition.block)
        self._most = int(definition.max_events)
        self._handle = Handle(self, made(C.hed_synth_create, "hed_synth", self.device.p, definition), C.hed_synth_destroy, self.device,
                              read, *objects(keep), keep=keep)
        #: Channels of sound that render() takes.
        self.inputs = int(definition.inputs)
        self._tuning = (C.hed_synth_tune, definition, C.hed_synth_tune_description())
        self.name = os.path.splitext(os.path.basename(os.fspath(instrument)))[0]
        if tuning is not None and not C.hed_synth_describe(self.p).tuned:
            warnings.warn(f"tuning: the pitches of {self.name} stay as they are, since each of its keys has parts of its own", stacklevel=2)

    @property
    def info(self) -> dict[str, Any]:
        """What it is and has seen: solver, instances, latency (frames), peak, breaks ..."""
        found = C.hed_synth_describe(self.p)
        known = {n: getattr(found, n) for n, f in ffi.typeof("hed_synth_info").fields if f.type.kind == "primitive"}
        known.update(solver=text(C.hed_synth_solver_name(found.solver)), struck=found.notes.struck, dropped=found.notes.dropped)
        return known

    def _song(self, file: Any) -> tuple[list[tuple[int, dict[str, Any]]], float]:
        midi = ffi.gc(made(C.hed_synth_midi_file_open, "hed_synth_midi_file", path(file)), C.hed_synth_midi_file_close)
        call(C.hed_synth_midi_file_end_notes, midi)
        events, found = C.hed_synth_midi_file_events(midi), []
        for i in range(C.hed_synth_midi_file_count(midi)):
            e = events[i]
            at = _round(e.seconds * self.rate)
            if e.bytes[0] != 0xFF:
                found.append((at, {"kind": C.HED_SYNTH_EVENT_MIDI, "bytes": list(e.bytes)}))
            elif e.bytes[1] == 0x51:
                found.append((at, {"kind": C.HED_SYNTH_EVENT_TEMPO, "value": e.tempo}))
        return found, float(C.hed_synth_midi_file_seconds(midi))

    def _notes(self, notes: Sequence[Note]) -> tuple[list[tuple[int, dict[str, Any]]], float]:
        found: list[tuple[int, dict[str, Any]]] = []
        length = 0.0
        for i, each in enumerate(listed(notes, "song", "a file's name, or a list of notes")):
            values = listed(each, f"song[{i}]", "(start s, end s, note, velocity)")
            if len(values) != 4:
                raise ValueError(f"song[{i}]: {len(values)} values; expected (start s, end s, note 0 to 127, velocity 0 to 1)")
            start, end, velocity = (number(values[k], f"song[{i}]") for k in (0, 1, 3))
            note = whole(values[2], f"the note of song[{i}]", -128)
            length = max(length, end)
            if not (0 <= start <= end and 0 <= note <= 127 and 0 <= velocity <= 1):
                raise ValueError(f"({start}, {end}, {note}, {velocity}): expected (start s, end s, note 0 to 127, velocity 0 to 1)")
            found.append((_round(start * self.rate), {"kind": C.HED_SYNTH_EVENT_MIDI, "bytes": [0x90, note, max(1, round(127 * velocity))]}))
            found.append((_round(end * self.rate), {"kind": C.HED_SYNTH_EVENT_MIDI, "bytes": [0x80, note, 0]}))
        found.sort(key=lambda e: (e[0], e[1]["bytes"][0]))  # at one sample ends come first
        return found, length

    def _voice(self, sound: Any) -> np.ndarray:
        """What comes in, (inputs x frames); one channel goes to all."""
        voice: np.ndarray = np.atleast_2d(converted(sound, np.float32, "sound"))
        if not np.isfinite(voice).all():
            raise ValueError("sound: some samples are not finite; expected numbers")
        if not self.inputs:
            raise ValueError(f"{self.name} has no audio inputs, which would take the sound")
        if voice.ndim != 2 or not len(voice) or 1 < len(voice) < self.inputs:
            raise ValueError(f"a sound of shape {np.shape(sound)}: {self.name} expects ({self.inputs}, frames)")
        if float(getattr(sound, "rate", self.rate)) != self.rate:
            raise ValueError(f"a sound of {sound.rate:g} Hz for a synth of {self.rate:g} Hz")
        return np.ascontiguousarray(np.broadcast_to(voice[:self.inputs], (self.inputs, voice.shape[1])))

    def _tell_dropped(self) -> None:
        """Warns of notes that the instrument does not play."""
        notes = C.hed_synth_describe(self.p).notes
        if notes.dropped:
            plays = "plays no notes" if notes.low == C.HED_SYNTH_NO_KEY else f"plays notes {notes.low} to {notes.high}"
            channels = ", and not on every channel" if notes.deaf_channels else ""
            channels += f", and the tuning has no key for {notes.unmapped} of them" if notes.unmapped else ""
            warnings.warn(f"{notes.dropped} of {notes.struck} notes are silent ({notes.dropped_low} to {notes.dropped_high}): "
                          f"{self.name} {plays}{channels}", stacklevel=3)

    def render(self, song: Union[str, os.PathLike[str], Sequence[Note]] = (), seconds: Optional[float] = None, *, sound: Any = None,
               tail: float = 5, progress: Optional[Callable[[float, float], Any]] = None) -> Sound:
        """The sound of a MIDI file, or of notes [(start s, end s, note, velocity 0 to 1), ...]: (2, frames) float32. It lasts to the
        song's end and `tail` seconds more, or `seconds`. Ctrl-C ends it with the part that is rendered, and a warning. Every render begins at rest.

        sound  what comes into the instrument's audio inputs, (channels, frames) or (frames) samples of the synth's rate: another
               render, say. Of more channels than the instrument hears the first are taken; one goes to all"""
        callback(progress, "progress")
        tail = number(tail, "tail", 0)
        seconds = None if seconds is None else number(seconds, "seconds", 0)
        call(C.hed_synth_reset, self.p)
        events, length = self._song(song) if isinstance(song, (str, os.PathLike)) else self._notes(song)
        voice = None if sound is None else self._voice(sound)
        if voice is not None:
            length = max(length, voice.shape[1] / self.rate)
        frames = _round(seconds * self.rate) if seconds is not None else _round(length * self.rate) + _round(tail * self.rate)
        known = self.info
        lead = int(known["input_latency"]) if voice is not None else 0  # the input comes that much earlier than the song
        latency = int(known["latency"]) + lead
        out, at, done = np.zeros((2, frames + latency), np.float32), 0, 0
        left, right = (ffi.from_buffer("float[]", out[k]) for k in (0, 1))
        block = ffi.new("hed_synth_block *")
        if voice is not None:
            voice = np.pad(voice, ((0, 0), (0, max(0, frames + latency - voice.shape[1]))))
            channels = [ffi.from_buffer("float[]", v) for v in voice]
            inputs = ffi.new("const float *[]", self.inputs)
        try:
            while done < frames + latency:
                count, here = min(self.block, frames + latency - done), []
                while at < len(events) and events[at][0] + lead < done + count:
                    here.append({**events[at][1], "frame": events[at][0] + lead - done})
                    at += 1
                list_ = ffi.new("hed_synth_event[]", here)
                block.frames, block.events, block.event_count, block.left, block.right = count, list_, len(here), left + done, right + done
                if voice is not None:
                    inputs[0:self.inputs] = [c + done for c in channels]
                    block.inputs = inputs
                call(C.hed_synth_process, self.p, block)
                done += count
                if progress:
                    progress(min(done, frames) / self.rate, frames / self.rate)
        except KeyboardInterrupt:
            warnings.warn(f"interrupted: {max(0, done - latency) / self.rate:.1f} of {frames / self.rate:.1f} s are rendered", stacklevel=2)
        self._tell_dropped()
        heard = out[:, latency:max(latency, done)].view(Sound)
        heard.rate = self.rate
        return heard

    def __repr__(self) -> str:
        return f"<heddle.Synth {self.name} on {self.device.id}, {self.rate:g} Hz>"


def _round(x: float) -> int:
    """As llround() does: halves go away from zero."""
    return int(np.floor(x + 0.5))
