#!/bin/sh
# Starts the server and its private PostgreSQL under the system-call filter of stoa.service, and uses it: users,
# a question with its answer, an export, a reload, the doctor, a clean end. Needs
# root and python3-seccomp.
#   Deploy/systemd/check_sandbox.sh [PROGRAM]    PROGRAM is .build/release/stoa unless given
set -eu
cd "$(dirname "$0")/../.."
program=${1:-$PWD/.build/release/stoa}
[ "$(id -u)" -eq 0 ] || { echo 'the user of the unit can only be taken as root' >&2; exit 1; }
folder=$(mktemp -d /var/tmp/stoa-sandbox-XXXXXX)
user=stoa-sandbox
useradd --system --no-create-home "$user"
server=
end() {
    if [ -n "$server" ]; then kill "$server" || true; wait "$server" || true; fi
    pkill -u "$user" || true
    userdel "$user"
    rm -rf "$folder" "$folder.log"
}
trap end EXIT
chown "$user" "$folder"
fail() { echo "under the sandbox: $1" >&2; tail -n 5 "$folder.log" >&2; exit 1; }
sandboxed() { Deploy/systemd/sandboxed.py "$user" "$program" "$@"; }

Deploy/systemd/sandboxed.py "$user" "$program" serve --data-dir "$folder" --unix-socket "$folder/socket" \
    --host 127.0.0.1 --port 0 >"$folder.log" 2>&1 &
server=$!
waited=0
until grep -q '^ready ' "$folder.log"; do
    kill -0 "$server" 2>/dev/null || fail 'the server ended'
    waited=$((waited + 1))
    [ "$waited" -lt 600 ] || fail 'the server is not ready'
    sleep 0.1
done
url=$(sed -n 's/^ready //p' "$folder.log")
echo 'a good long password' | sandboxed user add ann --admin --password-stdin --data-dir "$folder" >/dev/null
answer=$(printf 'a good long password\nWhat is 2 + 3?\n' |
    XDG_STATE_HOME=$folder/state HOME=$folder sandboxed chat --server "$url" --user ann --password-stdin)
[ -n "$answer" ] || fail 'no answer'
kill -HUP "$server"
sandboxed export --database --all --data-dir "$folder" >"$folder/export" || fail 'the export'
grep -q 'What is 2 + 3?' "$folder/export" || fail 'the export is not complete'
sandboxed doctor --data-dir "$folder" >"$folder/doctor" || fail "the doctor: $(cat "$folder/doctor")"
kill "$server"
wait "$server" || fail "the server's end"
server=
echo 'sandbox: start, sign-in, answer, reload, export, doctor and end'
