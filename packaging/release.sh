#!/usr/bin/env bash
# Makes the folder of a release, dist/release: what `make package` built, a one-file program, install.sh
# a statement of what they were built from (unsigned), and SHA256SUMS over all of it. It uploads nothing.
# The list of parts is dejavu.cdx.json.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
[ -n "${PACKAGED:-}" ] || packaging/build.sh
rm -rf dist/release
mkdir -p dist/release
for file in dist/*; do [ -f "$file" ] && cp "$file" dist/release/; done
cp install.sh LICENSE dist/release/
name=dejavu-$("$python" -c 'import platform, sys; print("%s-%s-py%d%d" % (platform.system().lower(), platform.machine(), *sys.version_info[:2]))').pyz
"$python" packaging/onefile.py dist/*.whl "dist/release/$name"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
XDG_DATA_HOME=$scratch "dist/release/$name" --version
"$python" packaging/attestation.py dist/release >"$scratch/provenance"
mv "$scratch/provenance" dist/release/provenance.intoto.json
cd dist/release
sha256sum -- * >../SHA256SUMS
mv ../SHA256SUMS .
sha256sum --check --quiet SHA256SUMS
ls -l | awk 'NR > 1 {print $5, $9}'
