"""`python -m heddle`: the command that belongs to this package."""
import os
import sys

from ._library import command


def main() -> None:
    words = sys.argv[1:]
    script = next((w for w in words[1:] if w.endswith(".py")), None)
    if words[:1] == ["tune"] and script:  # a script of Kernel Tuner's
        from .kernel_tuner import run_script
        run_script(script, words[1:words.index(script)] + words[words.index(script) + 1:])
        return
    file = command()
    try:
        os.execvp(file, ["heddle", *sys.argv[1:]])
    except OSError as problem:
        sys.exit(f"heddle: the command cannot be started: {file}: {problem.strerror}")


if __name__ == "__main__":
    main()
