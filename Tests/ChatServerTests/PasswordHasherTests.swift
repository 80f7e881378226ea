import ChatProtocol
import ChatServer
import Dispatch
import EventLoop
import Testing

@Suite("Password hashing threads")
struct PasswordHasherTests {
    @Test("queue a limited number, and refuse more with `busy` until there is room")
    func bound() async throws {
        try await EventLoop.run { loop in
            let hasher = try PasswordHasher(threads: 2, queueLimit: 1)
            let gate = DispatchSemaphore(value: 0)
            let full = LoopPromise<Void, CancellationError>(loop)
            var asked = 0
            let tasks = (0..<3).map { _ in
                loop.spawn {
                    asked += 1
                    // The waiting work continues once the last request was made, too.
                    if asked == 3 { full.succeed(()) }
                    try? await hasher.run { gate.wait() }
                }
            }
            try await full.value { full.fail(CancellationError()) }
            do {
                try await hasher.run {}
                Issue.record("a fourth one was taken")
            } catch let error as WireError {
                #expect(error.code == .busy)
                #expect(error.retryAfter != nil)
            }
            for _ in tasks { gate.signal() }
            for task in tasks { await task.wait() }
            try hasher.requireRoom()
        }
    }

    @Test("check an unknown name at the cost of an existing one")
    func decoy() {
        let decoy = PasswordHash.decoy()
        #expect(decoy.cost == PasswordHash.standard)
        #expect(!decoy.isWeak)
    }

    @Test("recognize a hash of lower cost", arguments: [14, 16])
    func weak(log: Int) throws {
        let cost = PasswordHash.Cost(n: 1 << UInt64(log), r: 8, p: 1)
        #expect(try PasswordHash.make("correct horse", cost: cost).isWeak)
    }
}
