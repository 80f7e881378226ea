// Models that are another one with an adapter, in a server of their own.

import ChatProtocol
import FoundationEssentials
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("Adapters")
    struct Adapters {
        @Test("an adapter of the settings is a model that people and programs choose by its name")
        func choice() throws {
            let folder = try TemporaryFolder()
            let model = try TheModels.copyDemo(to: "\(folder.path)/plain")
            let adapters = try [1, 2].map { try RandomAdapter.ofDemoModel(seed: $0) }
            let server = try StoaServer([
                "--model", model, "--adapter", "\(adapters[0].path) as=pirate",
                "--adapter", "\(adapters[1].path) of=plain as=poet",
            ])
            try server.addUser("ada")
            let token = try server.signIn("ada")
            let ada = try server.connect(token)
            let names = ["plain", "pirate", "poet"]
            for name in names { try ada.waitForModel(name, .ready) }
            let list: ModelListReply = try ada.call(.modelList)
            #expect(list.models.map(\.name) == names)

            // In the page's protocol, and in OpenAI's.
            let key = try server.key([.complete], of: token)
            var texts: [String] = []
            for name in names {
                var body = CompletionBody("Tell me a long story.")
                body.model = name
                body.maxTokens = 40
                let answer = try server.complete(body, key)
                let reply = try answer.decode(as: CompletionReply.self)
                #expect(reply.model == name)
                texts.append(try #require(reply.text))
                let create = ConversationCreateRequest(key: name, model: name)
                let conversation = try ada.call(
                    .conversationCreate,
                    create,
                    as: ConversationReply.self
                ).conversation.id
                var mirror = try ada.watch(conversation)
                #expect(try !ada.ask("Tell me a long story.", in: conversation, &mirror).isEmpty)
            }
            #expect(Set(texts).count == 3)
        }

        @Test("an adapter that does not fit ends the start with the reason")
        func refusal() throws {
            let folder = try TemporaryFolder()
            let model = try TheModels.copyDemo(to: "\(folder.path)/plain")
            let adapter = try RandomAdapter.ofDemoModel(seed: 1)
            let refused: [(setting: String, reason: String, status: Int32)] = [
                ("\(folder.path)/none", "has no adapter_config.json", 66),
                ("\(adapter.path) of=other", "is of other", 78),
                ("\(adapter.path) as=plain", "two models would be called plain", 78),
            ]
            for (setting, reason, status) in refused {
                let program = try Program(
                    StoaServer.program,
                    [
                        "serve", "--data-dir", "\(folder.path)/data", "--model", model,
                        "--adapter", setting,
                    ],
                    errorPath: "\(folder.path)/errors"
                )
                #expect(try program.end().0 == .exited(status), "\(setting)")
                #expect(program.errorOutput.contains(reason), "\(program.errorOutput)")
            }
        }
    }
}
