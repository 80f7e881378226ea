// Pending requests by number.

import ChatProtocol

/// The pending calls of one connection. A completion is called synchronously when its reply is read, so a
/// reply is applied before the events that follow it on the wire.
struct PendingCalls {
    typealias Completion = (Result<ReplyText, ChatClientError>) -> Void

    private var waiting: [Int64: Completion] = [:]
    private var lastNumber: Int64 = 0

    /// The number of pending calls.
    var count: Int { waiting.count }

    /// Assigns a number to a request whose reply `completion` gets.
    mutating func add(_ completion: @escaping Completion) -> Int64 {
        lastNumber += 1
        waiting[lastNumber] = completion
        return lastNumber
    }

    /// Removes the call with that number, if it is pending.
    mutating func remove(_ number: Int64) -> Completion? {
        waiting.removeValue(forKey: number)
    }

    /// Removes all calls, in the order in which they were made.
    mutating func removeAll() -> [Completion] {
        defer { waiting = [:] }
        return waiting.sorted { $0.key < $1.key }.map(\.value)
    }
}
