"""`python -m dejavu.interfaces.cli`: the same as `dejavu`."""

from . import main

if __name__ == "__main__":
    main()
