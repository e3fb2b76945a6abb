#!/bin/sh
# Installs dejavu for every user of a dev container. Runs as root when the image is built.
set -eu
for python in python3.14 python3.13 python3.12 python3.11 python3 ""; do
    [ -n "$python" ] || { echo "dejavu needs Python 3.11 or newer in the container" >&2; exit 1; }
    "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break
done
wanted=dejavu-capture
[ "${VERSION:-latest}" = latest ] || wanted="dejavu-capture==$VERSION"
source=${DEJAVU_SOURCE:-$wanted} # a wheel or a folder instead of the released version
"$python" -m venv /opt/dejavu
/opt/dejavu/bin/pip install --quiet --no-cache-dir "$source"
mkdir -p /usr/local/bin
for name in dejavu dejavu-run; do ln -sf "/opt/dejavu/bin/$name" "/usr/local/bin/$name"; done
[ "${SHELLINIT:-true}" = true ] || exit 0
touch /etc/bash.bashrc
grep -q 'dejavu shell-init' /etc/bash.bashrc \
    || echo 'eval "$(dejavu shell-init bash 2>/dev/null)"' >>/etc/bash.bashrc
[ ! -d /etc/zsh ] || grep -qs 'dejavu shell-init' /etc/zsh/zshrc \
    || echo 'eval "$(dejavu shell-init zsh 2>/dev/null)"' >>/etc/zsh/zshrc
