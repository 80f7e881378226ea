#!/bin/sh
# Installs the packages that Stoa needs: headers, PostgreSQL, what bundles the page, and, for the tests, a
# browser, two shells, PgBouncer, three reverse proxies, a TLS client, what sets clocks and slows disks, and an ARM
# emulator with a C library. Prints what it installs; does nothing if nothing is missing. With --no-tests, without the packages for tests.
set -eu
cd "$(dirname "$0")/.."

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
haproxy_program() { PATH="$PATH:/usr/sbin" command -v haproxy; }
nginx_program() { PATH="$PATH:/usr/sbin" command -v nginx; }
font() { fc-list "$1" | grep -q .; }
fake_clock() { ls /usr/lib/*/faketime/libfaketime.so.1 2>/dev/null | grep -q .; }
arm_emulator() { command -v qemu-aarch64 || command -v qemu-aarch64-static; }

# axe-core (MPL-2.0), which the tests of accessibility run in the page: from a package of PyPI that
# contains it, of this version and content alone. Without it those tests are skipped.
axe=.build/tools/axe.min.js
fetch_axe() {
    [ -e "$axe" ] && return
    echo 'fetching axe-core'
    folder=$(mktemp -d)
    echo 'axe-playwright-python==0.1.8 --hash=sha256:fdd263c998388f1a8e67cad02677e612d946248bd44d163be5e8650ea31f95f8' \
        >"$folder/wanted"
    if python3 -m pip download -q --disable-pip-version-check --no-deps --require-hashes \
        -r "$folder/wanted" -d "$folder"; then
        mkdir -p "${axe%/*}"
        python3 -m zipfile -e "$folder"/*.whl "$folder/package"
        mv "$folder/package/axe_playwright_python/axe.min.js" "$axe"
    else
        echo 'axe-core could not be fetched: the tests of accessibility will be skipped' >&2
    fi
    rm -rf "$folder"
}

want libpq-dev header libpq-fe.h
want libssl-dev header openssl/ssl.h
want zlib1g-dev header zlib.h
# Markdown in the terminal.
want libcmark-gfm-dev header cmark-gfm.h
want libcmark-gfm-extensions-dev header cmark-gfm-core-extensions.h
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
    want python3-pip python3 -m pip --version
    want chromium command -v chromium
    want chromium-driver command -v chromedriver
    # The pictures of the page are taken in these fonts.
    want fontconfig command -v fc-list
    want fonts-inter font Inter
    want fonts-dejavu-core font 'DejaVu Sans Mono'
    want pgbouncer pgbouncer_program
    want nginx-light nginx_program
    want caddy command -v caddy
    want haproxy haproxy_program
    # The checks of the files in Deploy.
    want python3-yaml /usr/bin/python3 -c 'import yaml'
    want tmux command -v tmux
    # Their completion, beside bash's.
    want zsh command -v zsh
    want fish command -v fish
    # Clocks that jump and disks that are slow.
    want libfaketime fake_clock
    want strace command -v strace
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
tools() { [ "${1:-}" = --no-tests ] || fetch_axe; }
if [ -z "$missing" ]; then
    tools "$@"
    exit 0
fi

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
for proxy in nginx caddy haproxy; do
    case $missing in
    *" $proxy"*) [ ! -d /run/systemd/system ] || $sudo systemctl disable --quiet --now "$proxy" ;;
    esac
done
tools "$@"
