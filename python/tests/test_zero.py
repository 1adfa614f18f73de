"""One meaning of zero in all public definitions (heddle/base.h). In a member that hed_default_x_def() sets to another number, zero is a value, or
is refused by an error that names the member. The walk finds every such member; MEANING has those that may be 0, and what 0 is there."""
import functools
import operator
import pathlib
import re
import unittest

import heddle
from heddle import C, _interface, ffi
from heddle._library import made

MEANING = {
    "hed_cloth_def.up": "the axis x",
    "hed_cloth_def.max_colliders": "no colliders",
    "hed_cloth_frame.gravity": "none",
    "hed_cloth_garment_def.family_material.compress": "none",
    "hed_cloth_garment_def.tether_slack": "a tether of length 0",
    "hed_cloth_garment_def.damping": "none",
    "hed_cloth_garment_def.friction": "none",
    "hed_cloth_garment_def.thickness": "none",
    "hed_css_medium.width": "a width of 0",
    "hed_css_medium.height": "a height of 0",
    "hed_css_medium.resolution": "a resolution of 0",
    "hed_mppi_def.seed": "a seed like others",
    "hed_mppi_def.measure_ns": "nothing is timed",
    "hed_mppi_def.alpha": "full importance correction",
    "hed_mppi_def.crash_cost": "every sample counts as crashed",
    "hed_mppi_def.log_sigma": "no spread",
    "hed_mppi_def.pure_noise": "no sample of noise alone",
    "hed_mppi_def.committed": "no step without noise",
    "hed_mppi_def.risk_level": "the level 0",
    "hed_mppi_def.track_state": "no cost",
    "hed_mppi_def.track_control": "not read beyond the controls of the model",
    "hed_mppi_def.track_final": "no cost",
    "hed_mppi_def.nominal_threshold": "the nominal state stays",
    "hed_mppi_def.value_threshold": "the bound 0",
    "hed_online_def.evaluations": "rests at once",
    "hed_online_def.copy_limit": "no copies",
    "hed_synth_def.max_events": "no events",
    "hed_synth_instrument_def.root_note": "the lowest note",
    "hed_synth_instrument_def.high": "the lowest note alone",
    "hed_synth_instrument_def.bend_range": "no bend",
    "hed_synth_instrument_def.note_bend_range": "no bend",
    "hed_synth_instrument_def.limit": "full scale",
    "hed_synth_grid_def.step": "along an axis of one position: not read",
    "hed_synth_grid_def.body.damping": "none",
    "hed_synth_grid_def.spring.stiffness": "no force",
    "hed_synth_grid_def.spring.rest_length": "the length 0",
    "hed_synth_grid_def.rate": "not read without `tune`",
    "hed_tune_def.evaluations": "no limit",
}
# Structs whose members another table checks, and those without a call that could be made here.
ELSEWHERE = {
    "hed_allocator": "functions",
    "hed_clock": "functions",
    "hed_synth_entity_def": "a union; entity.c has a range for each member",
    "hed_synth_live_def": "needs JACK or ALSA",
}


def cells(kind, array, path):
    """leaves() of an array of numbers."""
    for i in range(kind.length):
        if kind.item.kind == "array":
            yield from cells(kind.item, array[i], path)
        elif kind.item.cname not in ("bool", "_Bool") and array[i] != 0:
            yield path, functools.partial(operator.setitem, array, i, 0)


def leaves(kind, value, path):
    """(path without indices, function that sets it to zero) of each number and pointer that is not zero."""
    for name, field in kind.fields:
        where = f"{path}.{name}"
        if field.type.kind == "struct":
            yield from leaves(field.type, getattr(value, name), where)
        elif field.type.kind == "array" and field.type.item.kind == "struct":
            for i in range(field.type.length):
                yield from leaves(field.type.item, getattr(value, name)[i], where)
        elif field.type.kind == "array":
            yield from cells(field.type, getattr(value, name), where)
        elif field.type.kind in ("pointer", "function") and getattr(value, name) != ffi.NULL:
            yield where, functools.partial(setattr, value, name, ffi.NULL)
        elif field.type.kind == "primitive" and field.type.cname not in ("bool", "_Bool") and getattr(value, name) != 0:
            yield where, functools.partial(setattr, value, name, 0)


class Zero(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.device = heddle.device("host").p
        cls.defaults = {ffi.typeof(getattr(C, n)).result.cname.split()[-1]: n for n in sorted(_interface.LIBRARY_OF)
                        if n.startswith("hed_default_") and ffi.typeof(getattr(C, n)).result.kind == "struct"}

    def default(self, struct):
        function = getattr(C, self.defaults[struct])
        return ffi.new(struct + " *", function(64) if struct == "hed_buffer_def" else function())

    # ---- calls that take a definition ----

    def hed_buffer_def(self, definition):
        C.hed_buffer_destroy(made(C.hed_buffer_create, "hed_buffer", self.device, definition))

    def hed_context_def(self, definition):
        C.hed_context_destroy(made(C.hed_context_create, "hed_context", definition))

    def hed_cloth_garment_def(self, definition, **members):
        keep = [ffi.new("float[]", [0, 0, 0, 1, 0, 0, 0, 0, 1]), ffi.new("uint32_t[]", [0, 2, 1])]
        definition.particle_count, definition.positions, definition.triangle_count, definition.triangles = 3, keep[0], 1, keep[1]
        definition.tethers = False
        whole = self.default("hed_cloth_def")
        for name, value in members.items():
            setattr(whole, name, value)
        whole.garments, whole.garment_count = definition, 1
        return made(C.hed_cloth_create, "hed_cloth", self.device, whole), keep

    def hed_cloth_def(self, definition):
        names = ("substeps", "iterations", "up", "max_colliders")
        C.hed_cloth_destroy(self.hed_cloth_garment_def(self.default("hed_cloth_garment_def"), **{n: getattr(definition, n) for n in names})[0])

    def hed_cloth_frame(self, definition):
        cloth, _ = self.hed_cloth_garment_def(self.default("hed_cloth_garment_def"))
        try:
            heddle._library.call(C.hed_cloth_step, cloth, definition)
        finally:
            C.hed_cloth_destroy(cloth)

    def hed_css_medium(self, definition):
        names = made(C.hed_css_names_create, "hed_css_names", ffi.new("hed_allocator *", C.hed_default_allocator()))
        sheet = ffi.new("hed_css_sheet_def *", {"text": ffi.new("char[]", b""), "medium": definition})
        C.hed_css_sheet_destroy(made(C.hed_css_sheet_create, "hed_css_sheet", names, sheet))
        C.hed_css_names_destroy(names)

    def hed_mppi_def(self, definition):
        term = ffi.new("hed_mppi_term *", C.hed_mppi_term_find(b"quadratic")[0])
        term.weight = 1
        definition.model, definition.terms, definition.term_count = C.hed_mppi_model_find(b"pendulum"), term, 1
        for kind, sampler, update in (("PLAIN", "NORMAL", "SOFTMAX"), ("TUBE", "LOG_NORMAL", "ELITE"), ("ROBUST", "SPLINE", "TSALLIS"),
                                      ("PLAIN", "SUPPORT_POINTS", "SOFTMAX")):
            definition.kind = getattr(C, "HED_MPPI_KIND_" + kind, getattr(C, "HED_MPPI_" + kind, 0))
            definition.sampler = getattr(C, "HED_MPPI_" + sampler, 0)
            definition.update = getattr(C, "HED_MPPI_" + update, 0) if kind != "ROBUST" else 0
            C.hed_mppi_destroy(made(C.hed_mppi_create, "hed_mppi", self.device, definition))

    def kernel(self):
        return made(C.hed_kernel_create, "hed_kernel", self.device, C.hed_canonical_find(b"copy"), ffi.NULL)

    def hed_online_def(self, definition):
        kernel = self.kernel()
        try:
            C.hed_online_destroy(made(C.hed_online_create, "hed_online", kernel, definition))
        except heddle.UnsupportedError:  # host compiles nothing; numbers are checked first
            pass
        finally:
            C.hed_kernel_destroy(kernel)

    def hed_resident_def(self, definition):
        kernel, stream = self.kernel(), made(C.hed_stream_create, "hed_stream", self.device, ffi.NULL)
        definition.kernel = kernel
        try:
            made(C.hed_resident_create, "hed_resident", stream, definition)
        finally:
            C.hed_stream_destroy(stream)
            C.hed_kernel_destroy(kernel)

    def hed_synth_instrument_def(self, definition):
        return made(C.hed_synth_instrument_create, "hed_synth_instrument", ffi.NULL, definition)

    def hed_synth_grid_def(self, definition):
        instrument = self.hed_synth_instrument_def(self.default("hed_synth_instrument_def"))
        try:
            heddle._library.call(C.hed_synth_instrument_add_grid, instrument, definition, ffi.NULL, ffi.new("hed_synth_generated *"))
        finally:
            C.hed_synth_instrument_destroy(instrument)

    def hed_synth_def(self, definition):
        definition.instrument = self.hed_synth_instrument_def(self.default("hed_synth_instrument_def"))
        C.hed_synth_destroy(made(C.hed_synth_create, "hed_synth", self.device, definition))

    def hed_tune_def(self, definition):
        """A tuning takes seconds: tests/tune_test.c has one without a limit of evaluations."""

    def hed_synth_player_def(self, definition):
        C.hed_synth_player_destroy(made(C.hed_synth_player_create, "hed_synth_player", definition))

    # ---- tests ----

    def test_zero_is_a_value_or_refused(self):
        accepted, refused, faults = set(), set(), []
        for struct in sorted(set(self.defaults) - set(ELSEWHERE)):
            for i in range(len(list(leaves(ffi.typeof(struct), self.default(struct), struct)))):
                definition = self.default(struct)
                path, clear = list(leaves(ffi.typeof(struct), definition, struct))[i]
                clear()
                try:
                    getattr(self, struct)(definition)
                    accepted.add(path)
                except heddle.Error as error:
                    refused.add(path)
                    if not any(name in error.text for name in path.split(".")[-2:]):
                        faults.append(f"{path}: the error does not name the member: {error.text}")
        faults += [f"{path}: 0 is accepted; expected an error, or a row of MEANING" for path in sorted(accepted - set(MEANING))]
        faults += [f"{path}: a row of MEANING, but 0 is refused, or the default is 0" for path in sorted(set(MEANING) - accepted)]
        self.assertEqual(faults, [])
        self.assertGreater(len(refused), 25)

    def test_comments_name_the_default(self):
        """A definition with a default is started from it, as its comment says."""
        include = pathlib.Path(__file__).resolve().parents[2] / "include" / "heddle"
        words = " ".join(" ".join(h.read_text().split()) for h in include.glob("*.h")).replace(" * ", " ")
        for struct, function in self.defaults.items():
            if struct in ("hed_allocator", "hed_clock"):
                continue
            comment = re.search(r"/\*\*((?:(?!\*/).)*)\*/ typedef struct " + struct + r" \{", words).group(1)
            self.assertIn(f"Start from {function}(", comment)
        self.assertEqual([f for f in re.findall(r"Start from (hed_\w+)\(", words) if f not in self.defaults.values()], [])
