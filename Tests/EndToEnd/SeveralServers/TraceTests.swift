// Traces of turns, as a collector gets them: their parts, whose traces are continued, and what is
// never in them.

import ChatProtocol
import Doubles
import FoundationEssentials
import HTTPProtocol
import JSONText
import TestSupport
import Testing

extension EndToEnd.SeveralServers {
    @Suite("Traces")
    struct TraceTests {
        private static let parts: Set<String> = [
            "message.send", "commit", "queue", "prompt", "engine", "store", "fan-out",
        ]
        private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        private static let caller = "00-\(trace)-00f067aa0ba902b7"

        private let collector: TraceCollector

        init() throws { collector = try TraceCollector() }

        private func server(_ arguments: [String] = []) throws -> StoaServer {
            let server = try StoaServer(
                ["--traces-endpoint", collector.endpoint, "--titles", "off"] + arguments,
                environment: ["STOA_METRICS_TOKEN": "a-token-for-metrics"]
            )
            try server.addUser("quentin")
            return server
        }

        @Test("a turn is one trace, whose parts follow each other and name no texts")
        func turn() throws {
            defer { collector.stop() }
            let server = try server()
            let peer = try server.connect(server.signIn("quentin"))
            let conversation = try peer.createConversation(title: "nobody's-business")
            var mirror = try peer.watch(conversation)
            let question = "Tell me a long story. nobody's-business"
            let answer = try peer.say(question, in: conversation).answer.id
            try peer.follow(&mirror, until: answer)

            let request = try collector.span(named: "message.send")
            let spans = try collector.spans(of: request.trace, named: Self.parts)
            // The question and the end of the answer are broadcast.
            #expect(spans.count == Self.parts.count + 1)
            #expect(request.parent == nil && request.json["kind"]?.integer == 2)
            #expect(spans.allSatisfy { $0.id == request.id || $0.parent == request.id })
            let parts = spans.filter { $0.attributes["stoa.message"] == "\(answer)" }
            let inOrder = parts.sorted { ($0.begin, $0.end) < ($1.begin, $1.end) }
            #expect(inOrder.map(\.name) == ["queue", "prompt", "engine", "store", "fan-out"])
            for (part, next) in zip(inOrder, inOrder.dropFirst()) {
                #expect(part.begin <= part.end && part.end <= next.begin)
            }
            let engine = try #require(parts.first { $0.name == "engine" })
            #expect(engine.events.prefix(2) == ["started", "first token"])
            #expect((4...40).contains(engine.events.count))
            #expect(engine.attributes["stoa.finish"] == "stop")
            #expect(engine.attributes["gen_ai.usage.output_tokens"].flatMap { Int($0) } ?? 0 > 8)
            let fanOut = try #require(parts.first { $0.name == "fan-out" })
            #expect(fanOut.attributes["stoa.subscribers"] == "1")
            #expect(engine.resource["service.name"] == "stoa")
            #expect(collector.paths.allSatisfy { $0 == "/v1/traces" })
            #expect(collector.headers[.contentType] == "application/json")
            let said = ["nobody's-business", "Tell me", "quentin", mirror.text(of: answer)]
            for text in said { #expect(!collector.texts.contains(text), "\(text)") }
            #expect(try server.stop() == .exited(0))
        }

        @Test(
            "the trace of a trusted caller is continued, and that of another one is named only",
            arguments: [
                (isTrusted: true, flags: "01", ratio: "0", isSent: true),
                (isTrusted: true, flags: "00", ratio: "1", isSent: false),
                (isTrusted: false, flags: "00", ratio: "1", isSent: true),
                (isTrusted: false, flags: "01", ratio: "0", isSent: false),
            ]
        )
        func callers(isTrusted: Bool, flags: String, ratio: String, isSent: Bool) throws {
            defer { collector.stop() }
            let from = isTrusted ? ["--traces-from", "127.0.0.1"] : []
            let server = try server(from + ["--traces-ratio", ratio])
            var headers = try server.key([.complete], of: server.signIn("quentin"))
            headers["traceparent"] = "\(Self.caller)-\(flags)"
            headers["tracestate"] = "vendor=1"
            var body = CompletionBody("What is 2 + 3?")
            body.model = try server.modelName(headers)
            #expect(try server.complete(body, headers).status == 200)
            // It sends what it still has.
            #expect(try server.stop() == .exited(0))
            let request = collector.spans.first { $0.name == "POST /v1/chat/completions" }
            #expect((request != nil) == isSent)
            guard let request else { return }
            #expect(request.attributes["http.response.status_code"] == "200")
            #expect((request.trace == Self.trace) == isTrusted)
            #expect(request.parent == (isTrusted ? "00f067aa0ba902b7" : nil))
            #expect(request.links == (isTrusted ? [] : [Self.trace]))
            #expect(request.json["traceState"]?.string == (isTrusted ? "vendor=1" : nil))
            let engine = collector.spans.first { $0.name == "engine" }
            #expect(engine?.trace == request.trace && engine?.parent == request.id)
        }

        @Test("the trace of a WebSocket's handshake counts for all its requests")
        func handshake() throws {
            defer { collector.stop() }
            let server = try server(["--traces-from", "127.0.0.1", "--traces-ratio", "0"])
            let token = try server.signIn("quentin")
            let headers: HTTPHeaders = ["traceparent": "\(Self.caller)-01"]
            let peer = try Peer(server, token: token, headers: headers)
            for _ in 0..<2 { _ = try peer.createConversation() }
            _ = try server.connect(token).createConversation()
            #expect(try server.stop() == .exited(0))
            let requests = collector.spans.filter { $0.name == "conversation.create" }
            #expect(requests.map(\.trace) == [Self.trace, Self.trace])
            #expect(requests.allSatisfy { $0.parent == "00f067aa0ba902b7" })
        }

        @Test("a collector that does not answer delays neither requests nor the shutdown")
        func stalled() throws {
            defer { collector.stop() }
            collector.stall()
            let server = try server()
            let peer = try server.connect(server.signIn("quentin"))
            _ = try peer.createConversation()
            try eventually("a stalled request") { collector.stallCount > 0 }
            _ = try peer.createConversation()
            #expect(try server.stop() == .exited(0))
        }

        @Test("a remote engine gets the trace, also one that is not recorded")
        func remoteEngine() throws {
            defer { collector.stop() }
            let engine = try EngineDouble { _, _ in .chat("Five.") }
            defer { engine.stop() }
            let server = try server([
                "--traces-from", "127.0.0.1", "--traces-ratio", "0",
                "--remote-engine", "\(engine.base) model=phi as=remote",
            ])
            var headers = try server.key([.complete], of: server.signIn("quentin"))
            var body = CompletionBody("What is 2 + 3?")
            body.model = "remote"
            for flags in ["01", "00"] {
                headers["traceparent"] = "\(Self.caller)-\(flags)"
                #expect(try server.complete(body, headers).status == 200)
            }
            #expect(try server.complete(body, headersWithoutTrace(headers)).status == 200)
            #expect(try server.stop() == .exited(0))
            let span = try collector.span(named: "engine")
            #expect(span.json["kind"]?.integer == 3)
            let expected = ["00-\(Self.trace)-\(span.id)-01", "\(Self.caller)-00", nil]
            #expect(engine.requests.map(\.traceParent) == expected)
        }

        private func headersWithoutTrace(_ headers: HTTPHeaders) -> HTTPHeaders {
            var headers = headers
            headers["traceparent"] = nil
            return headers
        }

        @Test("an answer that another node takes over stays in the trace of its question")
        func takeover() throws {
            defer { collector.stop() }
            let arguments = [
                "--traces-endpoint", collector.endpoint, "--lease-seconds", "3", "--titles", "off",
            ]
            let first = try StoaServer(
                arguments + ["--threads", "1"],
                environment: ["STOA_KERNELS": "scalar"]
            )
            try first.addUser("ada")
            let token = try first.signIn("ada")
            let asking = try first.connect(token)
            let conversation = try asking.createConversation()
            var mirror = try asking.watch(conversation)
            let answer = try asking.say("Tell me a long story.", in: conversation).answer.id
            while mirror.text(of: answer).isEmpty { try mirror.take(asking.nextEvent()) }
            let request = try collector.span(named: "message.send")
            let second = try StoaServer(beside: first, arguments)
            try first.kill()
            let later = try second.connect(token)
            try later.watchAgain(conversation, &mirror)
            try later.follow(&mirror, until: answer)
            let spans = try collector.spans(of: request.trace, named: Self.parts)
            let taken = spans.first { $0.attributes["stoa.takeover"] == "true" }
            #expect(taken?.name == "queue" && taken?.parent == request.id)
            let node = request.resource["service.instance.id"]
            #expect(taken?.resource["service.instance.id"] != node)
            #expect(spans.first { $0.name == "engine" }?.parent == request.id)
        }

        @Test("a collector that is full gets the spans later; one that refuses them does not")
        func badCollector() throws {
            defer { collector.stop() }
            collector.answer(503)
            let folder = try TemporaryFolder()
            let file = "\(folder.path)/headers"
            try Data("X-Token: secret\n\nX-Tenant:  7\n".utf8).write(to: URL(filePath: file))
            let server = try server(["--traces-headers-file", file])
            let peer = try server.connect(server.signIn("quentin"))
            _ = try peer.createConversation()
            try eventually("a first try") { collector.requestCount > 0 }
            #expect(collector.spans.isEmpty)
            collector.answer(200)
            _ = try collector.span(named: "conversation.create")
            #expect(collector.headers["X-Token"] == "secret")
            #expect(collector.headers["X-Tenant"] == "7")

            collector.answer(400)
            _ = try peer.createConversation()
            let headers: HTTPHeaders = [.authorization: "Bearer a-token-for-metrics"]
            try eventually("refused spans") {
                let text = try server.get("/metrics", headers: headers).text
                return text.contains(#"stoa_trace_spans_total{outcome="failed"} 1"#)
            }
            #expect(try server.stop() == .exited(0))
            #expect(server.log.contains("sending traces failed"))
            #expect(!server.log.contains("secret"))
        }
    }
}
