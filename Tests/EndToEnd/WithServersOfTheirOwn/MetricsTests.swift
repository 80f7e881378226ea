// A server's metrics for Prometheus, and who may read them.

import ChatProtocol
import FoundationEssentials
import HTTPProtocol
import TestSupport
import Testing
import WebSocketProtocol

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("Metrics")
    struct MetricsTests {
        private static let token = "a-token-for-metrics"
        private static let authorization: HTTPHeaders = [.authorization: "Bearer \(token)"]

        /// Values of metrics by their names and labels, as written.
        private func figures(_ text: String) -> [String: Double] {
            var figures: [String: Double] = [:]
            for line in text.split(separator: "\n") where !line.hasPrefix("#") {
                guard let space = line.lastIndex(of: " ") else { continue }
                figures[String(line[..<space])] = Double(line[line.index(after: space)...])
            }
            return figures
        }

        /// The types and labels of metrics, by their names.
        private func shapes(_ text: String) -> [String: [String]] {
            var shapes: [String: [String]] = [:]
            for line in text.split(separator: "\n") {
                if line.hasPrefix("# TYPE ") {
                    let words = line.split(separator: " ").map(String.init)
                    shapes[words[2]] = [words[3]]
                } else if !line.hasPrefix("#"), let brace = line.firstIndex(of: "{") {
                    let name = String(line[..<brace]).replacing(#/_(bucket|sum|count)$/#, with: "")
                    let labels = line[brace...].matches(of: #/[{,]([a-z]+)="/#).map { String($0.1) }
                    for label in labels where label != "le" {
                        let isKnown = shapes[name]?.contains(label) == true
                        if !isKnown { shapes[name]?.append(label) }
                    }
                }
            }
            return shapes
        }

        @Test("only clients with the token read the metrics")
        func figuresOfATurn() throws {
            let server = try StoaServer(environment: ["STOA_METRICS_TOKEN": Self.token])
            try server.addUser("ann", isAdmin: true)
            let administrator = try server.signIn("ann")
            #expect(try server.get("/metrics").status == 401)
            for wrong in ["", "a-token-for-metric", "A-TOKEN-FOR-METRICS", administrator] {
                let headers: HTTPHeaders = [.authorization: "Bearer \(wrong)"]
                #expect(try server.get("/metrics", headers: headers).status == 401, "\(wrong)")
            }

            let peer = try server.connect(administrator)
            let conversation = try peer.createConversation(title: "nobody's-business")
            var mirror = try peer.watch(conversation)
            let answer = try peer.say("nobody's-business", in: conversation).answer.id
            try peer.follow(&mirror, until: answer)

            let answered = try server.get("/metrics", headers: Self.authorization)
            #expect(answered.status == 200)
            #expect(answered.head.headers[.contentType]?.hasPrefix("text/plain") == true)
            #expect(!answered.text.contains("nobody's-business"))
            #expect(!answered.text.contains(Self.token))
            let figures = self.figures(answered.text)
            for (name, value) in [
                #"stoa_connections{state="signed_in"}"#: 1.0,
                "stoa_hub_watches": 1,
                #"stoa_requests_total{operation="message.send"}"#: 1,
                #"stoa_answers_total{outcome="finished"}"#: 1,
                "stoa_answers_running": 0,
                #"stoa_errors_total{code="unauthenticated"}"#: 5,
                #"stoa_http_responses_total{status="401"}"#: 5,
            ] {
                #expect(figures[name] == value, "\(name)")
            }
            for name in [
                "stoa_loop_lag_seconds_count", "stoa_received_bytes_total", "stoa_sent_bytes_total",
                "stoa_deltas_sent_total", #"stoa_tokens_total{kind="prompt"}"#,
                #"stoa_tokens_total{kind="answer"}"#, "stoa_postgres_statement_seconds_count",
                "stoa_postgres_transaction_seconds_count", "stoa_request_seconds_count",
                #"stoa_postgres_connections{state="open"}"#,
                #"stoa_websocket_messages_total{direction="out"}"#,
            ] {
                #expect((figures[name] ?? 0) > 0, "\(name)")
            }
            try expectDocumented(shapes(answered.text))
            #expect(
                answered.text.split(separator: "\n").count { $0.hasPrefix("# HELP ") }
                    == answered.text.split(separator: "\n").count { $0.hasPrefix("# TYPE ") }
            )
            try expectEndsToBeCounted(server, administrator)
            #expect(try server.stop() == .exited(0))
        }

        /// Protocol errors of a client are counted.
        private func expectEndsToBeCounted(_ server: StoaServer, _ token: String) throws {
            let violation = #"stoa_websocket_closes_total{by="server",code="1002"}"#
            let closeFrames = #"stoa_websocket_control_frames_total{direction="out",kind="close"}"#
            let before = figures(try server.get("/metrics", headers: Self.authorization).text)
            #expect(before[violation] == 0 && before[closeFrames] == 0)
            let rude = try server.connect(token)
            try rude.send(raw: WebSocketFrame.encode(text: "{}"))
            #expect(try rude.closeCode() == 1002)
            let after = figures(try server.get("/metrics", headers: Self.authorization).text)
            #expect(after[violation] == 1 && after[closeFrames] == 1)
        }

        /// Names, types and labels of metrics equal those in the documentation's table. A label may
        /// be missing: there may be one loop, and no remote engine.
        private func expectDocumented(_ shapes: [String: [String]]) throws {
            let page = try String(
                contentsOfFile: "\(SharedFiles.packageRoot)/docs/reference/metrics.md",
                encoding: .utf8
            )
            var documented: Set<String> = []
            for line in page.split(separator: "\n")
            where line.hasPrefix("| `stoa_") || line.hasPrefix("| `process_") {
                let cells = line.split(separator: "|").map {
                    String($0.drop { $0 == " " }.prefix { $0 != " " })
                }
                let name = cells[0].filter { $0 != "`" }
                documented.insert(name)
                let labels = line.matches(of: #/`([a-z]+)`: /#).map { String($0.1) }
                let shape = shapes[name] ?? []
                #expect(shape.first == cells[1], "\(name)")
                #expect(Set(shape.dropFirst()).isSubset(of: labels), "\(name)")
            }
            #expect(documented == Set(shapes.keys))
        }
    }
}

extension EndToEnd.OneServer {
    @Test("without a token in the settings there are no metrics for anyone")
    func noMetrics() throws {
        let server = try SharedServer.server()
        let missing = try server.get("/no-such-page")
        var tokens: [String?] = Array(SharedServer.tokens.values)
        tokens.append(nil)
        for token in tokens {
            let headers = token.map { [.authorization: "Bearer \($0)"] } ?? HTTPHeaders()
            let answer = try server.get("/metrics", headers: headers)
            #expect(answer.status == missing.status && answer.text == missing.text)
        }
    }
}
