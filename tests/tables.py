#!/usr/bin/env python3
"""Walks every sorted table and every pair of parallel lists of the product, and finds rows out of order and lists too short, by name.

    tables.py [ROOT]     reads the sources below ROOT; then plants faults into copies and finds them

Sorted tables: an array that bsearch() searches is sorted by name, or is made at run time (RUN_TIME). Enumerations: an array whose length is
an enumerator has a text for each of the enumeration (PARTIAL: for some). Pairs: PAIRS. The compiler asserts the order of css's tables too
(CSS_ASSERT_SORTED), and a list from which another is made needs no row here.
"""
import functools, os, re, shutil, sys, tempfile

ROOT = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), '..'))
PRODUCT = ('include', 'src', 'support', 'tunefile', 'engines', 'cli', 'worker', 'web', 'mpi')
# Sorted by qsort() before they are searched; written in order by engines/css/values/generate.py.
RUN_TIME = {'edges', 'grammar_words', 'grammar_properties'}
# Arrays with a text for some of an enumeration, by design.
PARTIAL = {'parameter_fields', 'invalidities'}
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')


# The copies with faults differ from the tree in one file each: the others are searched once.
@functools.cache
def enums_of(text):
    """Name and enumerators of each enumeration of a file."""
    found = []
    for name, body, alias in re.findall(r'\benum (\w*)\s*\{([^{}]*)\}\s*(\w*)', re.sub(r'/\*.*?\*/', '', text, flags=re.S)):
        words = [re.split(r'[\s=(]', w.strip(), maxsplit=1)[0] for w in body.split(',') if w.strip() and not w.strip().startswith('#')]
        if words and all(re.fullmatch(r'\w+', w) for w in words):
            found.append((name or alias or words[0], words))
    return found


@functools.cache
def arrays_of(text):
    """Name, length and rows of each array of texts of a file."""
    return re.findall(r'const char \*const (\w+)\[([A-Z]\w+)\] = \{(.*?)\};', text, re.S)


class Tree:
    """Sources below a folder."""

    def __init__(self, root):
        self.root, self.kept = root, {}
        self.files = sorted(os.path.relpath(os.path.join(at, f), root) for room in PRODUCT for at, _, files in os.walk(os.path.join(root, room))
                            for f in files if f.endswith(('.c', '.h')))
        self.enums = {}
        for file in self.files:
            self.enums.update(enums_of(self.text(file)))

    def text(self, file):
        if file not in self.kept:
            with open(os.path.join(self.root, file), encoding='utf-8') as f:
                self.kept[file] = f.read()
        return self.kept[file]

    def enum(self, name, skip=()):
        """Enumerators without their common prefix, in lower case; those that only count are left out."""
        words = [w for w in self.enums[name] if not re.search(r'_COUNT$', w) and w not in skip]
        prefix = os.path.commonprefix(words)
        prefix = prefix[:prefix.rfind('_') + 1]
        return [w[len(prefix):].lower() for w in words]

    def array(self, file, name, nth=0):
        """Texts of an array of texts; a macro of rows: the first text or word of each row."""
        found = re.findall(r'\b%s\[[^\]]*\] = \{(.*?)\n?\s*\}\s*[;,]' % name, self.text(file), re.S)
        if not found:
            raise KeyError('%s: no array %s' % (file, name))
        return TEXT.findall(found[nth])

    def rows(self, file, macro, row=r'\w+'):
        """Names of the rows of a list of rows."""
        body = re.search(r'#define %s\([^)]*\) \\\n((?:[^\n]*\\\n)*[^\n]*)\n' % macro, self.text(file))
        if not body:
            raise KeyError('%s: no list %s' % (file, macro))
        return re.findall(r'(?:^|\s)(?:%s)\("?([^",)]+)"?' % row, body.group(1))

    def found(self, file, pattern):
        return re.findall(pattern, self.text(file), re.M)

    def folder(self, folder, ending):
        return sorted(f[:-len(ending)] for f in os.listdir(os.path.join(self.root, folder)) if f.endswith(ending))


def plain(word):
    return re.sub(r'[^a-z0-9]', '', word.lower())


# ---- checks: each returns its faults ----

def out_of_order(label, names):
    return ['%s: "%s" is after "%s"; expected the order of bytes, without repetitions' % (label, b, a)
            for a, b in zip(names, names[1:]) if a.encode() >= b.encode()]


def sorted_tables(tree):
    faults, walked = [], 0
    for file in tree.files:
        for array in re.findall(r'\bbsearch\(\s*\w+,\s*([\w.\[\]>-]+),', tree.text(file)):
            if array in RUN_TIME:
                continue
            arrays = [array]
            if '[' in array:  # a table of tables: all of them
                arrays = re.findall(r'\{(\w+), HED_COUNT', re.search(r'\} %s\[\] = \{(.*?)\n    \};' % array.split('[')[0], tree.text(file), re.S).group(1))
            for name in arrays:
                made = re.search(r'\b%s\[\] = \{(\w+)\(' % name, tree.text(file))
                if not made:
                    faults.append('%s: %s is searched by bsearch(); expected a list of rows' % (file, name))
                    continue
                inside = [file] + [os.path.join(os.path.dirname(file), h) for h in re.findall(r'#include "(?:\w+/)?(\w+\.h)"', tree.text(file))]
                for at in inside:
                    if at in tree.files and '#define %s(' % made.group(1) in tree.text(at):
                        names = tree.rows(at, made.group(1), 'ROW|FLAG')
                        faults += out_of_order('%s, %s' % (at, name), names)
                        walked += 1
                        if not re.search(r'CSS_ASSERT_SORTED\(%s\(' % made.group(1), tree.text(file)):
                            faults.append('%s: no CSS_ASSERT_SORTED() of %s' % (file, made.group(1)))
    if walked < 6:
        faults.append('%d sorted tables were found; expected at least 6' % walked)
    return faults


def counted_arrays(tree):
    """Arrays of texts whose length is an enumerator."""
    faults, walked = [], 0
    count_of = {word: words for words in tree.enums.values() for word in words}
    for file in tree.files:
        for name, count, body in arrays_of(tree.text(file)):
            if count not in count_of or name in PARTIAL:
                continue
            walked += 1
            words = [w for w in count_of[count] if w != count]
            length = len(words) if re.search(r'COUNT$', count) else None
            number = re.search(r'\b%s = (\d+)' % count, ''.join(tree.text(f) for f in tree.files if count in tree.text(f)))
            length = int(number.group(1)) if number else length if length is not None else count_of[count].index(count)
            given = len(TEXT.findall(re.sub(r'"\s*\n\s*"', '', body)))
            if given != length and not re.search(r'\b[A-Z_]+\(', body):
                faults.append('%s: %s[%s] has %d texts; expected %d, one for each of %s ... %s' % (file, name, count, given, length, words[0], words[-1]))
    if walked < 12:
        faults.append('%d arrays of an enumeration were found; expected at least 12' % walked)
    return faults


def parallel(label, first, second, relation):
    """Faults of two lists: 'order': the same names in the same order; 'same': the same names; 'within': all of the first are in the second;
    'length': as many."""
    if relation == 'length':
        return [] if len(first) == len(second) else ['%s: %d names (%s) and %d (%s); expected as many' % (
            label, len(first), ' '.join(first), len(second), ' '.join(second))]
    a, b = [plain(w) for w in first], [plain(w) for w in second]
    faults = ['%s: "%s" is missing from the second list' % (label, w) for w in first if plain(w) not in b]
    if relation != 'within':
        faults += ['%s: "%s" is missing from the first list' % (label, w) for w in second if plain(w) not in a]
        if relation == 'order' and not faults:
            faults += ['%s: place %d has "%s" and "%s"; expected the same order' % (label, i, x, y) for i, (x, y) in enumerate(zip(first, second)) if plain(x) != plain(y)]
    return faults


MPPI, CSS, CLOTH, SYNTH = 'engines/mppi/catalogue/', 'engines/css/model/', 'engines/cloth/', 'engines/synth/'


def terms(t):
    return t.rows(MPPI + 'list.h', 'MPPI_STATE_TERMS', 'TERM|SUM') + t.rows(MPPI + 'list.h', 'MPPI_POSE_TERMS', 'TERM')


def models(t):
    return t.rows(MPPI + 'list.h', 'MPPI_MODELS', 'MODEL')


def synth_entities(t):
    return [w for lists in ('BODIES', 'SPRINGS', 'MICROPHONES', 'EXCITERS', 'MODULATORS', 'DELAY_LINES') for w in t.rows(SYNTH + 'model/entity_list.h', 'SYNTH_' + lists, 'ENTITY')]


def synth_targets(t):
    """Type and parameter of each target of modulation."""
    rows = t.found(SYNTH + 'model/entity_list.h', r'ENTITY\((\w+), \w+, \w+, "[^"]*",[\s\\]*((?:P\(\w+\)|POSITION|[|\s\\])+),')
    return [name + ' ' + target for name, targets in rows for target in re.findall(r'POSITION_\w|(?<=P\()\w+', targets.replace('POSITION', 'POSITION_X POSITION_Y POSITION_Z'))]


def synth_arrays(t):
    return t.found(SYNTH + 'model/entity_list.h', r'^    ENTITY\([A-Z_]+, \w+, (\w+),')


def named(file, array, enum, relation='order', skip=()):
    return ('%s: %s beside %s' % (file, array, enum), lambda t: t.array(file, array), lambda t: t.enum(enum, skip), relation)


PAIRS = [
    # mppi
    ('texts of state_terms/ beside rows of list.h', lambda t: t.folder(MPPI + 'state_terms', '.h'), lambda t: t.rows(MPPI + 'list.h', 'MPPI_STATE_TERMS', 'TERM|SUM'), 'same'),
    ('texts of pose_terms/ beside rows of list.h', lambda t: t.folder(MPPI + 'pose_terms', '.h'), lambda t: t.rows(MPPI + 'list.h', 'MPPI_POSE_TERMS', 'TERM'), 'same'),
    ('terms of mppi in docs/mppi.md', terms, lambda t: t.found('docs/mppi.md', r'`(\w+)`'), 'within'),
    ('models of list.h beside catalogue.c', models, lambda t: t.found(MPPI + 'catalogue.c', r'MODEL_OF\((\w+)\),$'), 'order'),
    ('models of list.h on the processor', models, lambda t: t.found(MPPI + 'native_models.c', r'#define MODEL (\w+)') + t.found(MPPI + 'native_network.c', r'#define MODEL (\w+)'), 'order'),
    named('cli/mppi/mppi_subject.c', 'cli_mppi_solvers', 'hed_mppi_solver'),
    named('cli/mppi/mppi_subject.c', 'cli_mppi_kinds', 'hed_mppi_kind', 'length'),
    # css
    ('flags of pseudo-classes set by element_states.c and its kin', lambda t: t.found(CSS + 'pseudo_list.h', r' FLAG\("[\w-]+", (\w+)'), lambda t: t.found(CSS + 'element_states.c', r'\bCSS_(\w+)') + t.found(CSS + 'group_states.c', r'\bCSS_(\w+)'), 'within'),
    # cloth
    ('fabrics in docs/cloth-stiffness.md', lambda t: t.rows(CLOTH + 'model/fabrics.h', 'CLOTH_FABRICS', 'FIRST|FABRIC'), lambda t: t.found('docs/cloth-stiffness.md', r'^\| `(\w+)` \| [\d.,]+, [\d.,]+, [\d.,]+ \|'), 'order'),
    ('reasons of contact in docs/cloth-contact.md', lambda t: t.array('include/heddle/cloth_contact.h', 'names'), lambda t: t.found('docs/cloth-contact.md', r'^\| `(\w+)` \|'), 'order'),
    ('reasons of contact', lambda t: t.array('include/heddle/cloth_contact.h', 'names'), lambda t: t.enum('hed_cloth_limit_reason'), 'order'),
    named('engines/cloth/model/garment.c', 'names', 'hed_cloth_solver'),
    named('engines/cloth/model/cloth_check.c', 'names', 'hed_cloth_crossing_kind', 'length'),
    named('cli/cloth/check_cloth.c', 'KIND_KEYS', 'hed_cloth_crossing_kind', 'length'),
    ('stages of contact beside its kernels', lambda t: t.enum('contact_stage', ('CONTACT_STAGES',)), lambda t: t.found(CLOTH + 'contact/contact_host.h', r'^    CLOTH_PAIRS_(?!SUBSTEP)(\w+),'), 'length'),
    # synth
    ('entities of synth', synth_entities, lambda t: t.enum('hed_synth_entity_type'), 'order'),
    ('entities of synth and their fields', synth_entities, lambda t: t.found(SYNTH + 'model/entity.c', r'^static const hed_field (\w+)_rows\[\] = \{\n    NAME_ROW,'), 'order'),
    ('parameters of entities that set.c can set', synth_targets, lambda t: [' '.join(row) for row in t.found(SYNTH + 'tables/set.c', r'\{SYNTH_(\w+), HED_SYNTH_TARGET_(\w+),')], 'same'),
    ('entities in docs/instrument-file.md', synth_arrays, lambda t: t.found('docs/instrument-file.md', r'`(\w+)`'), 'within'),
    ('sections of entities in the schema', synth_arrays, lambda t: t.found(SYNTH + 'files/instrument.schema.json', r'"(\w+)": ?\{'), 'within'),
    ('targets of modulation', lambda t: t.array(SYNTH + 'model/entity.c', 'synth_target_names'), lambda t: t.enum('hed_synth_target'), 'order'),
    ('targets of modulation in the schema', lambda t: t.array(SYNTH + 'model/entity.c', 'synth_target_names'), lambda t: t.found(SYNTH + 'files/instrument.schema.json', r'"(\w+)"'), 'within'),
    ('waves', lambda t: t.array(SYNTH + 'model/entity.c', 'wave_names'), lambda t: t.enum('hed_synth_wave'), 'order'),
    named('engines/synth/model/name.c', 'names', 'hed_synth_solver'),
    named('cli/synth/play.c', 'SOLVERS', 'hed_synth_solver'),
    named('cli/synth/render.c', 'SOLVERS', 'hed_synth_solver'),
    named('cli/synth/check_synth.c', 'modes', 'hed_synth_voice_mode', 'length'),
    # the core
    named('include/heddle/device.h', 'names', 'hed_capability', 'length'),
    named('include/heddle/tune.h', 'names', 'hed_outcome'),
    named('include/heddle/kernel.h', 'names', 'hed_language'),
    named('include/heddle/pack.h', 'names', 'hed_pack_method'),
    named('include/heddle/search.h', 'names', 'hed_strategy'),
    named('cli/pack_command.c', 'METHODS', 'hed_pack_method'),
    named('cli/tune/tune_command.c', 'STRATEGIES', 'hed_strategy'),
    named('cli/tune/replay.c', 'STRATEGIES', 'hed_strategy'),
    ('canonical kernels beside their texts', lambda t: t.rows('engines/canonical/canonical_kernels.h', 'HED_CANONICAL_KERNELS', 'X'), lambda t: t.folder('engines/canonical/kernels', '.cl'), 'same'),
    ('fields of devices --json beside hed_device_info', lambda t: t.found('cli/devices_command.c', r'CLI_(?:TEXT|WHOLE|NUMBER|FLAG)\("(\w+)"'),
     lambda t: re.findall(r'(\w+);', re.search(r'struct hed_device_info \{(.*?)\} hed_device_info;', t.text('include/heddle/device.h'), re.S).group(1)), 'within'),
]


def pairs(tree):
    faults = []
    for label, first, second, relation in PAIRS:
        try:
            a, b = first(tree), second(tree)
        except (KeyError, AttributeError, OSError) as missing:
            faults.append('%s: a list was not found: %s' % (label, missing))
            continue
        if not a or not b:
            faults.append('%s: %d and %d names were found; expected some in both' % (label, len(a), len(b)))
        else:
            faults += parallel(label, a, b, relation)
    return faults


def walk(root):
    tree = Tree(root)
    return sorted_tables(tree) + counted_arrays(tree) + pairs(tree)


# ---- faults that are planted into a copy: each must be found ----

PLANTED = [  # file, text, its replacement, words of the fault
    ('engines/css/model/pseudo_list.h', 'ROW("hover"', 'ROW("zover"', '"in-range" is after "zover"'),
    ('engines/css/model/pseudo_list.h', 'FLAG("open", OPEN,', 'FLAG("open", OPENED,', '"OPENED" is missing'),
    ('engines/css/model/shorthands.c', 'CSS_ASSERT_SORTED(ALIASES(CSS_NEXT));', '', 'no CSS_ASSERT_SORTED() of ALIASES'),
    ('engines/synth/model/entity.c', '"directionality", "isotropy"', '"directionality"', '"isotropy" is missing from the first list'),
    ('engines/synth/model/entity_list.h', 'ENTITY(BOW, bow, bows,', 'ENTITY(FIDDLE, bow, bows,', '"bow" is missing from the first list'),
    ('engines/synth/tables/set.c', '{SYNTH_BOW, HED_SYNTH_TARGET_ROTATION,', '{SYNTH_BOW, HED_SYNTH_TARGET_GAIN,', '"BOW ROTATION" is missing from the second list'),
    ('include/heddle/tune.h', '"launch", "wrong"', '"wrong", "launch"', 'place 4 has "wrong" and "launch"'),
    ('cli/pack_command.c', '"spread", "rows", NULL', '"spread", NULL', '"rows" is missing from the first list'),
    ('docs/cloth-stiffness.md', '| `silk` |', '| `nylon` |', '"silk" is missing from the second list'),
    ('docs/mppi.md', '`twirling`', '`whirling`', '"twirling" is missing from the second list'),
    ('engines/mppi/catalogue/list.h', 'TERM(speed,', 'TERM(velocity,', '"speed" is missing from the second list'),
]


def main():
    faults = walk(ROOT)
    with tempfile.TemporaryDirectory() as scratch:
        copy = os.path.join(scratch, 'tree')
        shutil.copytree(ROOT, copy, ignore=lambda at, names: [n for n in names if at == ROOT and n not in PRODUCT + ('docs',)])
        for file, text, planted, words in PLANTED:
            path = os.path.join(copy, file)
            with open(path, encoding='utf-8') as f:
                kept = f.read()
            if text not in kept:
                faults.append('%s: "%s" is not there to be replaced' % (file, text))
                continue
            with open(path, 'w', encoding='utf-8') as f:
                f.write(kept.replace(text, planted, 1))
            if not faults and not any(words in fault for fault in walk(copy)):
                faults.append('%s: "%s" in place of "%s" was not found' % (file, planted, text))
            with open(path, 'w', encoding='utf-8') as f:
                f.write(kept)
    for fault in faults:
        print(fault)
    print('%d pairs of lists, %d planted faults: %s' % (len(PAIRS), len(PLANTED), '%d faults' % len(faults) if faults else 'all is well'))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
