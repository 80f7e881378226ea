#!/bin/sh
# Installs the packages that Stoa needs: headers, PostgreSQL, what bundles the page, and, for the tests, a
# browser, PgBouncer, two reverse proxies, a TLS client, and an ARM emulator with a C library. Prints what it
# installs; does nothing if nothing is missing. With --no-tests, without the packages for tests.
set -eu

missing=''
want() { # PACKAGE, then a command that succeeds if it is installed
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}
header() { for folder in /usr/include /usr/include/* /usr/local/include; do
    [ -e "$folder/$1" ] && return 0
done; return 1; }
postgres_programs() {
    command -v initdb || ls /usr/lib/postgresql/*/bin/initdb /usr/pgsql-*/bin/initdb /usr/local/pgsql/bin/initdb 2>/dev/null | grep -q .
}
pgbouncer_program() { PATH="$PATH:/usr/sbin" command -v pgbouncer; }
nginx_program() { PATH="$PATH:/usr/sbin" command -v nginx; }
arm_emulator() { command -v qemu-aarch64 || command -v qemu-aarch64-static; }

want libpq-dev header libpq-fe.h
want libssl-dev header openssl/ssl.h
want zlib1g-dev header zlib.h
want postgresql postgres_programs
# These bundle the page.
want python3 command -v python3
want esbuild command -v esbuild
want brotli command -v brotli
# The page's libraries.
want node-markdown-it test -e /usr/share/nodejs/markdown-it/index.js
want node-punycode test -e /usr/share/nodejs/punycode/punycode.js
want node-prismjs test -e /usr/share/nodejs/prismjs/components/prism-core.js
want katex test -e /usr/share/nodejs/katex/package.json
if [ "${1:-}" != --no-tests ]; then
    want openssl command -v openssl
    want chromium command -v chromium
    want chromium-driver command -v chromedriver
    want pgbouncer pgbouncer_program
    want nginx-light nginx_program
    want caddy command -v caddy
    want qemu-user arm_emulator
    if [ "$(uname -m)" != aarch64 ]; then
        # clang compiles, with the libraries of this compiler.
        want gcc-aarch64-linux-gnu command -v aarch64-linux-gnu-gcc
        want libc6-dev-arm64-cross test -e /usr/aarch64-linux-gnu/lib/libc.a
    fi
fi

if ! command -v swift >/dev/null; then
    echo 'Stoa needs a Swift toolchain, 6.2 or later: https://www.swift.org/install' >&2
    exit 1
fi
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
    echo "Please install what these Debian packages hold:$missing" >&2
    exit 1
fi
sudo=''
[ "$(id -u)" -eq 0 ] || sudo=sudo
echo "installing:$missing"
# PostgreSQL's package would create a cluster; Stoa runs a private one.
if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
    $sudo mkdir -p /etc/postgresql-common
    echo 'create_main_cluster = false' | $sudo tee /etc/postgresql-common/createcluster.conf >/dev/null
fi
$sudo apt-get update -qq
# shellcheck disable=SC2086
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
# These packages start a server at once, and at each boot; the tests start their own.
for proxy in nginx caddy; do
    case $missing in
    *" $proxy"*) [ ! -d /run/systemd/system ] || $sudo systemctl disable --quiet --now "$proxy" ;;
    esac
done
