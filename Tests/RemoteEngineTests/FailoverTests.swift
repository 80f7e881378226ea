import Doubles
import EventLoop
import Inference
import JSONText
import RemoteEngine
import Testing

@Suite("Failover of remote engines")
struct FailoverTests {
    @Test("another engine goes on after exactly the text so far")
    func continues() async throws {
        let dying = try EngineDouble { _, _ in .stream(["Once "], ending: .cut) }
        let other = try EngineDouble { _, _ in .stream(["upon a time"]) }
        let scene = try RemoteScene([dying.base, other.base])
        defer {
            scene.stop()
            dying.stop()
            other.stop()
        }
        let answer = try await scene.ask()
        #expect(answer.text == "Once upon a time")
        #expect(answer.completion?.remote?.requests == 2)
        let sent = other.requests.first?.body["prompt"]?.array?.compactMap(\.integer)
        #expect(sent == [1, 2, 3] + "Once ".utf8.map { Int($0) })
        // One token of the text is known, which is not allowed again.
        #expect(other.requests.first?.body["max_tokens"]?.integer == 63)
    }

    @Test("an answer whose engine cannot continue fails, and says so")
    func cannotContinue() async throws {
        let engine = try EngineDouble(
            documents: ["/v1/models": #"{"data":[{"id":"phi","object":"model"}]}"#]
        ) { _, _ in .chat("Once ", ending: .cut) }
        let scene = try RemoteScene([engine.base], takesTokens: false)
        defer {
            scene.stop()
            engine.stop()
        }
        let answer = try await scene.ask(tokens: 64)
        #expect(answer.text == "Once " && answer.completion == nil)
        guard case .remote(_, let reason, let userText)? = answer.error else {
            return #expect(Bool(false), "it does not fail")
        }
        #expect(reason.contains("cannot continue"))
        #expect(!userText.contains("127.0.0.1"))
    }

    @Test("an engine that stalls is left at its deadline, and the next one asked")
    func stall() async throws {
        let stalling = try EngineDouble { _, _ in .stream([], ending: .stall) }
        let other = try EngineDouble { _, _ in .stream(["a"]) }
        let scene = try RemoteScene(
            [stalling.base, other.base],
            firstToken: .milliseconds(200)
        )
        defer {
            scene.stop()
            stalling.stop()
            other.stop()
        }
        #expect(try await scene.ask().text == "a")
        #expect(stalling.requests.count == 1 && other.requests.count == 1)
    }

    @Test("engines that stall together get one deadline and 30 s, not a deadline each")
    func deadline() async throws {
        let engines = try (0..<3).map { _ in
            try EngineDouble { _, _ in .stream([], ending: .stall) }
        }
        let clock = ManualClock()
        let scene = try RemoteScene(
            engines.map(\.base),
            firstToken: .seconds(120),
            clock: clock
        )
        defer {
            scene.stop()
            for engine in engines { engine.stop() }
        }
        func wait(for count: Int) async throws {
            while engines.map(\.requests.count).reduce(0, +) < count {
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        let events = try scene.begin()
        try await wait(for: 1)
        clock.advance(by: .seconds(120))
        // The second one has what is left of the answer's time.
        try await wait(for: 2)
        clock.advance(by: .seconds(30))
        let answer = await scene.read(events)
        guard case .remote(_, let reason, _)? = answer.error else {
            return #expect(Bool(false), "it does not fail")
        }
        #expect(reason.contains("no first token within 30 s"))
        #expect(engines.map(\.requests.count).reduce(0, +) == 2)
    }

    @Test("an idle connection that the engine closed is replaced without a fault")
    func staleConnection() async throws {
        let engine = try EngineDouble { number, _ in
            // The reply is whole, and the connection is closed after it.
            var reply = EngineDouble.Reply.stream(["\(number)"])
            if number == 0 { reply.ending = .cut }
            return reply
        }
        let scene = try RemoteScene([engine.base])
        defer {
            scene.stop()
            engine.stop()
        }
        #expect(try await scene.ask().text == "0")
        #expect(try await scene.ask().text == "1")
        #expect(scene.statuses[0].failed == 0)
    }

    @Test("usage and text decide together what is counted")
    func usage() async throws {
        let engine = try EngineDouble { number, _ in
            .stream(
                ["a", "b"],
                usage: number == 0
                    ? #"{"prompt_tokens":3,"completion_tokens":5}"#
                    : #"{"prompt_tokens":4711,"completion_tokens":5}"#
            )
        }
        let scene = try RemoteScene([engine.base])
        defer {
            scene.stop()
            engine.stop()
        }
        let honest = try await scene.ask().completion
        #expect(honest?.completionTokens == 5 && honest?.remote?.usage == .told)
        let lying = try await scene.ask().completion
        #expect(lying?.completionTokens == 2 && lying?.remote?.usage == .counted)
    }
}
