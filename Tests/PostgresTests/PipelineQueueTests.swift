import Postgres
import Testing

/// Traces of received events.
@Suite("Pipeline queue")
struct PipelineQueueTests {
    typealias Queue = PipelineQueue<String, Int>
    static let failure = PostgresError.server(
        PostgresServerError(sqlState: .uniqueViolation, message: "no")
    )
    static let other = PostgresError.server(
        PostgresServerError(sqlState: .checkViolation, message: "no")
    )

    /// Feeds `events` and returns all actions but `none`, as text.
    func trace(_ queue: inout Queue, _ events: [Queue.Event]) -> [String] {
        events.compactMap { event in
            switch queue.receive(event) {
            case .none: nil
            case .prepared(let request): "prepared \(request)"
            case .finished(let request, .success(let rows)): "\(request) = \(rows)"
            case .finished(let request, .failure(let error)):
                "\(request) failed \(error.sqlState?.rawValue ?? "")"
            case .unexpected: "out of turn"
            }
        }
    }

    @Test("a request is finished at its synchronization, not at its rows")
    func finishedAtSynchronization() {
        var queue = Queue()
        queue.append("a", preparing: false)
        #expect(trace(&queue, [.rows(1), .endOfStatement]) == [])
        #expect(trace(&queue, [.synchronized]) == ["a = 1"])
        #expect(queue.isEmpty)
    }

    @Test("requests finish in the order in which they were sent")
    func order() {
        var queue = Queue()
        for name in ["a", "b", "c"] { queue.append(name, preparing: false) }
        let events = [1, 2, 3].flatMap { rows -> [Queue.Event] in
            [.rows(rows), .endOfStatement, .synchronized]
        }
        #expect(trace(&queue, events) == ["a = 1", "b = 2", "c = 3"])
    }

    @Test("a preparation is distinguished from the rows")
    func preparation() {
        var queue = Queue()
        queue.append("a", preparing: true)
        let events: [Queue.Event] = [
            .rows(0), .endOfStatement, .rows(7), .endOfStatement, .synchronized,
        ]
        #expect(trace(&queue, events) == ["prepared a", "a = 7"])
    }

    @Test("a failed preparation fails only its request")
    func failedPreparation() {
        var queue = Queue()
        queue.append("a", preparing: true)
        queue.append("b", preparing: false)
        let events: [Queue.Event] = [
            .failed(Self.failure), .endOfStatement, .skipped, .endOfStatement, .synchronized,
            .rows(2), .endOfStatement, .synchronized,
        ]
        #expect(trace(&queue, events) == ["a failed 23505", "b = 2"])
    }

    @Test("an error of the commit follows the rows, with and without its own end")
    func failedCommit() {
        for events: [Queue.Event] in [
            [.rows(1), .endOfStatement, .failed(Self.failure), .synchronized],
            [.rows(1), .endOfStatement, .failed(Self.failure), .endOfStatement, .synchronized],
        ] {
            var queue = Queue()
            queue.append("a", preparing: false)
            #expect(trace(&queue, events) == ["a failed 23505"])
        }
    }

    @Test("the first of several errors is the cause")
    func firstError() {
        var queue = Queue()
        queue.append("a", preparing: false)
        let events: [Queue.Event] = [
            .failed(Self.failure), .endOfStatement, .failed(Self.other), .synchronized,
        ]
        #expect(trace(&queue, events) == ["a failed 23505"])
    }

    @Test(
        "unexpected events are detected",
        arguments: [
            [Queue.Event.synchronized], [.skipped], [.endOfStatement, .endOfStatement],
            [.endOfStatement, .rows(1)], [.endOfStatement, .synchronized],
        ]
    )
    func unexpected(events: [Queue.Event]) {
        var queue = Queue()
        queue.append("a", preparing: false)
        #expect(trace(&queue, events) == ["out of turn"])
    }

    @Test("events without a request are detected")
    func nothingPending() {
        var queue = Queue()
        #expect(trace(&queue, [.rows(1)]) == ["out of turn"])
    }

    @Test("a lost connection returns the pending requests")
    func removeAll() {
        var queue = Queue()
        for name in ["a", "b", "c"] { queue.append(name, preparing: false) }
        _ = trace(&queue, [.rows(1), .endOfStatement, .synchronized, .rows(2)])
        #expect(queue.removeAll() == ["b", "c"])
        #expect(queue.isEmpty)
    }

    @Test("a queue that never empties does not grow without bound")
    func steadyState() {
        var queue = Queue()
        queue.append("0", preparing: false)
        for number in 1...10_000 {
            queue.append("\(number)", preparing: false)
            _ = trace(&queue, [.rows(1), .endOfStatement, .synchronized])
            #expect(queue.count == 1)
        }
        #expect(queue.removeAll() == ["10000"])
    }

    @Test("a request that shares the next one's synchronization is finished at its own end")
    func shared() {
        var queue = Queue()
        queue.append("begin", preparing: true, synchronizing: false)
        queue.append("a", preparing: true)
        let events: [Queue.Event] = [
            .rows(0), .endOfStatement, .rows(1), .endOfStatement,
            .rows(0), .endOfStatement, .rows(7), .endOfStatement, .synchronized,
        ]
        #expect(trace(&queue, events) == ["prepared begin", "begin = 1", "prepared a", "a = 7"])
        #expect(queue.isEmpty)
    }

    @Test("if it fails, the next request is skipped, and the one after that is not")
    func sharedFailure() {
        var queue = Queue()
        queue.append("begin", preparing: false, synchronizing: false)
        queue.append("a", preparing: true)
        queue.append("b", preparing: false)
        let events: [Queue.Event] = [
            .failed(Self.failure), .endOfStatement,
            .skipped, .endOfStatement, .skipped, .endOfStatement, .synchronized,
            .rows(2), .endOfStatement, .synchronized,
        ]
        #expect(trace(&queue, events) == ["begin failed 23505", "a failed 23505", "b = 2"])
    }

    @Test("an unexpected synchronization is detected")
    func earlySynchronization() {
        var queue = Queue()
        queue.append("begin", preparing: false, synchronizing: false)
        queue.append("a", preparing: false)
        #expect(trace(&queue, [.synchronized]) == ["out of turn"])
    }

    @Test("requests can be synchronized later, and answered before that")
    func lateSynchronization() {
        var queue = Queue()
        queue.append("a", preparing: false, synchronizing: false)
        #expect(trace(&queue, [.rows(1), .endOfStatement]) == ["a = 1"])
        queue.append("b", preparing: false, synchronizing: false)
        queue.appendSynchronization()
        queue.append("c", preparing: false)
        let events: [Queue.Event] = [
            .rows(2), .endOfStatement, .synchronized, .rows(3), .endOfStatement, .synchronized,
        ]
        #expect(trace(&queue, events) == ["b = 2", "c = 3"])
        #expect(queue.isEmpty)
    }

    @Test("after a failure requests are skipped up to the synchronization, and not beyond it")
    func skippedGroup() {
        var queue = Queue()
        for name in ["a", "b", "c"] {
            queue.append(name, preparing: false, synchronizing: false)
        }
        queue.appendSynchronization()
        queue.append("d", preparing: false)
        let events: [Queue.Event] = [
            .rows(1), .endOfStatement, .failed(Self.failure), .endOfStatement,
            .skipped, .endOfStatement, .synchronized, .rows(4), .endOfStatement, .synchronized,
        ]
        #expect(
            trace(&queue, events) == ["a = 1", "b failed 23505", "c failed 23505", "d = 4"]
        )
    }
}
