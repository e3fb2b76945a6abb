#!/usr/bin/env bash
# Makes dist/dejavu_VERSION_ARCH.deb from a wheel: packaging/deb.sh dist/dejavu_capture-*.whl
#
# The program and what it depends on go to /opt/dejavu, for Debian has not all of it; commands, man
# pages and completions are links from /usr. It is for the Python it is made with (Depends says so).
set -euo pipefail
wheel=$(realpath "$1")
python=${PYTHON:-python3}
out=$(dirname "$wheel")
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"

version=$(basename "$wheel" | cut -d- -f2)
short=$("$python" -c 'import sys; print(f"{sys.version_info[0]}.{sys.version_info[1]}")')
architecture=$(dpkg --print-architecture)
# Debian's own interpreter: that of a developer's machine is not where the package is installed.
system=/usr/bin/python$short
[ -x "$system" ] || { echo "there is no $system; set PYTHON to one of Debian's own" >&2; exit 1; }

"$system" -m venv --without-pip "$root/opt/dejavu"
"$python" -m pip --python "$root/opt/dejavu/bin/python" install --quiet --no-compile --no-warn-script-location "$wheel[${EXTRAS:-tui}]"
rm -f "$root"/opt/dejavu/bin/[Aa]ctivate*
# Scripts and the venv's settings name the folder they were made in.
grep -rlIF "$root" "$root/opt/dejavu/bin" "$root/opt/dejavu/pyvenv.cfg" | xargs -r sed -i "s#$root##g"
find "$root" -name direct_url.json -delete # names the wheel's path here
find "$root" -name __pycache__ -type d -prune -exec rm -rf {} +

mkdir -p "$root"/usr/{bin,share/man/man1,share/doc/dejavu} "$root/DEBIAN"
for name in dejavu dejavu-run dejavu-capture; do ln -s "/opt/dejavu/bin/$name" "$root/usr/bin/$name"; done
mv "$root"/opt/dejavu/share/man/man1/dejavu*.1 "$root/usr/share/man/man1/"
gzip -9n "$root"/usr/share/man/man1/*.1
mkdir -p "$root"/usr/share/{bash-completion,zsh,fish}
mv "$root/opt/dejavu/share/bash-completion/completions" "$root/usr/share/bash-completion/"
mkdir -p "$root/usr/share/zsh/vendor-completions"
mv "$root"/opt/dejavu/share/zsh/site-functions/* "$root/usr/share/zsh/vendor-completions/"
mv "$root/opt/dejavu/share/fish/vendor_completions.d" "$root/usr/share/fish/"
cp "$(dirname "$0")/../LICENSE" "$root/usr/share/doc/dejavu/copyright"

cat >"$root/DEBIAN/control" <<CONTROL
Package: dejavu
Version: $version
Architecture: $architecture
Maintainer: Déjà Vu <https://github.com/dejavu-capture/dejavu>
Depends: python$short
Section: utils
Priority: optional
Installed-Size: $(du -sk "$root" | cut -f1)
Homepage: https://github.com/dejavu-capture/dejavu
Description: keep and show conversations with AI coding agents
 Captures what coding agents in terminals say, whichever agent it is, and shows it again.
CONTROL
cat >"$root/DEBIAN/prerm" <<'PRERM'
#!/bin/sh
# What Python compiled after the installation is no file of the package.
find /opt/dejavu -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
PRERM
chmod 755 "$root/DEBIAN/prerm"
chmod -R u+rwX,go+rX,go-w "$root"
dpkg-deb -Zgzip --root-owner-group --build "$root" "$out/dejavu_${version}_$architecture.deb"
