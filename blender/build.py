#!/usr/bin/env python3
"""The extension as a zip that Blender installs: build.py OUT-FOLDER [WHEEL]. With the wheel of the Python package inside it needs nothing else
on a machine; without, an installed `heddle`. The same to the bit from the same files."""
import pathlib
import re
import sys
import zipfile

FOLDER = pathlib.Path(__file__).resolve().parent / "heddle_cloth"


def build(out, wheel=None):
    manifest = (FOLDER / "blender_manifest.toml").read_text()
    version = re.search(r'^version = "([^"]+)"', manifest, re.M)[1]
    files = {p.name: p.read_bytes() for p in sorted(FOLDER.iterdir()) if p.suffix == ".py"}
    if wheel:
        files[f"wheels/{wheel.name}"] = wheel.read_bytes()
        manifest = manifest.replace("\n[permissions]", f'wheels = ["./wheels/{wheel.name}"]\n\n[permissions]')
    files["blender_manifest.toml"] = manifest.encode()
    files["LICENSE"] = (FOLDER.parent.parent / "LICENSE").read_bytes()
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"heddle_cloth-{version}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name in sorted(files):
            made.writestr(zipfile.ZipInfo(name), files[name], zipfile.ZIP_DEFLATED)
    return path


if __name__ == "__main__":
    made = build(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None)
    print(f"   {made}: {made.stat().st_size / 1e6:.1f} MB")
