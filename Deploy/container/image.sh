#!/bin/sh
# Builds a container image from the binary of `make binary`, with buildah and without a network: the program, the
# libraries that it needs, certificates, a user, and nothing else. There is no shell and no PostgreSQL in it.
# The image is .build/image/stoa.tar, for `docker load` and `podman load`.
#   Deploy/container/image.sh
set -eu
cd "$(dirname "$0")/../.."
command -v buildah >/dev/null || { echo 'an image needs: apt-get install buildah' >&2; exit 1; }
program=.build/static/release/stoa
[ -x "$program" ] || { echo 'run make binary first' >&2; exit 1; }
version=$("$program" version | sed -n '1s/^stoa //p')

# Docker's format, since OCI's has no health check.
export BUILDAH_FORMAT=docker
container=$(buildah from scratch)
trap 'buildah rm "$container" >/dev/null' EXIT
root=$(buildah mount "$container")
mkdir -p "$root/usr/bin" "$root/usr/share/doc/stoa" "$root/etc/ssl/certs" "$root/tmp" "$root/proc" "$root/var/lib/stoa"
cp "$program" "$root/usr/bin/stoa"
strip "$root/usr/bin/stoa"
# The libraries, with the loader, at the paths by which the program finds them. Most of them are
# libpq's.
ldd "$program" | grep -o '/[^ ]*' | sort -u | while read -r library; do
    install -D -m 755 "$library" "$root$library"
done
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
"$program" licenses >"$root/usr/share/doc/stoa/copyright"
echo 'stoa:x:10001:10001:Stoa:/var/lib/stoa:/' >"$root/etc/passwd"
echo 'stoa:x:10001:' >"$root/etc/group"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
chmod 1777 "$root/tmp"
chown 10001:10001 "$root/var/lib/stoa"
chmod 700 "$root/var/lib/stoa"
buildah umount "$container" >/dev/null

buildah config --user 10001:10001 --workingdir /var/lib/stoa --volume /var/lib/stoa --port 8080 \
    --env STOA_HOST=0.0.0.0 --env STOA_DATA_DIR=/var/lib/stoa --env PATH=/usr/bin \
    --entrypoint '["/usr/bin/stoa"]' --cmd serve --stop-signal SIGTERM \
    --healthcheck 'CMD /usr/bin/stoa ready' --healthcheck-interval 10s --healthcheck-timeout 6s \
    --healthcheck-start-period 120s \
    --label org.opencontainers.image.title=Stoa --label org.opencontainers.image.version="$version" \
    --label org.opencontainers.image.licenses=Apache-2.0 "$container"
mkdir -p .build/image
rm -f .build/image/stoa.tar
buildah commit --quiet "$container" "docker-archive:$PWD/.build/image/stoa.tar:stoa:$version" >/dev/null
ls "$PWD/.build/image/stoa.tar"
