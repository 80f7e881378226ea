// Text completions and biases of models that engines on other machines answer for.

import ChatProtocol
import Doubles
import FoundationEssentials
import HTTPProtocol
import JSONText
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("Completions by remote engines")
    struct RemoteCompletions {
        private struct Site {
            let server: StoaServer
            let key: HTTPHeaders

            init(_ engine: String) throws {
                server = try StoaServer(["--titles", "off", "--remote-engine", engine])
                try server.addUser("ada")
                key = try server.key([.complete], of: server.signIn("ada"))
            }

            func post(_ path: String, _ fields: String) throws -> HTTPAnswer {
                var headers = key
                headers[.contentType] = "application/json"
                return try HTTPCall.send(
                    .post,
                    path,
                    port: server.port,
                    headers: headers,
                    body: Array(#"{"model":"there","max_tokens":9,\#(fields)}"#.utf8)
                )
            }

            func refusal(_ path: String, _ fields: String) throws -> String? {
                let answer = try post(path, fields)
                guard answer.status == 400 else { return "status \(answer.status)" }
                return try answer.decode(as: CompletionReply.self).error?.param
            }
        }

        private static let chat = "/v1/chat/completions"
        private static let messages = #""messages":[{"role":"user","content":"Hi"}]"#

        @Test("a prompt without a template is sent as token ids, and biases as they are")
        func tokens() throws {
            let folder = try TemporaryFolder()
            let demo = try TheModels.copyDemo(to: "\(folder.path)/demo")
            let engine = try EngineDouble { _, _ in .stream([" upon", " a time"]) }
            defer { engine.stop() }
            let site = try Site("\(engine.base) model=phi as=there tokenizer=\(demo)")

            let text = try site.post("/v1/completions", #""prompt":"Once","echo":true"#)
            #expect(text.status == 200 && text.text.contains(#""text":"Once upon a time""#))
            let sent = try #require(engine.requests.last)
            #expect(sent.path == "/v1/completions")
            let ids = try #require(sent.body["prompt"]?.array).compactMap(\.integer)
            let list = ids.map(String.init).joined(separator: ",")
            let tokens = try site.post("/v1/completions", #""prompt":[\#(list)],"echo":true"#)
            #expect(tokens.status == 200 && tokens.text.contains(#""text":"Once upon a time""#))
            #expect(engine.requests.last?.body["prompt"] == sent.body["prompt"])

            let biased = try site.post(Self.chat, #"\#(Self.messages),"logit_bias":{"40":-5}"#)
            #expect(biased.status == 200, "\(biased.text)")
            #expect(engine.requests.last?.body["logit_bias"]?["40"]?.double == -5)

            #expect(
                try site.refusal(Self.chat, #"\#(Self.messages),"logit_bias":{"99999":1}"#)
                    == "logit_bias"
            )
            #expect(try site.refusal("/v1/completions", #""prompt":[99999]"#) == "prompt")
            #expect(
                try site.refusal("/v1/completions", #""prompt":"a","logprobs":1"#) == "logprobs"
            )
            withExtendedLifetime(folder) {}
        }

        @Test("a prompt without a template is refused by name where no tokenizer is")
        func refusals() throws {
            let engine = try EngineDouble { _, _ in .chat("Hi.") }
            defer { engine.stop() }
            let site = try Site("\(engine.base) model=phi as=there")
            #expect(try site.refusal("/v1/completions", #""prompt":"a""#) == "prompt")
            #expect(try site.refusal("/v1/completions", #""prompt":[5]"#) == "prompt")
            #expect(
                try site.refusal(Self.chat, #"\#(Self.messages),"logprobs":true"#) == "logprobs"
            )
            #expect(engine.requests.isEmpty)
        }
    }
}
