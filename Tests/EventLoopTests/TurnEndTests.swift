import EventLoop
import Testing

/// Records calls.
private final class Log: TurnEndHandler {
    var told: [String] = []

    func turnEnded() { told.append("handler") }
}

@Suite("The end of a turn")
struct TurnEndTests {
    @Test("actions and handlers are called once, in the order of registration")
    func order() async throws {
        let told = try await EventLoop.run { loop in
            let log = Log()
            loop.atEndOfTurn { log.told.append("first") }
            loop.atEndOfTurn(call: log)
            loop.atEndOfTurn { log.told.append("last") }
            #expect(log.told.isEmpty)
            for _ in 0..<3 { try await loop.sleep(for: .zero) }
            return log.told
        }
        #expect(told == ["first", "handler", "last"])
    }

    @Test("hooks added at the end of a turn are called before the loop waits")
    func secondRound() async throws {
        let told = try await EventLoop.run(clock: ManualClock()) { loop in
            let log = Log()
            let done = LoopPromise<Void, Never>(loop)
            loop.atEndOfTurn {
                loop.atEndOfTurn(call: log)
                loop.atEndOfTurn { done.succeed(()) }
            }
            // No timer is due and no descriptor is ready: a waiting loop would not wake up.
            await done.value {}
            return log.told
        }
        #expect(told == ["handler"])
    }
}
