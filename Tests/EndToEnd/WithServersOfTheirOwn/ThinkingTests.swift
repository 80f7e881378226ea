// A reasoning model: its thinking part is stored with the answer, and left out where the answer alone counts.

import ChatProtocol
import FoundationEssentials
import HTTPProtocol
import JSONText
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("A model that thinks before it answers")
    struct ThinkingTests {
        private static let question = ThinkingModel.question

        private let folder: TemporaryFolder
        private let model: [String]

        init() throws {
            folder = try TemporaryFolder()
            model = ["--model", try ThinkingModel.make(in: folder.path, as: "thinker")]
        }

        private func server(_ arguments: [String] = []) throws -> (StoaServer, Peer) {
            let server = try StoaServer(model + ["--titles", "off"] + arguments)
            try server.addUser("ada")
            return (server, try server.connect(try server.signIn("ada")))
        }

        @Test("--max-thinking-tokens closes a thinking part at its limit")
        func generate() throws {
            func answer(_ options: [String]) throws -> String {
                let program = try Program(
                    StoaServer.program,
                    ["generate", "--prompt", Self.question] + model + options,
                    environment: [:],
                    errorPath: "\(folder.path)/errors"
                )
                return try program.end(within: .seconds(60)).rest
            }
            let (start, end) = ThinkingModel.thinking
            let whole = try answer([])
            #expect(whole.hasPrefix("<think>\(start)"), "\(whole)")
            #expect(whole.contains("\(end)</think> \(ThinkingModel.answer.start)"), "\(whole)")
            let short = try answer(["--max-thinking-tokens", "2"])
            #expect(short.hasPrefix("<think> upon a</think>"), "\(short)")
        }

        @Test("its text has the part between the tags, and its usage says how long it was")
        func stored() throws {
            let (server, ada) = try server()
            let conversation = try ada.createConversation()
            var mirror = try ada.watch(conversation)
            let text = try ada.ask(Self.question, in: conversation, &mirror)
            let (start, end) = ThinkingModel.thinking
            #expect(text.hasPrefix("<think>\(start)"), "\(text)")
            #expect(text.contains("\(end)</think> \(ThinkingModel.answer.start)"), "\(text)")
            let answer = try #require(ada.messages(of: conversation).last)
            #expect(answer.text == text)
            #expect(answer.usage?.thinkingTokens == ThinkingModel.thinkingTokens)
            #expect(answer.usage?.thinkingMilliseconds ?? 0 > 0)
            withExtendedLifetime(server) {}
        }

        @Test("later prompts have the answer alone, and can be rebuilt and repeated")
        func prompts() throws {
            let (server, ada) = try server()
            let conversation = try ada.createConversation()
            var mirror = try ada.watch(conversation)
            _ = try ada.ask(Self.question, in: conversation, &mirror)
            _ = try ada.ask("Who are you?", in: conversation, &mirror)
            let answer = try #require(ada.messages(of: conversation).last)
            let replay = ["replay", "\(answer.id)", "--data-dir", server.dataDirectory] + model
            let prompt = try server.command(replay)
            #expect(prompt.output.contains(ThinkingModel.answer.middle))
            #expect(!prompt.output.contains("think") && !prompt.output.contains("lighthouse"))
            #expect(prompt.end == .exited(0), "\(prompt.errors)")
            let first = try #require(ada.messages(of: conversation).dropLast(2).last)
            for message in [first, answer] {
                let again = try server.command(
                    ["replay", "\(message.id)", "--run", "--data-dir", server.dataDirectory] + model
                )
                #expect(again.output.hasPrefix("the same"), "\(again.output)\(again.errors)")
            }
        }

        @Test("search finds words of the answer, and none of what it thought")
        func search() throws {
            let (server, ada) = try server()
            let conversation = try ada.createConversation()
            var mirror = try ada.watch(conversation)
            _ = try ada.ask(Self.question, in: conversation, &mirror)
            func count(_ query: String) throws -> Int {
                let request = SearchRequest(query: query)
                let reply: SearchReply = try ada.call(.search, request)
                return reply.results.count
            }
            #expect(try count("river somebody") == 1)
            for hidden in ["lighthouse", "lighth", "\"young bear\"", "think"] {
                #expect(try count(hidden) == 0, "\(hidden)")
            }
            withExtendedLifetime(server) {}
        }

        @Test("a conversation limits the part; with 0 it is closed at once")
        func limit() throws {
            let (server, ada) = try server()
            for limit in [0, 2] {
                let settings = GenerationSettings(maxThinkingTokens: limit)
                let conversation = try ada.createConversation(settings: settings)
                var mirror = try ada.watch(conversation)
                let text = try ada.ask(Self.question, in: conversation, &mirror)
                let start = "<think>\(limit == 0 ? "" : " upon a")</think>"
                #expect(text.hasPrefix(start), "\(text)")
                let answer = try #require(ada.messages(of: conversation).last)
                #expect(answer.usage?.thinkingTokens == limit)
            }
            withExtendedLifetime(server) {}
        }

        @Test("the server limits the part for one model; a conversation overrides it")
        func limitOfModel() throws {
            for (limit, thinking) in [("off", ""), ("2", " upon a")] {
                let (server, ada) = try server([
                    "--max-thinking-tokens", "5", "--model-thinking", "thinker=\(limit)",
                    "--model-thinking", "another=7",
                ])
                let list: ModelListReply = try ada.call(.modelList)
                #expect(list.models.first?.maxThinkingTokens == (limit == "off" ? 0 : 2))
                for (settings, expected) in [
                    (GenerationSettings(), thinking),
                    (GenerationSettings(maxThinkingTokens: 1), " upon"),
                ] {
                    let conversation = try ada.createConversation(settings: settings)
                    var mirror = try ada.watch(conversation)
                    let text = try ada.ask(Self.question, in: conversation, &mirror)
                    #expect(text.hasPrefix("<think>\(expected)</think>"), "\(text)")
                }
                withExtendedLifetime(server) {}
            }
        }

        @Test("OpenAI's API has it in fields of its own, and limits it")
        func api() throws {
            let (server, _) = try server()
            let key = try server.key([.complete], of: server.signIn("ada"))
            func complete(_ path: String, _ body: String) throws -> JSONValue {
                var headers = key
                headers[.contentType] = "application/json"
                let answer = try HTTPCall.send(
                    .post,
                    path,
                    port: server.port,
                    headers: headers,
                    body: Array(body.utf8)
                )
                try #require(answer.status == 200, "\(answer.text)")
                return try JSONValue(parsing: Array(answer.text.utf8))
            }
            let asked = #"{"role":"user","content":"\#(Self.question)"}"#
            for (limit, thinking) in [
                (#","max_thinking_tokens":1"#, " upon"),
                (#","reasoning_effort":"low","max_tokens":10"#, " upon a"),
                (#","reasoning_effort":"none""#, nil),
            ] as [(String, String?)] {
                let reply = try complete(
                    "/v1/chat/completions",
                    #"{"model":"thinker","messages":[\#(asked)]\#(limit)}"#
                )
                let message = reply["choices"]?.array?.first?["message"]
                #expect(message?["reasoning_content"]?.string == thinking, "\(reply)")
                #expect(message?["content"]?.string?.contains("think") == false)
            }
            let whole = try complete(
                "/v1/chat/completions",
                #"{"model":"thinker","messages":[\#(asked)]}"#
            )
            let message = whole["choices"]?.array?.first?["message"]
            let thinking = try #require(message?["reasoning_content"]?.string)
            #expect(thinking.hasPrefix(ThinkingModel.thinking.start))
            #expect(thinking.hasSuffix(ThinkingModel.thinking.end))
            #expect(message?["content"]?.string?.hasPrefix(ThinkingModel.answer.start) == true)
            let response = try complete(
                "/v1/responses",
                #"{"model":"thinker","input":"\#(Self.question)"}"#
            )
            let output = response["output"]?.array ?? []
            #expect(output.map { $0["type"]?.string } == ["reasoning", "message"])
            let details = response["usage"]?["output_tokens_details"]
            #expect(details?["reasoning_tokens"]?.integer == ThinkingModel.thinkingTokens)
        }

        @Test("--no-thinking leaves out what a model thinks")
        func terminal() throws {
            let (server, ada) = try server()
            let conversation = try ada.createConversation()
            var mirror = try ada.watch(conversation)
            _ = try ada.ask(Self.question, in: conversation, &mirror)
            _ = try server.command(
                ["login", server.origin, "--user", "ada", "--password-stdin"],
                input: "\(server.password(of: "ada"))\n"
            )
            let show = ["show", "\(conversation)", "--server", server.origin, "--user", "ada"]
            for (options, isShown) in [([], true), (["--no-thinking"], false)] {
                let terminal = try PseudoTerminal(server, show + options, columns: 300, rows: 40)
                try terminal.read(until: ThinkingModel.answer.middle)
                let output = String(decoding: terminal.output, as: UTF8.self)
                #expect(output.contains("lighthouse") == isShown, "\(output)")
                #expect(output.contains("(thinking)") != isShown, "\(output)")
                #expect(!output.contains("think>"), "\(output)")
            }
            let piped = try server.command(show)
            #expect(piped.output.contains(ThinkingModel.answer.middle), "\(piped.errors)")
            #expect(!piped.output.contains("lighthouse") && !piped.output.contains("think>"))
            let lines = try server.command(show + ["--json"])
            #expect(lines.output.contains("</think>"))
        }

        @Test("an answer resumes within the part after its server is killed")
        func resumes() throws {
            let server = try StoaServer(
                model + ["--titles", "off", "--lease-seconds", "3", "--threads", "1"]
                    + ["--max-thinking-tokens", "60"],
                environment: ["STOA_KERNELS": "scalar"]
            )
            try server.addUser("ada")
            let token = try server.signIn("ada")
            var ada = try server.connect(token)
            let question = Self.question
            let undisturbed = try ada.createConversation()
            var mirror = try ada.watch(undisturbed)
            let expected = try ada.ask(question, in: undisturbed, &mirror)
            let end = try #require(expected.firstRange(of: "</think>")).lowerBound
            let half = expected[..<end].utf8.count / 2
            let conversation = try ada.createConversation()
            var other = try ada.watch(conversation)
            let answer = try ada.say(question, in: conversation).answer.id
            try ada.follow(&other) {
                $0.text(of: answer).utf8.count > half || $0.state(of: answer)?.isFinal == true
            }
            try server.kill()
            try server.start()
            ada = try server.connect(token)
            other = try ada.watch(conversation)
            try ada.follow(&other, until: answer)
            #expect(other.text(of: answer) == expected)
            let usage = try #require(ada.messages(of: conversation).last?.usage)
            #expect(usage.thinkingTokens == 60)
        }
    }
}
