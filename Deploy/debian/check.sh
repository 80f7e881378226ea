#!/bin/sh
# Installs, starts, upgrades, removes and purges the Debian package in a fresh Debian 12 made by debootstrap, and
# chats with the installed server. Builds the packages with build.sh. Needs root, debootstrap and lintian, and
# fetches some 100 MB of packages from the mirror of this machine.
#   Deploy/debian/check.sh [--keep] [--from PACKAGE]
#       --keep leaves the root folder for looking around
#       --from begins with an older package, which is then upgraded to this code's; else both are of this code
set -eu
usage() { sed -n 's/^#   Deploy/usage: Deploy/p' "$0" >&2; exit 64; }
keep='' older=''
while [ $# -gt 0 ]; do
    case $1 in
    --keep) keep=yes ;;
    --from)
        [ -f "${2:-}" ] || usage
        older=$(realpath "$2")
        shift
        ;;
    *) usage ;;
    esac
    shift
done
cd "$(dirname "$0")/../.."
[ "$(id -u)" -eq 0 ] || { echo 'debootstrap needs root' >&2; exit 1; }
for command in lintian debootstrap unshare ip; do
    command -v "$command" >/dev/null || { echo "this check needs: apt-get install $command" >&2; exit 1; }
done
root=$PWD/.build/deb/root
say() { echo "$(date +%T) $1"; }
fail() { echo "Deploy/debian: $1" >&2; exit 1; }
seconds() { date +%s; }

version=$(.build/static/release/stoa version | sed -n '1s/^stoa //p')
package=$(Deploy/debian/build.sh "$version")
newer=$(Deploy/debian/build.sh "$version+1")
say "built $(basename "$package"), $(($(stat -c %s "$package") / 1000000)) MB"

lintian --allow-root --fail-on error,warning "$package" || fail 'lintian'
say 'lintian: no error and no warning'

# A fresh system. Nothing in it can start services, as systemd does not run there.
rm -rf "$root"
mirror=$(sed -nE 's/^URIs: *(.*debian)\/?$/\1/p; s/^deb [^h]*(http[^ ]*debian)\/? .*/\1/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)
debootstrap --variant=minbase bookworm "$root" "$mirror" >.build/deb/debootstrap.log 2>&1 ||
    fail "debootstrap: $(tail -n 3 .build/deb/debootstrap.log)"
rm -f "$root/etc/apt/sources.list"
cp -r /etc/apt/sources.list* /etc/apt/apt.conf.d "$root/etc/apt/"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"
cp "${older:-$package}" "$root/tmp/stoa.deb"
cp "$newer" "$root/tmp/newer.deb"
cp Deploy/debian/inside.sh "$root/tmp/inside.sh"
mount -t proc proc "$root/proc"
trap 'umount "$root/proc"; [ -n "$keep" ] || rm -rf "$root"' EXIT
say 'a fresh Debian 12'

inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
begin=$(seconds)
inside sh -c 'apt-get update -qq && apt-get install -qq -y /tmp/stoa.deb' >.build/deb/install.log 2>&1 ||
    fail "apt: $(tail -n 5 .build/deb/install.log)"
say "apt install: $(($(seconds) - begin)) s"
# Its own network, so that the port is free; its own processes, so that all of them end.
unshare --net --pid --fork --mount sh -c 'ip link set lo up && exec chroot "$1" sh /tmp/inside.sh' sh "$root" ||
    fail 'inside'
