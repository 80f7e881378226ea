// A remote engine that costs nothing: it streams prepared texts. For measuring what is between it and a
// client.

import ArgumentParser
import Doubles
import Glibc

struct InstantRemoteEngine: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remote-engine",
        abstract: "Serve OpenAI's API with texts that cost nothing, until it is killed."
    )

    @Option(help: "Tokens of an answer.") var tokens = 200
    @Option(help: "Milliseconds between two tokens; 0 sends all at once.") var pause = 10

    func run() throws {
        let (tokens, pause) = (tokens, pause)
        let pieces = (0..<tokens).map {
            Self.event(#"{"delta":{"content":"word\#($0) "},"index":0}"#)
        }
        let end =
            Self.event(#"{"delta":{},"index":0,"finish_reason":"stop"}"#)
            + Array("data: [DONE]\n\n".utf8)
        let engine = try EngineDouble { _, _ in
            var reply = EngineDouble.Reply.events([])
            reply.pieces = pieces + [end]
            reply.pause = .milliseconds(pause)
            return reply
        }
        print("ready \(engine.base)")
        fflush(nil)
        while true { sleep(3600) }
    }

    private static func event(_ choice: String) -> [UInt8] {
        Array("data: {\"choices\":[\(choice)]}\n\n".utf8)
    }
}
