#!/bin/sh
# Installs Déjà Vu in a fresh Debian without a network, finds a word, removes it all and compares the file trees.
#
#     sh tools/clean_root.sh FOLDER [SUITE [MIRROR]]
#
# FOLDER keeps the root (debootstrap's minbase with Python, some 300 MB) and the wheels. An ordinary user
# installs from a release folder and from a wheel, then runs the one-file program. Needs root for chroot.
# Prints a line for each. Ends with 1 if a step failed or a path differs afterwards, with 77 and a reason
# where it cannot run.
set -eu
umask 022
[ $# -gt 0 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 1; }
skip() { echo "skipped: $*" >&2; exit 77; }
[ "$(id -u)" = 0 ] || skip "chroot needs root"
unshare --net --mount --pid --fork true 2>/dev/null || skip "no network namespace can be made here"
mkdir -p "$1"
folder=$(cd "$1" && pwd) suite=${2:-bookworm} mirror=${3:-}
repo=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-$repo/.venv/bin/python}
root=$folder/root

if [ ! -e "$folder/made" ]; then
  command -v debootstrap >/dev/null || skip "debootstrap is missing"
  rm -rf "$root"
  debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates "$suite" "$root" ${mirror:+"$mirror"} \
    >"$folder/debootstrap.log" 2>&1 || skip "debootstrap failed: see $folder/debootstrap.log"
  chroot "$root" useradd --create-home ada
  : >"$folder/made"
fi

# What is installed: built here, from this checkout, for the root's Python.
minor=$(chroot "$root" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
rm -rf "$root/given"
mkdir -p "$root/given/release" "$root/given/wheels" "$root/given/wheel"
"$python" -m pip wheel --quiet --no-deps -w "$root/given/release" "$repo"
wheel=$(basename "$root"/given/release/*.whl)
"$python" -m pip download --quiet --only-binary=:all: --python-version "$minor" -d "$root/given/wheels" \
  "$root/given/release/$wheel[tui]" 2>"$folder/pip.log" || skip "no package index: see $folder/pip.log"
rm "$root/given/wheels/$wheel"
cp "$root/given/release/$wheel" "$root/given/wheel/"
cp "$repo/install.sh" "$root/given/release/"
cp "$repo/install.sh" "$root/given/"
ours=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
if [ "$ours" = "$minor" ]; then
  "$python" "$repo/packaging/onefile.py" "$root/given/release/$wheel" "$root/given/dejavu.pyz" >>"$folder/pip.log" 2>&1
fi
(cd "$root/given/release" && sha256sum ./*.whl | sed 's/\.\///' >SHA256SUMS)

home=$root/home/ada
rm -rf "$home"
mkdir -p "$home/.claude/projects/-work"
printf '{ "model": "opus" }' >"$home/.claude/settings.json"
cat >"$home/.claude/projects/-work/s1.jsonl" <<'JSON'
{"type":"user","uuid":"u1","sessionId":"s1","cwd":"/work","timestamp":"2026-11-01T10:00:00Z","message":{"role":"user","content":"Which colour is the heliotrope?"}}
{"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"s1","cwd":"/work","timestamp":"2026-11-01T10:00:01Z","message":{"role":"assistant","content":[{"type":"text","text":"Purple."}]}}
JSON
chroot "$root" chown -R ada:ada /home/ada

tree() { # every path of the root: its type and owner, a file's hash, a link's target
  (cd "$root" && find . -xdev \( -path ./proc -o -path ./given \) -prune -o -printf '%p %y %m %U %l\n' &&
    find . -xdev \( -path ./proc -o -path ./given \) -prune -o -type f -exec sha256sum {} +) | LC_ALL=C sort
}

cat >"$root/given/person.sh" <<'SH'
set -eu
cd "$HOME"
umask 022
begin=$(date +%s%N)
case $1 in
release) sh /given/release/install.sh --wheels /given/wheels >&2; dejavu=$HOME/.local/bin/dejavu ;;
wheel) sh /given/install.sh --wheels /given/wheels /given/wheel/*.whl >&2; dejavu=$HOME/.local/bin/dejavu ;;
one-file) dejavu="python3 /given/dejavu.pyz" ;;
esac
$dejavu sync >&2
$dejavu search heliotrope | grep "Which colour is the heliotrope?" >&2
end=$(date +%s%N)
times >/tmp/cpu
cpu=$(tail -n 1 /tmp/cpu)
rm /tmp/cpu
$dejavu init claude --yes >&2
grep -q "hook capture" .claude/settings.json
echo "delete my archive" | $dejavu uninstall --purge >&2
case $1 in
one-file) rm -r .local/share/dejavu-onefile && rmdir .local/share .local ;; # by hand, as the guide says
*) sh /given/install.sh --uninstall >&2 ;;
esac
echo "$(((end - begin) / 1000000))m$cpu"
SH

tree >"$folder/before"
failed=0
for way in release wheel one-file; do
  [ "$way" != one-file ] || [ -e "$root/given/dejavu.pyz" ] || { echo "$way: not tried, Python is $ours here and $minor there"; continue; }
  if ! said=$(unshare --net --mount --pid --fork sh -c 'mount -t proc proc "$1/proc" && exec chroot --userspec=ada:ada "$1" \
      env -i HOME=/home/ada PATH=/usr/bin:/bin LANG=C.UTF-8 sh /given/person.sh "$2"' sh "$root" "$way" 2>"$folder/$way.log"); then
    echo "$way: failed, see $folder/$way.log"
    failed=1
    continue
  fi
  tree >"$folder/after"
  LC_ALL=C comm -3 "$folder/before" "$folder/after" >"$folder/$way.diff"
  # Milliseconds, then minutes and seconds of CPU as `times` has them: user and system.
  echo "$said" | awk -F '[ms ]+' -v way="$way" -v rest="$(wc -l <"$folder/$way.diff")" \
    '{ printf "%s: first hit after %.1f s (%.1f s of CPU), paths that differ afterwards: %d\n", way, $1 / 1000, $2 * 60 + $3 + $4 * 60 + $5, rest }'
  [ ! -s "$folder/$way.diff" ] || failed=1
done
exit $failed
