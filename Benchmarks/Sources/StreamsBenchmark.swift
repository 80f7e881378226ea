// Clients that stream answers by OpenAI's API, from Stoa, an engine itself, or another proxy.

import ArgumentParser
import EventLoop
import HTTPProtocol
import Networking

struct StreamsBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "streams",
        abstract: "Measure streamed chat completions: time to first token, and tokens a second."
    )

    @Option(help: "Base URL of the API, such as http://127.0.0.1:8000/v1.") var url: String
    @Option(help: "The model.") var model: String
    @Option(help: "The key.") var key: String?
    @Option(help: "Clients that stream at the same time.") var clients = 32
    @Option(help: "Answers of each client.") var answers = 10

    /// What the clients saw.
    private final class Figures {
        var firstToken = Sample()
        var tokens = 0
        var failures = 0
    }

    func run() async throws {
        let command = self
        try await EventLoop.run(name: "streams") { loop in
            guard let base = HTTPURL(command.url) else { throw ValidationError("--url is none") }
            let figures = Figures()
            // The first answers are not measured: they open connections and fill caches.
            try await command.measure(loop, base, answers: 1, into: Figures())
            let start = loop.now
            try await command.measure(loop, base, answers: command.answers, into: figures)
            let seconds = (loop.now - start).inSeconds
            report("first_token_ms_median", figures.firstToken.median * 1000)
            report("first_token_ms_p99", figures.firstToken.percentile(0.99) * 1000)
            report("tokens_per_second", Double(figures.tokens) / seconds)
            report("failures", Double(figures.failures))
        }
    }

    private func measure(
        _ loop: EventLoop,
        _ base: HTTPURL,
        answers: Int,
        into figures: Figures
    ) async throws {
        var ends: [LoopPromise<Void, Never>] = []
        for _ in 0..<clients {
            let end = LoopPromise<Void, Never>(loop)
            loop.spawn {
                do { try await stream(loop, base, answers, into: figures) } catch {
                    figures.failures += 1
                    if figures.failures == 1 { print("error", error) }
                }
                end.succeed(())
            }
            ends.append(end)
        }
        for end in ends { await end.value(cancelled: {}) }
    }

    /// Asks for answers, one after the other, over one connection.
    private func stream(
        _ loop: EventLoop,
        _ base: HTTPURL,
        _ answers: Int,
        into figures: Figures
    ) async throws {
        guard let address = SocketAddress(host: base.origin.host, port: base.origin.port) else {
            throw ValidationError("--url has no IP address")
        }
        let socket = AsyncByteStream(
            try await StreamConnector.connect(loop: loop, to: address, deadline: .seconds(5))
        )
        defer { socket.close() }
        var http = HTTPClientConnection(limits: HTTPLimits(bodyBytesMax: 64 << 20))
        let name = model
        let body = Array(
            #"""
            {"model":"\#(name)","stream":true,"max_tokens":1000,\#
            "messages":[{"role":"user","content":"Tell me a story."}]}
            """#.utf8
        )
        for _ in 0..<answers {
            let start = loop.now
            try await socket.write(http.send(head(base), body: body))
            var isFirst = true
            reading: while true {
                while let event = try http.nextEvent() {
                    switch event {
                    case .informational, .upgrade: break
                    case .response(let head):
                        guard head.status == .ok else { throw ValidationError("\(head.status)") }
                    case .body(let bytes):
                        let count = Self.tokenCount(of: bytes)
                        if isFirst, count > 0 {
                            isFirst = false
                            figures.firstToken.add((loop.now - start).inSeconds)
                        }
                        figures.tokens += count
                    case .end: break reading
                    }
                }
                guard let bytes = try await socket.read() else { throw NetworkError.closed }
                bytes.withUnsafeBytes { http.receive($0) }
            }
        }
    }

    private func head(_ base: HTTPURL) -> HTTPRequestHead {
        var headers: HTTPHeaders = [.contentType: "application/json"]
        if let key { headers[.authorization] = "Bearer \(key)" }
        return HTTPRequestHead(
            .post,
            "\(base.target)/chat/completions",
            host: base.origin.authority,
            headers: headers
        )
    }

    /// The number of words of the engine's text in these bytes. Stoa merges what arrives together,
    /// so that events are no measure.
    private static func tokenCount(of bytes: [UInt8]) -> Int {
        let word = Array("word".utf8)
        var count = 0
        var index = bytes.startIndex
        while index + word.count <= bytes.endIndex {
            if bytes[index] == word[0], bytes[index..<index + word.count].elementsEqual(word) {
                count += 1
                index += word.count
            } else {
                index += 1
            }
        }
        return count
    }
}
