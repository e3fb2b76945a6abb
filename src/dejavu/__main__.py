"""`python -m dejavu`: the same as `dejavu`."""

from dejavu.interfaces.cli import main

if __name__ == "__main__":
    main()
