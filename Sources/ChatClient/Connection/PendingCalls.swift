// Requests that wait for their replies, by number.

import ChatProtocol

/// The calls of one connection. What waits is told synchronously when its reply is read, so that a
/// reply is applied before the events that follow it on the wire.
struct PendingCalls {
    typealias Completion = (Result<ReplyText, ChatClientError>) -> Void

    private var waiting: [Int64: Completion] = [:]
    private var lastNumber: Int64 = 0

    /// How many wait.
    var count: Int { waiting.count }

    /// Takes a number for a request whose reply `completion` waits for.
    mutating func add(_ completion: @escaping Completion) -> Int64 {
        lastNumber += 1
        waiting[lastNumber] = completion
        return lastNumber
    }

    /// Takes the call of that number out, where it still waits.
    mutating func remove(_ number: Int64) -> Completion? {
        waiting.removeValue(forKey: number)
    }

    /// Takes all calls out, in the order in which they were made.
    mutating func removeAll() -> [Completion] {
        defer { waiting = [:] }
        return waiting.sorted { $0.key < $1.key }.map(\.value)
    }
}
