"""Files of the site's folder "live", in which an engine runs in the page: everything but its instruments."""
import pathlib, shutil

TOP = pathlib.Path(__file__).resolve().parent.parent


def copy(place, engine):
    """Copies the pages into a new folder, and the engines from the package `engine` (build/wasm/package)."""
    for source in (TOP / 'site/live', TOP / 'web/synth', TOP / 'web/shared'):
        shutil.copytree(source, place, dirs_exist_ok=True)
    (place / 'index.html').rename(place / 'synth.html')
    (place / 'cloth').mkdir()
    pictures = [TOP / 'web/cloth' / f'{name}.js' for name in ('hand', 'picture', 'vectors', 'view')]
    for file in pictures + sorted((TOP / 'engines/cloth/view/shaders').iterdir()):
        shutil.copyfile(file, place / 'cloth' / file.name)
    shutil.copytree(engine, place / 'engine', ignore=lambda folder, names: [n for n in names if not n.endswith(('.js', '.wasm'))])
    (place / 'instruments').mkdir()
