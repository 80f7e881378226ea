import Doubles
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

    @Test("stalled engines together take one deadline, not one each")
    func deadline() async throws {
        let engines = try (0..<3).map { _ in
            try EngineDouble { _, _ in .stream([], ending: .stall) }
        }
        let last = try EngineDouble { _, _ in .stream(["a"]) }
        let scene = try RemoteScene(
            (engines + [last]).map(\.base),
            firstToken: .milliseconds(200)
        )
        defer {
            scene.stop()
            for engine in engines + [last] { engine.stop() }
        }
        // The least loaded one is the first; each one that stalls is left, and the next one asked.
        let answer = try await scene.ask()
        #expect(answer.text == "a")
        #expect(engines.map(\.closedCount).reduce(0, +) >= 1)
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
