"""`python -m heddle`: the command that belongs to this package."""
import os
import sys

from ._library import command


def main() -> None:
    file = command()
    try:
        os.execvp(file, ["heddle", *sys.argv[1:]])
    except OSError as problem:
        sys.exit(f"heddle: the command cannot be started: {file}: {problem.strerror}")


if __name__ == "__main__":
    main()
