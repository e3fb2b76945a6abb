#!/bin/sh
# Installs Déjà Vu below a prefix of yours, and takes it out again. It needs Python 3.11 or newer, no root.
#
#   sh install.sh [--prefix DIR] [--with EXTRAS] [--python PYTHON] [--wheels DIR] [SOURCE]
#   sh install.sh --uninstall [--prefix DIR]
#
# SOURCE is a clone, a folder with a wheel (and its SHA256SUMS), or a wheel; without one the folder this
# file lies in. The prefix is ~/.local. EXTRAS is `tui` unless you say others (`tui,http`) or `none`.
# --wheels DIR takes everything from wheels in DIR and asks no package index.
set -eu

say() { printf '%s\n' "$*"; }
fail() { printf 'install.sh: %s\n' "$*" >&2; exit 1; }

prefix= extras=tui python= wheels= source= uninstall=
while [ $# -gt 0 ]; do
  case $1 in
  --prefix | --with | --python | --wheels)
    [ $# -gt 1 ] || fail "$1 wants a value"
    case $1 in
    --prefix) prefix=$2 ;; --with) extras=$2 ;; --python) python=$2 ;; --wheels) wheels=$2 ;;
    esac
    shift 2 ;;
  --uninstall) uninstall=1; shift ;;
  -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 0 ;;
  -*) fail "no option is called $1; --help lists them" ;;
  *) source=$1; shift ;;
  esac
done
[ -n "${HOME:-}" ] || [ -n "$prefix" ] || fail "HOME is not set; name a place with --prefix"
: "${prefix:=${HOME:-}/.local}"
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
lib=$prefix/lib/dejavu
record=$lib/installed
old=$lib.old # the version before, until the new one works

restore() { # after an update that was stopped or failed: the version before
  [ ! -f "$old/replaced" ] || rm -rf "$old"
  [ -f "$old/installed" ] || return 0
  rm -rf "$lib"
  mv "$old" "$lib"
}
unlink_all() { # the links that the record $1 names
  while read -r kind path; do
    case $kind in link) [ ! -h "$path" ] || rm -f "$path" ;; esac
  done <"$1"
}
remove() { # what the record names: links first, then our folder, then folders we made, if empty
  [ -f "$record" ] || return 0
  unlink_all "$record"
  folders=$(sed -n 's/^folder //p' "$record" | sed -n '1!G;h;$p')
  rm -rf "$lib"
  printf '%s\n' "$folders" | while IFS= read -r path; do
    [ -z "$path" ] || rmdir "$path" 2>/dev/null || :
  done
}
restore

if [ -n "$uninstall" ]; then
  [ -f "$record" ] || fail "nothing is installed below $prefix"
  data=${DEJAVU_DATA_HOME:-${XDG_DATA_HOME:-${HOME:-}/.local/share}/dejavu}
  if [ -f "$data/install/ledger.json" ]; then # agents are registered: their files get their bytes back
    "$lib/venv/bin/dejavu" uninstall || fail "hooks stay in an agent's settings: see above, then run this again"
  fi
  remove
  say "Removed from $prefix. Your archive stays where it is."
  exit 0
fi

# -- checks ------------------------------------------------------------------------------------------

[ -n "$source" ] || source=$(dirname -- "$0")
[ -e "$source" ] || fail "there is no $source"
fits() { "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
if [ -n "$python" ]; then
  fits "$python" || fail "$python is not Python 3.11 or newer with venv (Debian: apt install python3-venv)"
else
  for name in python3.13 python3.12 python3.11 python3 python3.14; do
    if command -v "$name" >/dev/null 2>&1 && fits "$name"; then python=$name; break; fi
  done
  [ -n "$python" ] || fail "no Python 3.11 or newer with venv is here; install one, or name it with --python"
fi

digest() { if command -v sha256sum >/dev/null 2>&1; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d' ' -f1; }
verify() { # a wheel against the SHA256SUMS beside it
  sums=$(dirname -- "$1")/SHA256SUMS
  [ -f "$sums" ] || { say "No SHA256SUMS lies beside it: the wheel is taken as it is."; return 0; }
  wanted=$(sed -n "s/^\([0-9a-f]\{64\}\)[ *]*$(basename -- "$1")\$/\1/p" "$sums")
  [ -n "$wanted" ] || fail "SHA256SUMS does not name $(basename -- "$1")"
  [ "$wanted" = "$(digest "$1")" ] || fail "$(basename -- "$1") is not the file that SHA256SUMS names; nothing was installed"
  say "The checksum of $(basename -- "$1") is right."
}

work=$(mktemp -d)
PIP_CACHE_DIR=$work/cache PIP_DISABLE_PIP_VERSION_CHECK=1
export PIP_CACHE_DIR PIP_DISABLE_PIP_VERSION_CHECK
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
if [ -f "$source" ]; then
  what=$source
  verify "$what"
elif grep -q '^name = "dejavu-capture"' "$source/pyproject.toml" 2>/dev/null; then
  mkdir "$work/clone" # built from a copy: nothing is left in the clone
  tar -C "$source" --exclude=./.git --exclude=./.venv --exclude=./build --exclude=./dist -cf - . | tar -C "$work/clone" -xf -
  what=$work/clone
else
  what=
  for file in "$source"/dejavu_capture-*.whl; do [ -f "$file" ] && what=$file; done
  [ -n "$what" ] || fail "$source is neither a clone nor a folder with a wheel of dejavu-capture"
  verify "$what"
fi

# -- installation ------------------------------------------------------------------------------------

say "Installs into $lib, with links in $prefix/bin. $python is $("$python" --version 2>&1)."
case $extras in none) ;; *) what="$what[$extras]" ;; esac
[ ! -e "$lib" ] || [ -f "$record" ] || fail "$lib is there and is not ours"
kept="Nothing was left behind."
[ ! -f "$record" ] || kept="The version that was here stays."
folder() { # make a folder and those above it, and write down which
  [ -d "$1" ] && return 0
  folder "$(dirname -- "$1")"
  mkdir "$1" || fail "$1 cannot be made; --prefix names another place"
  made="${made:-}folder $1
"
}
folder "$prefix/lib"
if [ -f "$record" ]; then
  [ ! -e "$old" ] || fail "$old is there and is not ours"
  made="$(sed -n '/^folder /p' "$record")
"
  mv "$lib" "$old" || fail "$lib cannot be moved; --prefix names another place"
fi
undo() { if [ -f "$old/installed" ]; then restore; else remove; fi; rm -rf "$work"; }
trap undo EXIT
mkdir "$lib" || fail "$lib cannot be made; --prefix names another place"
printf '%s' "${made:-}" >"$record"
"$python" -m venv "$lib/venv"
set -- --quiet
[ -z "$wheels" ] || set -- "$@" --no-index --find-links "$wheels"
"$lib/venv/bin/python" -m pip install "$@" "$what" || fail "pip could not install it: see above. $kept"
offered=$("$lib/venv/bin/python" -c 'from importlib.metadata import metadata as m; print(*m("dejavu-capture").get_all("Provides-Extra"))')
for extra in $(printf '%s' "$extras" | tr ',' ' '); do
  case " none $offered " in *" $extra "*) ;; *) fail "there is no extra $extra; the extras are $offered. $kept" ;; esac
done
version=$("$lib/venv/bin/dejavu" --version) || fail "it was installed and does not start. $kept"
if [ -f "$old/installed" ]; then
  unlink_all "$old/installed"
  mv "$old/installed" "$old/replaced"
  rm -rf "$old"
fi
link() { # TARGET LINK
  made=
  folder "$(dirname -- "$2")"
  printf '%s' "$made" >>"$record"
  if [ -e "$2" ] || [ -h "$2" ]; then say "$2 is there already and stays as it is."; return 0; fi
  ln -s "$1" "$2"
  printf 'link %s\n' "$2" >>"$record"
}
for name in dejavu dejavu-run; do link "$lib/venv/bin/$name" "$prefix/bin/$name"; done
for file in man/man1 bash-completion/completions zsh/site-functions fish/vendor_completions.d; do
  for path in "$lib/venv/share/$file"/*; do
    [ -f "$path" ] && link "$path" "$prefix/share/$file/$(basename -- "$path")"
  done
done
trap 'rm -rf "$work"' EXIT

say "$version is installed."
case :$PATH: in *:"$prefix/bin":*) ;; *) say "Put $prefix/bin on your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;; esac
say "Next: \`dejavu sync\` reads what your agents kept, \`dejavu init\` registers with them."
