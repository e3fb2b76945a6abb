#!/usr/bin/env bash
# Builds what is released into dist/ and tries each in a clean place: `make package`. It uploads nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf dist build
"$python" -m build --outdir dist . >"$work/log" 2>&1 || { tail -20 "$work/log" >&2; exit 1; }
"$python" -m twine check --strict dist/*
wheel=$(echo dist/*.whl) sdist=$(echo dist/*.tar.gz)

try() { # FOLDER-OF-COMMANDS PREFIX-OF-SHARE: the demo is captured and found again, in a home of its own
  local home file; home=$(mktemp -d -p "$work")
  env -i HOME="$home" PATH="$1:/usr/bin:/bin" TERM=xterm LANG=C.UTF-8 sh -euc '
    dejavu --version
    dejavu-run --headless --screen demo --speed 20 </dev/null >/dev/null 2>&1
    dejavu list --json | grep -q "\"agent\": *\"demo\""
    dejavu stats >/dev/null
    dejavu shell-init bash --agents claude | bash -n' || return 1
  for file in man/man1/dejavu.1 bash-completion/completions/dejavu fish/vendor_completions.d/dejavu.fish; do
    ls "$2/$file"* >/dev/null || return 1
  done
}

for file in "$wheel" "$sdist"; do
  "$python" -m venv --clear "$work/venv"
  "$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check "$file" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
  try "$work/venv/bin" "$work/venv/share"
  echo "$file: installed, demo captured and listed"
  [ "$file" != "$wheel" ] && continue
  # The list of parts is that of the wheel and what it needs, nothing of the developer's.
  "$work/venv/bin/python" -m pip inspect --local >"$work/inspect.json" 2>/dev/null
  "$python" packaging/sbom.py <"$work/inspect.json" >dist/dejavu.cdx.json
  "$python" packaging/sbom.py --licences <"$work/inspect.json" >dist/LICENCES.md
done

"$python" packaging/formula.py "$sdist" "https://github.com/dejavu-capture/dejavu/releases/download/v$(basename "$sdist" .tar.gz | sed s/dejavu_capture-//)/$(basename "$sdist")" >dist/dejavu.rb
if command -v ruby >/dev/null; then ruby -c dist/dejavu.rb >/dev/null; echo "dist/dejavu.rb: ruby reads it"; else echo "dist/dejavu.rb: not tried, there is no ruby"; fi

if command -v dpkg-deb >/dev/null && [ -x "/usr/bin/$("$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')" ]; then
  packaging/deb.sh "$wheel" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
  deb=$(echo dist/*.deb)
  # It must lie at /opt/dejavu: where nothing lies there and we may, it is installed, tried and removed.
  if [ "$(id -u)" = 0 ] && [ ! -e /opt/dejavu ]; then
    trap 'dpkg --purge dejavu >/dev/null 2>&1; rm -rf "$work"' EXIT
    dpkg --install "$deb" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    try /usr/bin /usr/share
    dpkg --purge dejavu >/dev/null 2>&1
    [ ! -e /opt/dejavu ] && [ ! -e /usr/bin/dejavu ] || { echo "$deb left something behind" >&2; exit 1; }
    echo "$deb: installed, demo captured and listed, removed without a rest"
  else
    dpkg-deb --contents "$deb" | grep -q ./opt/dejavu/bin/dejavu
    echo "$deb: made; not installed, for that needs root and no /opt/dejavu"
  fi
else
  echo "no .deb: that needs dpkg-deb and Debian's own Python"
fi
ls -l dist | awk 'NR > 1 {print $5, $9}'
