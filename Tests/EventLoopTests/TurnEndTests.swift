import EventLoop
import Testing

/// Writes down that it was told.
private final class Log: TurnEndHandler {
    var told: [String] = []

    func turnEnded() { told.append("handler") }
}

@Suite("The end of a turn")
struct TurnEndTests {
    @Test("actions and handlers are told once, in the order in which they asked")
    func order() async throws {
        let told = try await EventLoop.run { loop in
            let log = Log()
            loop.atEndOfTurn { log.told.append("first") }
            loop.atEndOfTurn(tell: log)
            loop.atEndOfTurn { log.told.append("last") }
            #expect(log.told.isEmpty)
            for _ in 0..<3 { try await loop.sleep(for: .zero) }
            return log.told
        }
        #expect(told == ["first", "handler", "last"])
    }

    @Test("what asks at a turn's end is told before the loop waits again")
    func secondRound() async throws {
        let told = try await EventLoop.run(clock: ManualClock()) { loop in
            let log = Log()
            let done = LoopPromise<Void, Never>(loop)
            loop.atEndOfTurn {
                loop.atEndOfTurn(tell: log)
                loop.atEndOfTurn { done.succeed(()) }
            }
            // No timer is due and nothing else is ready: a loop that waited would stay asleep.
            await done.value {}
            return log.told
        }
        #expect(told == ["handler"])
    }
}
