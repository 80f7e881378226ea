#!/bin/sh
# Checks the files in this folder: the units with systemd-analyze, whose exposure must stay low; users and
# folders with systemd-sysusers and systemd-tmpfiles; HAProxy's and Caddy's syntax; Prometheus' alerts; the container file.
# Names skipped checks and failures. checks/proxies.py runs the proxies.
set -u
cd "$(dirname "$0")"
# Maximum exposure of the service in `systemd-analyze security`, in tenths from 0 (least) to 100.
exposure_max=12
status=0
failure() { echo "Deploy: $1" >&2; status=1; }
has() { PATH="$PATH:/usr/sbin" command -v "$1" >/dev/null || { echo "Deploy: skipped (no $1): $2"; false; }; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The units, with only the path of the program replaced by one that exists.
if has systemd-analyze 'the units'; then
    mkdir "$work/units"
    sed 's|^ExecStart=[^ ]*|ExecStart=/bin/true|' systemd/stoa.service >"$work/units/stoa.service"
    cp systemd/stoa.socket "$work/units"
    systemd-analyze verify --man=no "$work/units/stoa.service" "$work/units/stoa.socket" >"$work/verify" 2>&1 &&
        [ ! -s "$work/verify" ] || failure "systemd-analyze verify: $(cat "$work/verify")"
    # Older versions cannot analyze a file.
    if systemd-analyze security --help | grep -q -- --offline; then
        systemd-analyze security --offline=yes --threshold=$exposure_max systemd/stoa.service >"$work/security" 2>&1 ||
            failure "the service is exposed by more than $exposure_max tenths:
$(grep -v '^✓' "$work/security")"
    else
        echo 'Deploy: skipped (systemd-analyze security lacks --offline): the exposure of the service'
    fi
fi

# The user and the folders, in a temporary root folder. Only root may change owners.
if has systemd-sysusers 'the user' && has systemd-tmpfiles 'the folders'; then
    mkdir -p "$work/root/etc" "$work/root/var/lib"
    systemd-sysusers --root="$work/root" "$PWD/systemd/sysusers.d/stoa.conf" >"$work/sysusers" 2>&1 &&
        grep -q '^stoa:.*:/var/lib/stoa:' "$work/root/etc/passwd" || failure "systemd-sysusers: $(cat "$work/sysusers")"
    if [ "$(id -u)" -eq 0 ]; then
        systemd-tmpfiles --root="$work/root" --create "$PWD/systemd/tmpfiles.d/stoa.conf" >"$work/tmpfiles" 2>&1 &&
            [ "$(stat -c %a "$work/root/var/lib/stoa")" = 700 ] && [ "$(stat -c %a "$work/root/etc/stoa")" = 750 ] ||
            failure "systemd-tmpfiles: $(cat "$work/tmpfiles")"
    else
        echo 'Deploy: skipped, as not root: the folders'
    fi
fi

# The alerts, with examples of when they fire. prometheus/check.py tries them on a running server.
if has promtool 'the alerts'; then
    (cd prometheus && promtool check rules stoa.rules.yml && promtool test rules stoa.rules.test.yml) >"$work/alerts" 2>&1 ||
        failure "prometheus/stoa.rules.yml: $(cat "$work/alerts")"
fi

# The proxies' files. HAProxy also reads the certificate.
if has haproxy 'the files of HAProxy' && has openssl 'the files of HAProxy'; then
    openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -keyout "$work/key" -out "$work/chain" 2>/dev/null
    cat "$work/chain" "$work/key" >"$work/both.pem"
    for file in haproxy/*.cfg; do
        sed "s|/etc/haproxy/certs/[^ ]*|$work/both.pem|" "$file" >"$work/haproxy.cfg"
        PATH="$PATH:/usr/sbin" haproxy -c -f "$work/haproxy.cfg" >"$work/haproxy" 2>&1 || failure "$file: $(cat "$work/haproxy")"
    done
fi
if has caddy "Caddy's file"; then
    XDG_DATA_HOME=$work XDG_CONFIG_HOME=$work caddy validate --adapter caddyfile --config caddy/Caddyfile >"$work/caddy" 2>&1 ||
        failure "caddy/Caddyfile: $(cat "$work/caddy")"
fi

# The container file: known instructions, copied files that exist, a final user other than root, a health
# check.
container=container/Containerfile
sed -e 's/#.*//' -e ':join' -e '/\\$/{N;s/\\\n//;b join' -e '}' "$container" | sed '/^[[:space:]]*$/d' >"$work/instructions"
known='FROM|RUN|COPY|WORKDIR|USER|ENV|ARG|VOLUME|EXPOSE|STOPSIGNAL|HEALTHCHECK|ENTRYPOINT|CMD|LABEL'
grep -vE "^($known) " "$work/instructions" | grep -vE '^[[:space:]]' >"$work/unknown" &&
    failure "$container: unknown instruction: $(cat "$work/unknown")"
for path in $(sed -nE 's/^COPY ([^-][^ ]*) .*/\1/p' "$work/instructions"); do
    [ -e "../$path" ] || failure "$container: COPY of a file that does not exist: $path"
done
for stage in $(sed -nE 's/^COPY --from=([^ ]+) .*/\1/p' "$work/instructions"); do
    grep -qE "^FROM [^ ]+ AS $stage\$" "$work/instructions" || failure "$container: no stage named $stage"
done
case $(sed -nE '/^FROM /h;s/^USER //p' "$work/instructions" | tail -n 1) in
'' | 0 | root) failure "$container: the last stage runs as root" ;;
esac
grep -q '^HEALTHCHECK ' "$work/instructions" || failure "$container: no health check"

# The container file must install the packages of all libraries that the binary links.
program=${STOA_STATIC_PROGRAM:-../.build/static/release/stoa}
if [ ! -x "$program" ]; then
    echo 'Deploy: skipped (run make binary first): the libraries of the container'
elif has readelf 'the libraries of the container' && has dpkg-query 'the libraries of the container'; then
    for name in $(readelf --dynamic "$program" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p'); do
        path=$(ldd "$program" | awk -v name="$name" '$1 == name || $1 ~ "/" name "$" { print $1 ~ "^/" ? $1 : $3 }')
        # Packages name files below /usr, or above it where it is merged.
        package=$(dpkg-query --search "$path" "/usr$path" "${path#/usr}" 2>/dev/null | sed -nE '1s/:.*//p')
        case $package in
        libc6 | libgcc-s1) ;; # In every image of Debian.
        '') failure "$name is no package's" ;;
        *) grep -q " $package " "$work/instructions" || failure "$container: lacks the package of $name: $package" ;;
        esac
    done
fi
exit $status
