import EventLoop
import Testing

@Suite("Timers")
struct TimerTests {
    @Test("timers fire by deadline, equal ones in the order of scheduling")
    func order() async throws {
        let clock = ManualClock()
        let fired = try await EventLoop.run(clock: clock) { loop in
            var fired: [String] = []
            loop.schedule(after: .seconds(3)) { fired.append("three") }
            loop.schedule(after: .seconds(1)) { fired.append("one") }
            loop.schedule(after: .seconds(2)) { fired.append("two") }
            loop.schedule(after: .seconds(1)) { fired.append("one again") }
            clock.advance(by: .seconds(3))
            try await loop.sleep(for: .seconds(3))
            return fired
        }
        #expect(fired == ["one", "one again", "two", "three"])
    }

    @Test("a timer does not fire early")
    func notEarly() async throws {
        let clock = ManualClock()
        let fired = try await EventLoop.run(clock: clock) { loop in
            var fired: [Int] = []
            for seconds in 1...5 {
                loop.schedule(after: .seconds(seconds)) { fired.append(seconds) }
            }
            clock.advance(by: .milliseconds(2999))
            try await loop.sleep(for: .seconds(2))
            return fired
        }
        #expect(fired == [1, 2])
    }

    @Test("a cancelled timer does not fire and releases its action")
    func cancel() async throws {
        let clock = ManualClock()
        try await EventLoop.run(clock: clock) { loop in
            var fired: [Int] = []
            var object: Pipe? = try Pipe()
            weak let watched = object
            let tokens = (0..<100).map { [object] number in
                loop.schedule(after: .milliseconds(number)) {
                    _ = object
                    fired.append(number)
                }
            }
            object = nil
            #expect(watched != nil)
            for (number, token) in tokens.enumerated() where number % 10 != 0 { token.cancel() }
            clock.advance(by: .seconds(1))
            try await loop.sleep(for: .milliseconds(100))
            #expect(fired == Array(stride(from: 0, to: 100, by: 10)))
            #expect(watched == nil)
        }
    }

    @Test("a timer can cancel another one that is due in the same turn")
    func cancelDuringTurn() async throws {
        let clock = ManualClock()
        let fired = try await EventLoop.run(clock: clock) { loop in
            var fired: [String] = []
            var second: TimerToken?
            loop.schedule(after: .seconds(1)) {
                fired.append("first")
                second?.cancel()
            }
            second = loop.schedule(after: .seconds(1)) { fired.append("second") }
            clock.advance(by: .seconds(1))
            try await loop.sleep(for: .seconds(1))
            return fired
        }
        #expect(fired == ["first"])
    }

    @Test("a timer that reschedules itself at once does not block the loop")
    func reschedule() async throws {
        try await EventLoop.run(clock: ManualClock()) { loop in
            var count = 0
            func again() {
                count += 1
                loop.schedule(after: .zero, again)
            }
            again()
            for _ in 0..<10 { try await loop.sleep(for: .zero) }
            #expect((10...12).contains(count))
        }
    }

    @Test("the manual clock wakes a sleeping loop from another thread")
    func advanceFromOutside() async throws {
        let clock = ManualClock()
        let asleep = AsyncStream<Void>.makeStream()
        async let result: Void = EventLoop.run(clock: clock) { loop in
            loop.atEndOfTurn { asleep.continuation.yield() }
            try await loop.sleep(for: .seconds(3600))
        }
        for await _ in asleep.stream { break }
        clock.advance(by: .seconds(3600))
        try await result
    }

    @Test("a timer fires at its deadline with the system clock")
    func systemClock() async throws {
        let elapsed = try await EventLoop.run { loop in
            let start = ContinuousClock.now
            try await loop.sleep(for: .milliseconds(5))
            return ContinuousClock.now - start
        }
        #expect(elapsed >= .milliseconds(5))
    }
}
