"""Make one file that runs with only a Python: python packaging/onefile.py WHEEL OUT [EXTRAS].

It is a zip that Python starts. Its first start unpacks everything into a virtual environment in
`~/.local/share/dejavu-onefile`, so that hooks and background programs work as in any installation;
later starts run that. It holds the wheels of this platform and this minor version of Python, and
says so elsewhere. Called by the name `dejavu-run` (a link) it is that.
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipapp
from pathlib import Path

_MAIN = """\
import os, shutil, sys, tempfile, venv, zipfile
from pathlib import Path

WANTED = {wanted!r}
DIGEST = {digest!r}


def main():
    if sys.version_info[:2] != WANTED:
        name = "python%d.%d" % WANTED
        other = shutil.which(name)
        if other is None:
            sys.exit("dejavu: this file was made for %s, and there is none on the PATH" % name)
        os.execv(other, [other, *sys.argv])
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    root = Path(data, "dejavu-onefile", DIGEST)
    if not root.is_dir():
        try:
            unpack(root)
        except OSError as error:
            why = (data, error.strerror)
            sys.exit("dejavu: cannot unpack into %s: %s; XDG_DATA_HOME names another folder" % why)
    name = "dejavu-run" if Path(sys.argv[0]).name == "dejavu-run" else "dejavu"
    program = str(root / "bin" / name)
    os.execv(program, [program, *sys.argv[1:]])


def unpack(root):
    root.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=root.parent))
    try:
        venv.EnvBuilder(symlinks=True).create(scratch)
        [site] = scratch.glob("lib/python*/site-packages")
        with zipfile.ZipFile(Path(sys.argv[0]).resolve()) as archive:
            for name in archive.namelist():
                if name.startswith("site/"):
                    archive.extract(name, scratch)
        shutil.copytree(scratch / "site", site, dirs_exist_ok=True)
        shutil.rmtree(scratch / "site")
        for name in ("dejavu", "dejavu-run"):
            shutil.move(site / "bin" / name, scratch / "bin" / name)
            (scratch / "bin" / name).chmod(0o755)
        python = root / "bin" / "python3"
        (scratch / "bin" / "dejavu-capture").write_text("#!%s\\n" % python)
        os.rename(scratch, root)
    except FileExistsError:
        pass  # another start was faster
    except OSError:
        if not root.is_dir():
            raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


main()
"""


def build(wheel: Path, out: Path, extras: str = "tui") -> None:
    """Write the file. The index that pip knows gives what the wheel needs."""
    wanted = f"{wheel}[{extras}]" if extras else str(wheel)
    with tempfile.TemporaryDirectory() as scratch:
        app = Path(scratch, "app")
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*command, "--target", str(app / "site"), wanted], check=True)
        for made in app.rglob("__pycache__"):
            shutil.rmtree(made)
        digest = hashlib.sha256()
        for path in sorted(app.rglob("*")):
            if path.is_file():
                digest.update(str(path.relative_to(app)).encode() + b"\0" + path.read_bytes())
        main = _MAIN.format(wanted=sys.version_info[:2], digest=digest.hexdigest()[:16])
        (app / "__main__.py").write_text(main, "utf-8")
        zipapp.create_archive(app, out, interpreter="/usr/bin/env python3", compressed=True)
        out.chmod(0o755)


if __name__ == "__main__":
    build(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:4])
