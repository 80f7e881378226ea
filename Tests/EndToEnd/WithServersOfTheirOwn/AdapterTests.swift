// Models that are another one with an adapter, in a server of their own.

import ChatProtocol
import FoundationEssentials
import HTTPProtocol
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("Adapters")
    struct Adapters {
        private static let story = "Tell me a long story."
        private static let metricsToken = "a-token-for-metrics"

        /// A copy of the demo model, two adapters of it, and the settings of a server with them.
        private struct Models {
            let folder: TemporaryFolder
            let adapters: [TemporaryFolder]
            let names = ["plain", "pirate", "poet"]
            let arguments: [String]

            init() throws {
                folder = try TemporaryFolder()
                adapters = try [1, 2].map { try RandomAdapter.ofDemoModel(seed: $0) }
                arguments = [
                    "--model", try TheModels.copyDemo(to: "\(folder.path)/plain"),
                    "--adapter", "\(adapters[0].path) as=pirate",
                    "--adapter", "\(adapters[1].path) of=plain as=poet",
                ]
            }

            func server(_ more: [String] = []) throws -> StoaServer {
                let server = try StoaServer(
                    arguments + more,
                    environment: ["STOA_METRICS_TOKEN": Adapters.metricsToken]
                )
                try server.addUser("ada", isAdmin: true)
                return server
            }
        }

        /// A conversation with a model, and a connection that watches it.
        private struct Talk {
            let peer: Peer
            let conversation: ConversationID
            var mirror: Mirror

            init(with model: String, on server: StoaServer, _ token: String) throws {
                peer = try server.connect(token)
                let request = ConversationCreateRequest(
                    key: UUID().uuidString,
                    model: model,
                    settings: GenerationSettings(temperature: 0)
                )
                conversation = try peer.call(
                    .conversationCreate,
                    request,
                    as: ConversationReply.self
                ).conversation.id
                mirror = try peer.watch(conversation)
            }

            func say(_ text: String) throws -> MessageID {
                try peer.say(text, in: conversation).answer.id
            }

            mutating func ask(_ text: String) throws -> Message {
                let answer = try say(text)
                try peer.follow(&mirror, until: answer)
                return try #require(peer.messages(of: conversation).last)
            }
        }

        /// The models with a figure of `stoa_model_memory_bytes`.
        private func modelsInMemory(of server: StoaServer) throws -> [String] {
            let headers: HTTPHeaders = [.authorization: "Bearer \(Self.metricsToken)"]
            let start = "stoa_model_memory_bytes{model=\""
            return try server.get("/metrics", headers: headers).text.split(separator: "\n")
                .filter { $0.hasPrefix(start) }
                .map { String($0.dropFirst(start.utf8.count).prefix { $0 != "\"" }) }
        }

        /// How often the server has mapped a model's weights.
        private func mappings(of model: String, by server: StoaServer) throws -> Int {
            let process = try #require(server.process)
            let maps = try Data(contentsOf: URL(filePath: "/proc/\(process)/maps"))
            return String(decoding: maps, as: UTF8.self).split(separator: "\n")
                .count { $0.hasSuffix("/\(model)/model.safetensors") }
        }

        @Test("an adapter of the settings is a model that people and programs choose by its name")
        func choice() throws {
            let models = try Models()
            let server = try models.server()
            let token = try server.signIn("ada")
            let ada = try server.connect(token)
            for name in models.names { try ada.waitForModel(name, .ready) }
            let list: ModelListReply = try ada.call(.modelList)
            #expect(list.models.map(\.name) == models.names)
            try eventually("only the weights of plain are in memory, once") {
                try modelsInMemory(of: server) == ["plain"]
                    && mappings(of: "plain", by: server) == 1
            }

            // In OpenAI's protocol.
            let key = try server.key([.complete], of: token)
            let offered = try server.get("/v1/models", headers: key).text
            var texts: [String] = []
            for name in models.names {
                #expect(offered.contains("\"\(name)\""))
                var body = CompletionBody(Self.story)
                body.model = name
                body.maxTokens = 40
                let reply = try server.complete(body, key).decode(as: CompletionReply.self)
                #expect(reply.model == name)
                texts.append(try #require(reply.text))
            }
            #expect(Set(texts).count == 3)
        }

        @Test("two names answer at once, with the same text as alone and receipts that replay")
        func together() throws {
            let models = try Models()
            let server = try models.server(["--slots", "2"])
            let token = try server.signIn("ada")
            let ada = try server.connect(token)
            for name in models.names { try ada.waitForModel(name, .ready) }
            let alone = try ["plain", "poet"].map { name in
                var talk = try Talk(with: name, on: server, token)
                return try talk.ask(Self.story)
            }
            var (plain, poet) = (
                try Talk(with: "plain", on: server, token),
                try Talk(with: "poet", on: server, token)
            )
            let answers = (try plain.say(Self.story), try poet.say(Self.story))
            try plain.peer.follow(&plain.mirror, until: answers.0)
            try poet.peer.follow(&poet.mirror, until: answers.1)
            let messages = try [plain, poet].map {
                try #require($0.peer.messages(of: $0.conversation).last)
            }
            #expect(messages.map(\.text) == alone.map(\.text))
            #expect(messages[0].text != messages[1].text)

            for message in messages {
                let (end, output, errors) = try server.command(
                    ["replay", "\(message.id)", "--run", "--data-dir", server.dataDirectory]
                        + models.arguments
                )
                #expect(end == .exited(0), "\(errors)")
                #expect(output.hasPrefix("the same "), "\(output)")
                #expect(!errors.contains("note:"), "\(errors)")
            }
            let (end, _, errors) = try server.command(
                ["replay", "\(messages[1].id)", "--run", "--data-dir", server.dataDirectory]
                    + models.arguments.prefix(2)
            )
            #expect(end == .exited(1))
            #expect(errors.contains("the adapter is another one"), "\(errors)")
        }

        @Test("under a memory limit all names of a model leave and come back together")
        func memory() throws {
            let models = try Models()
            let config = "\(models.folder.path)/stoa.json"
            func limit(_ mebibytes: Int) throws {
                try Data("{\"model-memory\": \(mebibytes)}".utf8).write(to: URL(filePath: config))
            }
            try limit(40)
            let other = try TheModels.copyDemo(to: "\(models.folder.path)/other")
            let server = try models.server(["--model", other, "--config", config])
            let token = try server.signIn("ada")
            let ada = try server.connect(token)
            let all = models.names + ["other"]
            for name in all { try ada.waitForModel(name, .ready) }
            #expect(try modelsInMemory(of: server) == ["other", "plain"])

            func states() throws -> [Model.State] {
                let list: ModelListReply = try ada.call(.modelList)
                return try all.map { name in
                    try #require(list.models.first { $0.name == name }).state
                }
            }
            var talks = try ["other", "poet"].map { try Talk(with: $0, on: server, token) }
            #expect(try !talks[0].ask("Hello!").text.isEmpty)
            try limit(20)
            server.hangUp()
            try eventually("the one that was used longest ago leaves, with its adapters") {
                try states() == [.standby, .standby, .standby, .ready]
            }
            // A model in standby may still be leaving.
            try eventually("their memory is free") {
                try modelsInMemory(of: server) == ["other"]
                    && mappings(of: "plain", by: server) == 0
            }
            #expect(try !talks[1].ask("Hello!").text.isEmpty)
            try eventually("they are back, and the other one has left") {
                try states() == [.ready, .ready, .ready, .standby]
            }
            try eventually("only the weights of plain are in memory, once") {
                try modelsInMemory(of: server) == ["plain"]
                    && mappings(of: "plain", by: server) == 1
            }
        }

        @Test("an adapter that does not fit ends the start with the reason")
        func refusal() throws {
            let folder = try TemporaryFolder()
            let model = try TheModels.copyDemo(to: "\(folder.path)/plain")
            let adapter = try RandomAdapter.ofDemoModel(seed: 1)
            let wide = try RandomAdapter.ofDemoModel(seed: 1, hidden: 512)
            let refused: [(setting: String, reason: String, status: Int32)] = [
                ("\(folder.path)/none", "has no adapter_config.json", 66),
                (wide.path, "is from 576 to 512 numbers where the model's layer is from 576", 66),
                ("\(adapter.path) of=other", "is of other", 78),
                ("\(adapter.path) as=plain", "two models would be called plain", 78),
            ]
            for (setting, reason, status) in refused {
                let program = try Program(
                    StoaServer.program,
                    ["serve", "--data-dir", "\(folder.path)/data", "--model", model]
                        + ["--adapter", setting],
                    errorPath: "\(folder.path)/errors"
                )
                #expect(try program.end().0 == .exited(status), "\(setting)")
                #expect(program.errorOutput.contains(reason), "\(program.errorOutput)")
            }
        }
    }
}
