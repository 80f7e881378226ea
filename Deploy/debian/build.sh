#!/bin/sh
# Builds the Debian package from the binary of `make binary`: man pages and completions come from the program's
# own definitions of its commands. Prints the path of the package.
#   Deploy/debian/build.sh [VERSION]    VERSION is the program's unless given
set -eu
cd "$(dirname "$0")/../.."
for command in dh dpkg-buildpackage; do
    command -v "$command" >/dev/null || { echo 'a Debian package needs: apt-get install debhelper' >&2; exit 1; }
done
program=$PWD/.build/static/release/stoa
[ -x "$program" ] || { echo 'run make binary first' >&2; exit 1; }
version=${1:-$("$program" version | sed -n '1s/^stoa //p')}
# The same commit makes the same package (reproducible-builds.org/docs/source-date-epoch).
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

work=.build/deb/stoa-$version
rm -rf "$work"
mkdir -p "$work/program"
cp -r Deploy/debian "$work/debian"
rm "$work/debian/build.sh" "$work/debian/check.sh" "$work/debian/inside.sh"
sed -e "s/@VERSION@/$version/" -e "s/@DATE@/$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")/" \
    Deploy/debian/changelog.in >"$work/debian/changelog"
rm "$work/debian/changelog.in"
sed 's|/usr/local/bin|/usr/bin|' Deploy/systemd/stoa.service >"$work/debian/stoa.service"
cp Deploy/systemd/stoa.socket "$work/debian/stoa.socket"
cp Deploy/systemd/sysusers.d/stoa.conf "$work/debian/stoa.sysusers"
cp Deploy/systemd/tmpfiles.d/stoa.conf "$work/debian/stoa.tmpfiles"
cp "$program" "$work/program/stoa"
cp -r README.md docs Deploy "$work"
{
    cat Deploy/debian/copyright.in
    # Without the text of the Apache License, which Debian's packages refer to.
    "$program" licenses | sed -e '/^The Swift packages and libraries/,$d' -e 's/^$/./' -e 's/^/ /'
} >"$work/debian/copyright"
rm "$work/debian/copyright.in"

Tools/manual.sh "$program" "$work"

(cd "$work" && dpkg-buildpackage --build=binary --no-sign --no-check-builddeps) >"$work.log" 2>&1 ||
    { tail -n 30 "$work.log" >&2; exit 1; }
ls "$PWD/.build/deb/stoa_${version}"_*.deb
