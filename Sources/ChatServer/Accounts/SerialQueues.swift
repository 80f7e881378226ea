// Serializes work with the same key; work with different keys runs concurrently.

import EventLoop

/// A serial queue for each key. Lives on one loop.
final class SerialQueues<Key: Hashable> {
    private let loop: EventLoop
    /// The queue of each key that is in use, in order.
    private var waiting: [Key: [LoopPromise<Void, Never>]] = [:]

    init(loop: EventLoop) { self.loop = loop }

    /// Runs `body` after all earlier work of the same key has ended.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws.
    func run<Value>(_ key: Key, _ body: () async throws -> Value) async throws -> Value {
        if waiting[key] == nil {
            waiting[key] = []
        } else {
            let turn = LoopPromise<Void, Never>(loop)
            waiting[key]?.append(turn)
            // A cancelled task waits, too: those before it end soon, and it must pass its turn on.
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
