#!/bin/sh
# The part of check.sh that runs in the fresh Debian 12, in a network and processes of its own.
set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
mount -t proc proc /proc
say() { echo "$(date +%T) $1"; }
fail() { echo "in the fresh system: $1" >&2; tail -n 5 /tmp/serve.log 2>/dev/null >&2; exit 1; }

# As the unit starts it: the user, no new privileges, its data folder.
as_stoa='setpriv --reuid stoa --regid stoa --init-groups --no-new-privs --reset-env'
start() {
    $as_stoa /usr/bin/stoa serve --data-dir /var/lib/stoa >/tmp/serve.log 2>&1 &
    server=$!
    waited=0
    until grep -q '^ready ' /tmp/serve.log; do
        kill -0 $server 2>/dev/null || fail 'the server ended'
        waited=$((waited + 1))
        [ $waited -lt 1200 ] || fail 'the server is not ready'
        sleep 0.1
    done
    say "ready after $((waited / 10)) s"
}
stop() { kill $server && wait $server || fail 'the end'; }

[ "$(stat -c %U:%a /var/lib/stoa)" = stoa:700 ] || fail 'the data folder'
[ -e /etc/systemd/system/sockets.target.wants/stoa.socket ] || fail 'the socket is not enabled'
[ -e /etc/systemd/system/multi-user.target.wants/stoa.service ] || fail 'the service is not enabled'
stoa help serve >/dev/null
start
echo 'a good long password' | $as_stoa stoa user add ann --password-stdin --data-dir /var/lib/stoa >/dev/null
question='What is 2 + 3?'
answer=$(printf 'a good long password\n%s\n' "$question" |
    HOME=/root stoa chat --server http://127.0.0.1:8080 --user ann --password-stdin)
[ -n "$answer" ] || fail 'no answer'
say "first chat: $question $answer"
stop

dpkg -i /tmp/newer.deb >/tmp/upgrade.log 2>&1 || fail "upgrade: $(tail -n 5 /tmp/upgrade.log)"
start
count() { $as_stoa stoa export --database --all --format markdown --data-dir /var/lib/stoa | grep -c "$question" || true; }
[ "$(count)" -ge 1 ] || fail 'the conversation is gone after the upgrade'
stop
say 'upgraded: the conversation is there'

dpkg -r stoa >/tmp/remove.log 2>&1 || fail "remove: $(cat /tmp/remove.log)"
[ ! -e /usr/bin/stoa ] && [ -d /etc/stoa ] && [ -d /var/lib/stoa/postgres ] || fail 'removed too much, or too little'
dpkg -P stoa >/tmp/purge.log 2>&1 || fail "purge: $(cat /tmp/purge.log)"
[ ! -e /etc/stoa ] && [ -d /var/lib/stoa/postgres ] || fail 'purged too much, or too little'
left=$(find / -xdev -name '*stoa*' -not -path '/proc/*' -not -path '/tmp/*' -not -path '/var/lib/stoa*' \
    -not -path '/root/*' | head -n 5)
[ -z "$left" ] || fail "left after purge: $left"
dpkg -i /tmp/newer.deb >/tmp/again.log 2>&1 || fail "install again: $(cat /tmp/again.log)"
start
[ "$(count)" -ge 1 ] || fail 'the conversation is gone after a purge'
stop
say 'removed, purged and installed again: the conversation is there'
