#!/bin/sh
# Rules that the formatter does not check: file length, forbidden words, forbidden imports, and code that
# may leave a loop's thread. Prints each violation and fails.
set -u
cd "$(dirname "$0")/.."
status=0
violation() { echo "$1" >&2; status=1; }

for file in $(git ls-files 'Sources/*.swift' 'Sources/*.c' 'Sources/*.h' 'Tests/*.swift' 'Examples/*.swift' 'Web/*.js' 'Web/*.css'); do
    [ -e "$file" ] || continue
    lines=$(wc -l <"$file")
    case $file in
    # Lists of texts.
    Web/languages/*) ;;
    # Generated tables.
    Sources/Tokenizers/*Generated*.swift | Sources/Tokenizers/Unicode/*) ;;
    # A catalogue has all texts of a language.
    Web/languages/*.js) ;;
    *) [ "$lines" -le 400 ] || violation "$file: $lines lines; 400 is the most" ;;
    esac
done

forbid() { # PATTERN, WHY, PATHS...
    pattern=$1 why=$2
    shift 2
    found=$(git grep -nE "$pattern" -- "$@") && violation "$why:
$found"
}
forbid 'try!|fatalError\(|as! ' 'no crash on anything that input can reach' 'Sources/*.swift'
forbid '^ *(public |package |internal )?import Foundation$' 'FoundationEssentials only' '*.swift' \
    ':!Sources/PhiEngine' ':!Sources/MLXHuggingFace' ':!Sources/MLXHuggingFaceMacros' ':!Tests/PhiEngineTests' ':!Examples'
forbid '^extension EndToEnd \{' 'end-to-end tests block: extend one of the four suites, which have threads of their own' \
    'Tests/EndToEnd/*.swift' ':!Tests/EndToEnd/OneServer/OneServer.swift'
forbid '@testable' 'tests use public and package declarations' 'Tests/*.swift'
forbid 'import (EventLoop|Networking|Postgres)$' 'protocol cores touch no socket, clock or thread' \
    'Sources/HTTPProtocol' 'Sources/WebSocketProtocol' 'Sources/TLSEngine' 'Sources/ChatProtocol' 'Sources/ChatCore' 'Sources/EngineProtocol'
forbid 'import Glibc$' 'protocol cores need no system call' \
    'Sources/HTTPProtocol' 'Sources/WebSocketProtocol' 'Sources/ChatProtocol' 'Sources/ChatCore' 'Sources/EngineProtocol'
forbid '[A-Za-z0-9?)]\.(decode|id|optionalID|timestamp|optionalTimestamp|json|word|optionalWord|milliseconds)\(([0-9]|[a-zA-Z.]+ \+ )' \
    'columns are read by name, not by position: row.decode("title")' 'Sources/ChatStore' 'Sources/Postgres'
forbid 'func (decode|id|optionalID|timestamp|json|word)(<.*>)?\(_ column: Int' 'rows have no columns by position' 'Sources/Postgres' 'Sources/ChatStore'

# Code on an event loop stays on its thread: docs/decisions/0003-event-loop-is-not-an-actor.md says what
# would hop to another, and why. Each message says what to write instead; the comment above a rule
# justifies its exceptions.
stays() { # PATTERN, WHAT TO WRITE, EXCEPTIONS...
    pattern=$1 why=$2
    shift 2
    forbid "$pattern" "$why" Sources/EventLoop Sources/Networking Sources/Gateway Sources/Postgres Sources/RemoteEngine \
        Sources/ChatStore Sources/ChatServer Sources/ChatClient Sources/ModelHub Sources/stoa \
        Benchmarks/Echo Benchmarks/Chaos "$@"
}
grep -q 'enableUpcomingFeature("NonisolatedNonsendingByDefault")' Package.swift ||
    violation 'Package.swift: without NonisolatedNonsendingByDefault async functions leave the loop'
# EventLoop+Tasks.swift implements loop.spawn. Stoa.swift starts the program, outside any loop.
stays '(^|[^A-Za-z_])Task(\.(init|detached|immediate|immediateDetached))?(<([^<>]|<[^<>]*>)*>)? *[({]' \
    'a bare task awaits through the global pool: write loop.spawn { }' \
    ':!Sources/EventLoop/EventLoop+Tasks.swift' ':!Sources/stoa/Stoa.swift'
stays 'Task\.sleep|[Cc]lock(\(\))?\.sleep' \
    'another thread ends this wait: write loop.sleep(for:) or loop.schedule(after:)'
# Exception: the same file.
stays '@concurrent|[eE]xecutorPreference|globalConcurrentExecutor|isolated (any )?[A-Z]|#isolation' \
    'a function that waits runs where its caller does: write a plain async one' \
    ':!Sources/EventLoop/EventLoop+Tasks.swift'
stays '(^|[ (])actor [A-Z]|@MainActor|MainActor\.|@globalActor|SerialExecutor' \
    'an actor has an executor of its own: write a class that is not Sendable and lives on the loop'
# EventLoop implements LoopPromise and WorkerPool with it. In the others a caller outside the loop
# waits.
stays 'with(Checked|Unsafe)(Throwing)?Continuation' \
    'any thread may resume this: write a LoopPromise, or workers.run { } for what blocks' \
    ':!Sources/EventLoop' ':!Sources/ChatClient/Handle/ClientThread.swift' \
    ':!Sources/ModelHub/Pull/ModelPull+Fetching.swift' ':!Benchmarks/Echo/EchoThread.swift'
# The handle is used outside the loop.
stays 'Async(Throwing)?Stream *[<(.]|AsyncSequence' \
    'any thread may resume the reader, and nothing bounds it: write loop.mailbox(capacity:), or a handler' \
    ':!Sources/ChatClient/Handle/ChatClientHandle.swift'
# Stoa.swift parks the main thread. EventLoop starts threads. RemoteEngine's shutdown waits for its loop,
# on a thread that is not one.
stays 'import Dispatch|Dispatch(Queue|Semaphore|Group|Source)|OperationQueue|pthread_create|(^|[^A-Za-z])Thread[ (.]' \
    'a thread of its own speaks to the loop by a mailbox: write workers.run { }, or detachThread' \
    ':!Sources/EventLoop' ':!Sources/stoa/Stoa.swift' ':!Sources/RemoteEngine'

# Direction overrides in other users' text could change their surroundings: element.js prevents
# that.
forbid '\.(textContent|innerText|innerHTML|outerHTML) = ($|[^"])|setAttribute\("(aria-label|title)", [^"]' \
    'a text of somebody else is shown raw: write setText, setAttribute or element of element.js' \
    'Web/js' ':!Web/js/element.js'
# Foundation's error texts show domains and codes.
forbid 'try +(FileManager|Data\(contentsOf|String\(contentsOf)|try [^?].*\.write\(to: URL' \
    'a user would read the error text of Foundation: write FileSystem, or try? and an error of ours' \
    'Sources'

forbid 'TODO|FIXME' 'an open point belongs in an issue' 'Sources' 'Tests' 'Web'
exit $status
