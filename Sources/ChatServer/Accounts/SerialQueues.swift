// Work on the same thing, one after the other; work on different things goes on side by side.

import EventLoop

/// A serial queue for each key. Lives on one loop.
final class SerialQueues<Key: Hashable> {
    private let loop: EventLoop
    /// Who waits for each key that is being worked on, the first first.
    private var waiting: [Key: [LoopPromise<Void, Never>]] = [:]

    init(loop: EventLoop) { self.loop = loop }

    /// Runs `body` after all that was given for the same key before has ended.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws.
    func run<Value>(_ key: Key, _ body: () async throws -> Value) async throws -> Value {
        if waiting[key] == nil {
            waiting[key] = []
        } else {
            let turn = LoopPromise<Void, Never>(loop)
            waiting[key]?.append(turn)
            // A cancelled task waits, too: those before it end soon, and its own turn has to be passed on.
            await turn.value(cancelled: {})
        }
        defer { passOn(key) }
        return try await body()
    }

    private func passOn(_ key: Key) {
        guard let queue = waiting[key], let next = queue.first else {
            waiting[key] = nil
            return
        }
        waiting[key] = Array(queue.dropFirst())
        next.succeed(())
    }
}
