import Inference
import Testing

@Suite("Command queue")
struct CommandQueueTests {
    private let now = ContinuousClock.now

    private func request(_ id: UInt64) -> GenerationRequest {
        GenerationRequest(id: id, prompt: [1], maxNewTokens: 1)
    }

    /// `+1` for a request, `-1` for a cancel.
    private func text(_ batch: CommandQueue.Batch) -> String {
        batch.commands.map { command in
            switch command {
            case .submit(let request, _): "+\(request.id)"
            case .cancel(let id): "-\(id)"
            case .forget, .found, .stored: "?"
            }
        }.joined(separator: " ")
    }

    @Test("all commands are taken at once and in order")
    func order() throws {
        let queue = CommandQueue(limit: 8)
        try queue.submit(request(1), at: now, slots: 1)
        try queue.submit(request(2), at: now, slots: 1)
        queue.cancel(1)
        #expect(text(queue.take(waiting: true)) == "+1 +2 -1")
        #expect(text(queue.take(waiting: false)) == "")
    }

    @Test("commands after the end are ignored")
    func end() {
        let queue = CommandQueue(limit: 1)
        queue.post(.forget(["a"]))
        queue.end()
        queue.post(.forget(["b"]))
        #expect(queue.take(waiting: false).commands.count == 1)
    }

    @Test("the queue is full when its limit of requests waits and all slots are taken")
    func full() throws {
        let queue = CommandQueue(limit: 1)
        try queue.submit(request(1), at: now, slots: 2)
        try queue.submit(request(2), at: now, slots: 2)
        try queue.submit(request(3), at: now, slots: 2)
        #expect(throws: EngineError.busy(queueLimit: 1)) {
            try queue.submit(request(4), at: now, slots: 2)
        }
        // A request counts as waiting until it is admitted or finished, even if the engine has
        // taken it.
        _ = queue.take(waiting: true)
        queue.wasAdmitted(1)
        queue.wasAdmitted(2)
        #expect(throws: EngineError.busy(queueLimit: 1)) {
            try queue.submit(request(4), at: now, slots: 2)
        }
        queue.wasFinished(1, admitted: true)
        try queue.submit(request(4), at: now, slots: 2)
        #expect(queue.load.running == 1)
        #expect(queue.load.waiting == 2)
    }

    @Test("a limit of zero still fills free slots")
    func noQueue() throws {
        let queue = CommandQueue(limit: 0)
        try queue.submit(request(1), at: now, slots: 1)
        #expect(throws: EngineError.busy(queueLimit: 0)) {
            try queue.submit(request(2), at: now, slots: 1)
        }
    }

    @Test("a request that ends without a slot frees its place in the queue")
    func endsWaiting() throws {
        let queue = CommandQueue(limit: 1)
        try queue.submit(request(1), at: now, slots: 0)
        queue.wasFinished(1, admitted: false)
        try queue.submit(request(2), at: now, slots: 0)
        #expect(queue.load.waiting == 1)
    }

    @Test("cancelling twice, or an unknown or finished request, queues nothing")
    func cancel() throws {
        let queue = CommandQueue(limit: 1)
        queue.cancel(9)
        try queue.submit(request(1), at: now, slots: 1)
        for _ in 0..<3 { queue.cancel(1) }
        #expect(text(queue.take(waiting: false)) == "+1 -1")
        queue.cancel(1)
        queue.wasFinished(1, admitted: false)
        queue.cancel(1)
        #expect(text(queue.take(waiting: false)) == "")
    }

    @Test("an id is refused while a request with it is unfinished")
    func sameID() throws {
        let queue = CommandQueue(limit: 5)
        try queue.submit(request(1), at: now, slots: 1)
        #expect(throws: EngineError.self) { try queue.submit(request(1), at: now, slots: 1) }
        queue.wasFinished(1, admitted: false)
        try queue.submit(request(1), at: now, slots: 1)
    }

    @Test("a closed queue refuses requests and wakes its reader")
    func closed() {
        let queue = CommandQueue(limit: 5)
        queue.close()
        #expect(throws: EngineError.shutDown) { try queue.submit(request(1), at: now, slots: 1) }
        #expect(queue.take(waiting: true).isClosed)
        queue.end()
        queue.waitForEnd()
    }
}
