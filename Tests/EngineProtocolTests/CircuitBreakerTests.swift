import EngineProtocol
import Testing

@Suite("Circuit breaker")
struct CircuitBreakerTests {
    private let start = ContinuousClock.now

    private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test("three failures open it, a success in between does not count")
    func opening() {
        var breaker = CircuitBreaker()
        breaker.failed(at: start)
        breaker.failed(at: start)
        breaker.succeeded()
        breaker.failed(at: start)
        breaker.failed(at: start)
        #expect(breaker.state == .closed(failures: 2) && breaker.admits(at: start))
        breaker.failed(at: start)
        #expect(breaker.state == .open(until: at(1), pause: .seconds(1)))
        #expect(!breaker.admits(at: at(0.9)) && breaker.nextTry(from: start) == at(1))
    }

    @Test("after the pause one request decides")
    func probing() {
        var breaker = CircuitBreaker()
        breaker.failed(at: start, opensAtOnce: true)
        #expect(breaker.admits(at: at(1)))
        breaker.begin()
        #expect(!breaker.admits(at: at(1)) && breaker.nextTry(from: at(1)) == nil)
        breaker.failed(at: at(2))
        #expect(breaker.state == .open(until: at(4), pause: .seconds(2)))
        breaker.begin()
        breaker.succeeded()
        #expect(breaker.state == .closed(failures: 0))
    }

    @Test("pauses double up to half a minute")
    func pauses() {
        var breaker = CircuitBreaker()
        breaker.failed(at: start, opensAtOnce: true)
        var pauses: [Duration] = []
        for _ in 0..<6 {
            guard case .open(_, let pause) = breaker.state else { break }
            pauses.append(pause)
            breaker.begin()
            breaker.failed(at: start)
        }
        #expect(pauses == [1, 2, 4, 8, 16, 30].map { .seconds($0) })
    }

    @Test("a request that was cancelled lets the next one decide")
    func abandoned() {
        var breaker = CircuitBreaker()
        breaker.failed(at: start, opensAtOnce: true)
        breaker.begin()
        breaker.abandoned(at: at(5))
        #expect(breaker.admits(at: at(5)))
    }

    @Test("a late failure of a request from before it opened changes nothing")
    func late() {
        var breaker = CircuitBreaker()
        breaker.failed(at: start, opensAtOnce: true)
        let before = breaker
        breaker.failed(at: at(0.5))
        #expect(breaker == before)
    }

    @Test("a busy engine is left alone for as long as it asks, within bounds")
    func busy() {
        var breaker = CircuitBreaker()
        breaker.paused(at: start, for: .seconds(7))
        #expect(breaker.nextTry(from: start) == at(7))
        breaker.paused(at: start, for: nil)
        #expect(breaker.nextTry(from: start) == at(7))
        var other = CircuitBreaker()
        other.paused(at: start, for: .seconds(3600))
        #expect(other.nextTry(from: start) == at(30))
    }
}

@Suite("Choice of an engine")
struct EngineChoiceTests {
    private func candidates(_ running: [Int], slots: Int = 4) -> [EngineChoice.Candidate] {
        running.enumerated().map {
            EngineChoice.Candidate(index: $0.offset, running: $0.element, slots: slots)
        }
    }

    @Test("the engine with the least load is chosen, of equal ones the first")
    func load() {
        let choice = EngineChoice()
        #expect(choice.choose(for: nil, from: candidates([2, 1, 1])) == 1)
        #expect(choice.choose(for: nil, from: candidates([4, 4])) == nil)
        #expect(choice.choose(for: nil, from: []) == nil)
        let uneven = [
            EngineChoice.Candidate(index: 0, running: 1, slots: 2),
            EngineChoice.Candidate(index: 1, running: 4, slots: 16),
        ]
        #expect(choice.choose(for: nil, from: uneven) == 1)
    }

    @Test("the engine that read the conversation is chosen, unless it is full or gone")
    func warmth() {
        var choice = EngineChoice()
        choice.note("c", at: 1)
        #expect(choice.choose(for: "c", from: candidates([0, 3])) == 1)
        #expect(choice.choose(for: "c", from: candidates([0, 4])) == 0)
        #expect(choice.choose(for: "c", from: candidates([0])) == 0)
        #expect(choice.choose(for: "d", from: candidates([0, 3])) == 0)
        choice.forget(["c"])
        #expect(choice.choose(for: "c", from: candidates([0, 3])) == 0)
    }

    @Test("it remembers a bounded number of conversations, the latest")
    func bound() {
        var choice = EngineChoice(scopesMax: 10)
        for number in 0..<100 { choice.note("\(number)", at: 1) }
        #expect(choice.scopeCount <= 10)
        #expect(choice.choose(for: "99", from: candidates([0, 0])) == 1)
        #expect(choice.choose(for: "0", from: candidates([0, 0])) == 0)
    }
}
