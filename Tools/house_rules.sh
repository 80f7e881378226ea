#!/bin/sh
# Rules that the formatter does not know: file length, words that have no place, and what may not be
# imported where. Prints each breach and fails.
set -u
cd "$(dirname "$0")/.."
status=0
breach() { echo "$1" >&2; status=1; }

for file in $(git ls-files 'Sources/*.swift' 'Sources/*.c' 'Sources/*.h' 'Tests/*.swift' 'Examples/*.swift' 'Web/*.js' 'Web/*.css'); do
    [ -e "$file" ] || continue
    lines=$(wc -l <"$file")
    case $file in
    # Tables that a script writes.
    Sources/Tokenizers/*Generated*.swift | Sources/Tokenizers/Unicode/*) ;;
    *) [ "$lines" -le 400 ] || breach "$file: $lines lines; 400 is the most" ;;
    esac
done

forbid() { # PATTERN, WHY, PATHS...
    pattern=$1 why=$2
    shift 2
    found=$(git grep -nE "$pattern" -- "$@") && breach "$why:
$found"
}
forbid 'try!|fatalError\(|as! ' 'no crash on anything that input can reach' 'Sources/*.swift'
forbid '^ *(public |package |internal )?import Foundation$' 'FoundationEssentials only' '*.swift' \
    ':!Sources/PhiEngine' ':!Tests/PhiEngineTests' ':!Examples'
forbid '@testable' 'tests use public and package declarations' 'Tests/*.swift'
forbid 'import (EventLoop|Networking|Postgres)$' 'protocol cores touch no socket, clock or thread' \
    'Sources/HTTPProtocol' 'Sources/WebSocketProtocol' 'Sources/TLSEngine' 'Sources/ChatProtocol' 'Sources/ChatCore'
forbid 'import Glibc$' 'protocol cores need no system call' \
    'Sources/HTTPProtocol' 'Sources/WebSocketProtocol' 'Sources/ChatProtocol' 'Sources/ChatCore'
forbid '(^|[^.A-Za-z])Task \{|Task\.sleep|Task\.detached' 'tasks start by loop.spawn, and wait by loop.sleep' \
    'Sources/Networking' 'Sources/Gateway' 'Sources/Postgres' 'Sources/ChatStore' 'Sources/ChatServer'
forbid 'TODO|FIXME' 'an open point belongs in an issue' 'Sources' 'Tests' 'Web'
exit $status
