"""The files that come with Heddle are valid by the JSON schemas of their formats. Skipped (77) without the package jsonschema."""
import glob
import json
import sys

try:
    import jsonschema
except ImportError:
    print('the Python package jsonschema is missing')
    sys.exit(77)

FORMATS = {'engines/cloth/**/scene.schema.json': 'data/scenes/*.json', 'engines/mppi/**/scene.schema.json': 'data/mppi/*.json',
           'engines/synth/**/instrument.schema.json': 'data/instruments/*.json', 'tunefile/**/tune_file.schema.json': 'examples/tune/*.json'}
errors = 0
for path, files in FORMATS.items():
    with open(glob.glob(path, recursive=True)[0]) as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    names = sorted(name for name in glob.glob(files) if not name.endswith('.t1.json'))  # T1 is another format
    assert names, f'{files}: no files'
    for name in names:
        with open(name) as file:
            for error in validator.iter_errors(json.load(file)):
                print(f'{name}: {error.json_path}: {error.message[:200]}')
                errors += 1
sys.exit(errors > 0)
