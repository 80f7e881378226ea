// Models that administrators load, unload and make the default while the server runs.

import ChatProtocol
import FoundationEssentials
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("Loaded models")
    struct LoadedModels {
        /// A server with two copies of the demo model, of which the first is the default.
        private static func server(_ folder: TemporaryFolder) throws -> StoaServer {
            let models = try ["first", "second"].map {
                try TheModels.copyDemo(to: "\(folder.path)/\($0)")
            }
            let server = try StoaServer(["--model", models[0], "--model", models[1]])
            try server.addUser("ada", isAdmin: true)
            try server.addUser("bo")
            return server
        }

        private func change(
            _ operation: ChatProtocol.Operation<ModelRequest, ModelReply>,
            _ name: String,
            by peer: Peer
        ) throws -> Model {
            try peer.call(operation, ModelRequest(name: name), as: ModelReply.self).model
        }

        /// Whether the server has mapped a model's weights.
        private func isMapped(_ model: String, by server: StoaServer) throws -> Bool {
            let process = try #require(server.process)
            let maps = try Data(contentsOf: URL(filePath: "/proc/\(process)/maps"))
            return String(decoding: maps, as: UTF8.self).contains("/\(model)/model.safetensors")
        }

        @Test("a model is unloaded after its answers, its memory is free, and it is loaded again")
        func unload() throws {
            let folder = try TemporaryFolder()
            let server = try Self.server(folder)
            let ada = try server.connect(server.signIn("ada"))
            let bo = try server.connect(server.signIn("bo"))
            for name in ["first", "second"] { try ada.waitForModel(name, .ready) }
            let second = ModelRequest(name: "second")
            #expect(try bo.refusal(.modelLoad, second) == .forbidden)
            #expect(try bo.refusal(.modelUnload, second) == .forbidden)
            #expect(try bo.refusal(.modelDefault, second) == .forbidden)
            #expect(try isMapped("second", by: server))

            let create = ConversationCreateRequest(key: "1", model: "second")
            let conversation = try bo.call(
                .conversationCreate,
                create,
                as: ConversationReply.self
            ).conversation.id
            var mirror = try bo.watch(conversation)
            // Running or queued when the model goes: no answer is lost.
            let answer = try bo.say("Tell me a long story.", in: conversation).answer.id
            let unloading = try change(.modelUnload, "second", by: ada)
            #expect([.unloading, .unloaded].contains(unloading.state))
            try bo.follow(&mirror, until: answer)
            #expect(mirror.state(of: answer) == .complete)
            try ada.waitForModel("second", .unloaded)
            #expect(try !isMapped("second", by: server))
            #expect(try isMapped("first", by: server))
            #expect(try !bo.ask("And now?", in: conversation, &mirror).isEmpty)
            let choice = ConversationUpdateRequest(conversation: conversation, model: "second")
            #expect(try bo.refusal(.conversationUpdate, choice) == .notFound)

            _ = try change(.modelLoad, "second", by: ada)
            try ada.waitForModel("second", .ready)
            #expect(try isMapped("second", by: server))
            #expect(try !bo.ask("Hello again!", in: conversation, &mirror).isEmpty)
        }

        @Test("the default and what is unloaded are remembered, and everybody sees the changes")
        func choices() throws {
            let folder = try TemporaryFolder()
            let server = try Self.server(folder)
            let token = try server.signIn("ada")
            var ada = try server.connect(token)
            let bo = try server.connect(server.signIn("bo"))
            for name in ["first", "second"] { try bo.waitForModel(name, .ready) }
            #expect(try ada.refusal(.modelUnload, ModelRequest(name: "first")) == .conflict)
            #expect(try change(.modelDefault, "second", by: ada).isDefault == true)
            try bo.waitForModel("second") { $0.isDefault == true }
            #expect(try change(.modelUnload, "first", by: ada).isDefault == nil)
            try bo.waitForModel("first", .unloaded)
            #expect(try ada.refusal(.modelUnload, ModelRequest(name: "second")) == .conflict)
            #expect(try ada.refusal(.modelDefault, ModelRequest(name: "first")) == .conflict)
            #expect(try ada.refusal(.modelLoad, ModelRequest(name: "third")) == .notFound)

            try server.stop()
            try server.start()
            ada = try server.connect(token)
            try ada.waitForModel("second", .ready)
            let list: ModelListReply = try ada.call(.modelList)
            #expect(list.models.map(\.name) == ["second", "first"])
            #expect(list.models.map(\.state) == [.ready, .unloaded])
            #expect(list.models.map(\.isDefault) == [true, nil])
            let memory = try #require(list.memory)
            #expect(memory.totalBytes >= memory.availableBytes && memory.availableBytes > 0)
            let request = ConversationCreateRequest(key: "1")
            let created = try ada.call(.conversationCreate, request, as: ConversationReply.self)
            #expect(created.conversation.model == "second")
            let audit: AuditListReply = try ada.call(
                .auditList,
                AuditListRequest(action: "model")
            )
            #expect(audit.entries.map(\.action) == ["model.unloaded", "model.default_changed"])
            #expect(audit.entries.allSatisfy { $0.actor.name == "ada" })
        }

        @Test("stoa admin models lists, loads and unloads, and asks first")
        func commands() throws {
            let folder = try TemporaryFolder()
            let server = try Self.server(folder)
            let ada = try server.connect(server.signIn("ada"))
            for name in ["first", "second"] { try ada.waitForModel(name, .ready) }
            func admin(_ arguments: String...) throws -> (
                end: Program.End, output: String, errors: String
            ) {
                try server.command(
                    ["admin", "models"] + arguments
                        + ["--server", server.origin, "--user", "ada", "--password-stdin"],
                    input: "\(server.password(of: "ada"))\n"
                )
            }
            let asked = try admin("unload", "second")
            #expect(asked.end == .exited(64))
            #expect(asked.errors.contains("--yes"), "\(asked.errors)")
            let unloaded = try admin("unload", "second", "--yes")
            #expect(unloaded.end == .exited(0), "\(unloaded.errors)")
            try ada.waitForModel("second", .unloaded)
            let list = try admin("list")
            #expect(list.output.contains("unloaded"), "\(list.output)")
            #expect(list.output.contains("MB available"), "\(list.output)")
            #expect(try admin("load", "second").end == .exited(0))
            try ada.waitForModel("second", .ready)
            #expect(try admin("default", "second").output == "second: ready, the default\n")
            let refused = try admin("unload", "second", "--yes")
            #expect(refused.errors.contains("make another one the default"), "\(refused.errors)")
        }
    }
}
