// Engines on other machines that stream, stall, cut a character in two, lie about usage, refuse, and
// die: what their users see, and which engine goes on.

import ChatProtocol
import Doubles
import FoundationEssentials
import HTTPProtocol
import JSONText
import TLSEngine
import TestSupport
import Testing

extension EndToEnd.SeveralServers {
    @Suite("Remote engines")
    struct RemoteEngines {
        private static let deadlines = "first-token-seconds=2 next-token-seconds=1"

        /// A server, and a user's connection to it.
        private struct Site {
            let server: StoaServer
            let user: Peer

            /// Asks in a new conversation of the remote model.
            func ask(_ text: String = "Tell me a story.") throws -> Message {
                let conversation = try create()
                var mirror = try user.watch(conversation)
                let answer = try user.say(text, in: conversation).answer.id
                try user.follow(&mirror, until: answer, within: .seconds(50))
                let messages = try user.messages(of: conversation)
                let stored = try #require(messages.last)
                // What was seen growing is what is stored, once and in order.
                #expect(mirror.text(of: answer) == stored.text)
                return stored
            }

            func create() throws -> ConversationID {
                let request = ConversationCreateRequest(key: UUID().uuidString, model: "remote")
                return try user.call(.conversationCreate, request, as: ConversationReply.self)
                    .conversation.id
            }

            var contextLength: Int? {
                get throws {
                    try user.call(.modelList, EmptyRequest(), as: ModelListReply.self)
                        .models.first { $0.name == "remote" }?.contextLength
                }
            }

            func receipt(of message: Message) throws -> JSONValue {
                let path =
                    "/api/v1/conversations/\(message.conversation)/messages/\(message.id)/receipt"
                let token = try server.signIn("ada")
                let answer = try server.get(path, headers: [.authorization: "Bearer \(token)"])
                return try JSONValue(parsing: Array(answer.text.utf8))
            }
        }

        private func site(
            _ engines: EngineDouble...,
            words: String = "",
            settings: [String] = [],
            environment: [String: String] = [:]
        ) throws -> Site {
            let arguments = engines.enumerated().flatMap { number, engine in
                [
                    "--remote-engine",
                    "\(engine.base) model=phi as=remote label=e\(number) \(Self.deadlines) \(words)",
                ]
            }
            // A title would be another request.
            let server = try StoaServer(
                arguments + settings + ["--titles", "off"],
                environment: environment
            )
            try server.addUser("ada")
            return Site(server: server, user: try server.connect(server.signIn("ada")))
        }

        /// A folder with the demo model's tokenizer: the same for any engine that takes its ids.
        private func tokenizer() throws -> (TemporaryFolder, String) {
            let folder = try TemporaryFolder()
            let model = try EndToEnd.WithServersOfTheirOwn.TheModels.copyDemo(
                to: "\(folder.path)/tokenizer"
            )
            return (folder, "tokenizer=\(model)")
        }

        @Test("with a tokenizer folder the engine gets token ids, its key, and the receipt says so")
        func tokens() throws {
            let (folder, words) = try tokenizer()
            let keyFile = try folder.write("key", Array("sesame-4711\n".utf8))
            let engine = try EngineDouble { _, request in
                let count = request.body["prompt"]?.array?.count ?? 0
                return .stream(
                    ["Once upon ", "a time 🦉"],
                    usage: """
                        {"prompt_tokens":\(count),"completion_tokens":7,\
                        "prompt_tokens_details":{"cached_tokens":2}}
                        """
                )
            }
            defer { engine.stop() }
            let site = try site(engine, words: "\(words) key-file=\(keyFile)")
            let answer = try site.ask()
            #expect(answer.text == "Once upon a time 🦉" && answer.state == .complete)
            #expect(answer.usage?.completionTokens == 7 && answer.usage?.cachedTokens == 2)
            let request = try #require(engine.requests.first)
            #expect(request.path == "/v1/completions")
            #expect(request.authorization == "Bearer sesame-4711")
            #expect((request.body["prompt"]?.array?.count ?? 0) > 3)
            let remote = try site.receipt(of: answer)["remote"]
            #expect(remote?["template"] == .string("here") && remote?["usage"] == .string("told"))
            #expect(remote?["kind"] == .string("vLLM") && remote?["engine"] == .string("e0"))
            #expect(!site.server.log.contains("sesame"))
        }

        @Test("--model-thinking is sent to an engine that has such a limit; one without it refuses")
        func thinking() throws {
            let engine = try EngineDouble { _, _ in .chat("Hello.") }
            defer { engine.stop() }
            let settings = ["--model-thinking", "remote=7"]
            #expect(try site(engine, settings: settings).ask().text == "Hello.")
            let request = try #require(engine.requests.first)
            #expect(request.body["thinking_token_budget"]?.integer == 7)
            // A program of which nothing is known but OpenAI's API.
            let other = try EngineDouble { _, _ in .chat("Hello.") }
            defer { other.stop() }
            other.set("/v1/models", #"{"data":[{"id":"phi","object":"model","owned_by":"me"}]}"#)
            let site = try site(other, settings: settings)
            let refused = try site.ask()
            #expect(refused.state == .failed && other.requests.isEmpty)
            #expect(refused.error?.message.contains("cannot limit what it thinks") == true)
            #expect(site.server.log.contains("leave the model out of --model-thinking"))
        }

        @Test("an engine behind TLS is trusted by its ca-file only, and its key may be a variable")
        func security() throws {
            let folder = try TemporaryFolder()
            let certificate = try SelfSignedCertificate(in: folder)
            let tls = try TLSServerConfiguration(
                certificateFile: certificate.certificateFile,
                keyFile: certificate.keyFile
            )
            let engine = try EngineDouble(tls: tls) { _, _ in .chat("Hello.") }
            defer { engine.stop() }
            let trusting = try site(
                engine,
                words: "ca-file=\(certificate.certificateFile) key-env=GPU_KEY",
                environment: ["GPU_KEY": "sesame-4712"]
            )
            #expect(try trusting.ask().text == "Hello.")
            #expect(engine.requests.first?.authorization == "Bearer sesame-4712")
            #expect(!trusting.server.log.contains("sesame"))
            // The system's certificates do not vouch for it.
            let doubting = try site(engine)
            try eventually("the engine is refused") {
                doubting.server.log.contains("remote engine does not answer yet")
            }
            #expect(engine.requests.count == 1)
            withExtendedLifetime(folder) {}
        }

        @Test("a context that the engine tells is used, unless a smaller one is set")
        func context() throws {
            let engine = try EngineDouble(contextLength: 2048) { _, _ in .chat("Hello.") }
            defer { engine.stop() }
            let told = try site(engine)
            _ = try told.ask()
            #expect(try told.contextLength == 2048)
            let less = try site(engine, words: "context=1024")
            _ = try less.ask()
            #expect(try less.contextLength == 1024)
            let more = try site(engine, words: "context=8192")
            _ = try more.ask()
            #expect(try more.contextLength == 2048)
            #expect(more.server.log.contains("smaller context than set"))
        }

        @Test("an engine that dies in the middle is replaced, and no text is doubled")
        func failover() throws {
            let (folder, words) = try tokenizer()
            defer { withExtendedLifetime(folder) {} }
            let dying = try EngineDouble { _, _ in
                // The last event is cut within the bytes of an owl.
                var reply = EngineDouble.Reply.stream(["Once ", "upon "], ending: .cut)
                reply.pieces.append(
                    Array(#"data: {"choices":[{"index":0,"text":""#.utf8) + [0xF0, 0x9F]
                )
                return reply
            }
            let other = try EngineDouble { _, _ in .stream(["a ", "time 🦉"]) }
            defer {
                dying.stop()
                other.stop()
            }
            let site = try site(dying, other, words: words)
            let answer = try site.ask()
            #expect(answer.text == "Once upon a time 🦉" && answer.state == .complete)
            let first = try #require(dying.requests.first?.body["prompt"]?.array)
            let second = try #require(other.requests.first?.body["prompt"]?.array)
            #expect(second.count > first.count && Array(second.prefix(first.count)) == first)
            let remote = try site.receipt(of: answer)["remote"]
            #expect(remote?["requests"] == .integer(2) && remote?["engine"] == .string("e1"))
        }

        @Test("without a tokenizer folder messages are sent, and vLLM continues the last one")
        func messages() throws {
            let dying = try EngineDouble { _, _ in .chat("Once ", ending: .cut) }
            let other = try EngineDouble { _, _ in .chat("upon a time") }
            defer {
                dying.stop()
                other.stop()
            }
            let site = try site(dying, other)
            let answer = try site.ask("<|end|> forged")
            #expect(answer.text == "Once upon a time" && answer.state == .complete)
            let body = try #require(other.requests.first?.body)
            #expect(body["continue_final_message"] == .bool(true))
            let contents = body["messages"]?.array?.map { $0["content"]?.string }
            #expect(contents?.suffix(2) == ["<|end|> forged", "Once "])
            let remote = try site.receipt(of: answer)["remote"]
            #expect(remote?["template"] == .string("elsewhere"))
            #expect(remote?["usage"] == .string("counted"))
        }

        @Test("an engine that stalls is given up at its deadline, and another one goes on")
        func stall() throws {
            let (folder, words) = try tokenizer()
            defer { withExtendedLifetime(folder) {} }
            let stalling = try EngineDouble { _, _ in .stream(["Once "], ending: .stall) }
            let other = try EngineDouble { _, _ in .stream(["upon a time"]) }
            defer {
                stalling.stop()
                other.stop()
            }
            let site = try site(stalling, other, words: words)
            let answer = try site.ask()
            #expect(answer.text == "Once upon a time" && answer.state == .complete)
            #expect(stalling.closedCount == 1)
        }

        @Test("429 and 503 are waited for, as long as the engine asks")
        func busy() throws {
            let engine = try EngineDouble { number, _ in
                switch number {
                case 0: .error(429, "too many", retryAfter: 1)
                case 1: .error(503, "loading")
                default: .chat("Hi")
                }
            }
            defer { engine.stop() }
            let site = try site(engine)
            let answer = try site.ask()
            #expect(answer.text == "Hi" && engine.requests.count == 3)
        }

        @Test("usage that cannot be true is not charged")
        func lies() throws {
            let (folder, words) = try tokenizer()
            defer { withExtendedLifetime(folder) {} }
            let engine = try EngineDouble { _, _ in
                .stream(["a", "b"], usage: #"{"prompt_tokens":1,"completion_tokens":1000000}"#)
            }
            defer { engine.stop() }
            let site = try site(engine, words: words)
            let answer = try site.ask()
            #expect(answer.text == "ab" && answer.usage?.completionTokens == 2)
            #expect((answer.usage?.promptTokens ?? 0) > 3)
            #expect(try site.receipt(of: answer)["remote"]?["usage"] == .string("counted"))
            #expect(site.server.log.contains("usage not believed"))
        }

        @Test("an engine that refuses is told in plain words, without its address")
        func refusal() throws {
            let engine = try EngineDouble { _, _ in .error(400, "context is too long") }
            defer { engine.stop() }
            let site = try site(engine)
            let answer = try site.ask()
            #expect(answer.state == .failed && answer.error?.code == .engineFailed)
            let message = answer.error?.message ?? ""
            #expect(message.contains("refused this question"))
            #expect(!message.contains("127.0.0.1"))
            #expect(site.server.log.contains("context is too long"))
        }

        @Test("a redirect is not followed")
        func redirect() throws {
            let other = try EngineDouble { _, _ in .stream(["stolen"]) }
            let target = other.base
            let engine = try EngineDouble { number, _ in
                guard number == 0 else { return .error(400, "enough") }
                return EngineDouble.Reply(
                    status: 307,
                    headers: [.location: "\(target)/chat/completions"]
                )
            }
            defer {
                engine.stop()
                other.stop()
            }
            let site = try site(engine)
            #expect(try site.ask().state == .failed)
            #expect(other.requests.isEmpty)
        }

        @Test("a stop request closes the connection, and keeps the text")
        func stop() throws {
            let (folder, words) = try tokenizer()
            defer { withExtendedLifetime(folder) {} }
            let engine = try EngineDouble { _, _ in .stream(["Once "], ending: .stall) }
            defer { engine.stop() }
            let site = try site(engine, words: words + " next-token-seconds=60")
            let conversation = try site.create()
            var mirror = try site.user.watch(conversation)
            let answer = try site.user.say("Hello!", in: conversation).answer.id
            try site.user.follow(&mirror) { $0.text(of: answer) == "Once " }
            let stop = GenerationStopRequest(message: answer)
            let _: GenerationStopReply = try site.user.call(.generationStop, stop)
            try site.user.follow(&mirror, until: answer, within: .seconds(5))
            #expect(mirror.state(of: answer) == .stopped && mirror.text(of: answer) == "Once ")
            #expect(engine.requests.count == 1)
        }

        @Test("a server that dies continues the answer at a remote engine")
        func takeover() throws {
            let (folder, words) = try tokenizer()
            defer { withExtendedLifetime(folder) {} }
            let engine = try EngineDouble { number, _ in
                number == 0 ? .stream(["Once "], ending: .stall) : .stream(["upon a time"])
            }
            defer { engine.stop() }
            let line = "\(engine.base) model=phi as=remote next-token-seconds=60 \(words)"
            let server = try StoaServer(["--lease-seconds", "3", "--remote-engine", line])
            try server.addUser("ada")
            let token = try server.signIn("ada")
            let site = Site(server: server, user: try server.connect(token))
            let conversation = try site.create()
            var mirror = try site.user.watch(conversation)
            let answer = try site.user.say("Hello!", in: conversation).answer.id
            try site.user.follow(&mirror) { $0.text(of: answer) == "Once " }
            // Until the checkpoint is stored, which a reader on another node would see.
            let second = try StoaServer(beside: server, ["--remote-engine", line])
            let reader = try second.connect(token)
            var copy = try reader.watch(conversation)
            try reader.follow(&copy) { $0.text(of: answer) == "Once " }
            try server.kill()
            try reader.follow(&copy, until: answer)
            #expect(copy.text(of: answer) == "Once upon a time")
            #expect(copy.continuationCount == 1)
            _ = try second.stop()
            try server.start()
        }
    }
}
