import Postgres
import Testing

/// The pipeline's bookkeeping, as traces of what a connection receives.
@Suite("Pipeline queue")
struct PipelineQueueTests {
    typealias Queue = PipelineQueue<String, Int>
    static let failure = PostgresError.server(
        PostgresServerError(sqlState: .uniqueViolation, message: "no")
    )
    static let other = PostgresError.server(
        PostgresServerError(sqlState: .checkViolation, message: "no")
    )

    /// Feeds `events` and returns what came of each but `none`, as text.
    func trace(_ queue: inout Queue, _ events: [Queue.Event]) -> [String] {
        events.compactMap { event in
            switch queue.receive(event) {
            case .none: nil
            case .prepared(let request): "prepared \(request)"
            case .finished(let request, .success(let rows)): "\(request) = \(rows)"
            case .finished(let request, .failure(let error)):
                "\(request) failed \(error.sqlState?.rawValue ?? "")"
            case .outOfTurn: "out of turn"
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

    @Test("a preparation is told apart from the rows")
    func preparation() {
        var queue = Queue()
        queue.append("a", preparing: true)
        let events: [Queue.Event] = [
            .rows(0), .endOfStatement, .rows(7), .endOfStatement, .synchronized,
        ]
        #expect(trace(&queue, events) == ["prepared a", "a = 7"])
    }

    @Test("a failed preparation fails its request alone")
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

    @Test("an error of the commit comes after the rows, with and without an end of its own")
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
        "events that make no sense are noticed",
        arguments: [
            [Queue.Event.synchronized], [.skipped], [.endOfStatement, .endOfStatement],
            [.endOfStatement, .rows(1)], [.endOfStatement, .synchronized],
        ]
    )
    func outOfTurn(events: [Queue.Event]) {
        var queue = Queue()
        queue.append("a", preparing: false)
        #expect(trace(&queue, events) == ["out of turn"])
    }

    @Test("events without a request are noticed")
    func nothingUnderWay() {
        var queue = Queue()
        #expect(trace(&queue, [.rows(1)]) == ["out of turn"])
    }

    @Test("a lost connection gives back the requests that were under way")
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

    @Test("where it fails, the request behind it was skipped, and the one after that was not")
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

    @Test("a synchronization that nobody asked for is noticed")
    func earlySynchronization() {
        var queue = Queue()
        queue.append("begin", preparing: false, synchronizing: false)
        queue.append("a", preparing: false)
        #expect(trace(&queue, [.synchronized]) == ["out of turn"])
    }

    @Test("requests can be synchronized after they were sent, and answered before that")
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

    @Test("all behind a failure are skipped until the synchronization, and nothing after it")
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
