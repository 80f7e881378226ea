// Engines on other machines that administrators add, drain and remove while servers run.

import ChatProtocol
import Doubles
import FoundationEssentials
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("Administration of remote engines")
    struct RemoteEngineAdministration {
        private func ask(_ text: String, by peer: Peer) throws -> Message {
            let request = ConversationCreateRequest(key: UUID().uuidString, model: "remote")
            let conversation = try peer.call(.conversationCreate, request).conversation.id
            var mirror = try peer.watch(conversation)
            let answer = try peer.say(text, in: conversation).answer.id
            try peer.follow(&mirror, until: answer, within: .seconds(50))
            return try #require(try peer.messages(of: conversation).last)
        }

        private func engines(_ peer: Peer) throws -> [EngineSummary] {
            try peer.call(.engineList).engines
        }

        private func labels(_ peer: Peer) throws -> [String] { try engines(peer).map(\.label) }

        private func hasModel(_ peer: Peer) throws -> Bool {
            try peer.call(.modelList).models.contains { $0.name == "remote" }
        }

        @Test("an added engine answers on every node, also after a restart, until it is removed")
        func lifeCycle() throws {
            let folder = try TemporaryFolder()
            let keyFile = try folder.write("key", Array("sesame-4713\n".utf8))
            let engine = try EngineDouble { _, _ in .chat("Hello.") }
            defer { engine.stop() }
            let first = try StoaServer(["--titles", "off"])
            try first.addUser("ada", isAdmin: true)
            try first.addUser("bo")
            let token = try first.signIn("ada")
            var ada = try first.connect(token)
            let bo = try first.connect(first.signIn("bo"))
            let second = try StoaServer(beside: first, ["--titles", "off"])
            let there = try second.connect(token)

            let add = EngineAddRequest(
                engine: "\(engine.base) model=phi as=remote label=gpu1 key-file=\(keyFile)"
            )
            #expect(try bo.refusal(.engineAdd, add) == .forbidden)
            #expect(try bo.refusal(.engineList, EmptyRequest()) == .forbidden)
            let added = try ada.call(.engineAdd, add).engine
            #expect(added.source == .administrators && added.label == "gpu1")
            #expect(try ada.refusal(.engineAdd, add) == .conflict)
            try eventually("the other node follows") { try hasModel(there) }
            #expect(try ask("Hi", by: there).text == "Hello.")
            #expect(engine.requests.last?.authorization == "Bearer sesame-4713")
            try eventually("its kind is known") {
                try engines(there).first?.kind == "vLLM 0.11.0"
            }

            try first.stop()
            try first.start()
            ada = try first.connect(token)
            #expect(try ask("Hi again", by: ada).text == "Hello.")
            let _: EmptyReply = try ada.call(.engineRemove, EngineRequest(label: "gpu1"))
            for peer in [ada, there] {
                try eventually("the engine and its model are gone") {
                    try labels(peer).isEmpty && !hasModel(peer)
                }
            }
            #expect(try ada.refusal(.engineRemove, EngineRequest(label: "gpu1")) == .notFound)

            let audit = try ada.call(.auditList, AuditListRequest(action: "engine"))
            #expect(audit.entries.map(\.action) == ["engine.removed", "engine.added"])
            #expect(!first.log.contains("sesame") && !second.log.contains("sesame"))
            withExtendedLifetime(folder) {}
        }

        @Test("a draining engine gets no requests, one of the settings is only drained")
        func drain() throws {
            let old = try EngineDouble { _, _ in .chat("old") }
            let new = try EngineDouble { _, _ in .chat("new") }
            defer {
                old.stop()
                new.stop()
            }
            let server = try StoaServer([
                "--titles", "off", "--remote-engine", "\(old.base) model=phi as=remote label=old",
            ])
            try server.addUser("ada", isAdmin: true)
            let token = try server.signIn("ada")
            var ada = try server.connect(token)
            #expect(try ask("Who are you?", by: ada).text == "old")
            _ = try ada.call(
                .engineAdd,
                EngineAddRequest(engine: "\(new.base) model=phi as=remote label=new")
            )
            let drained = try ada.call(.engineDrain, EngineDrainRequest(label: "old")).engine
            #expect(drained.source == .settings)
            for _ in 0..<3 { #expect(try ask("Who are you?", by: ada).text == "new") }
            #expect(try ada.refusal(.engineRemove, EngineRequest(label: "old")) == .conflict)
            #expect(try ada.refusal(.engineDrain, EngineDrainRequest(label: "x")) == .notFound)

            try server.stop()
            try server.start()
            ada = try server.connect(token)
            #expect(try engines(ada).map(\.state) == [.draining, .available])
            #expect(try ask("Who are you?", by: ada).text == "new")
            _ = try ada.call(.engineDrain, EngineDrainRequest(label: "old", draining: false))
            _ = try ada.call(.engineRemove, EngineRequest(label: "new"), as: EmptyReply.self)
            #expect(try ask("Who are you?", by: ada).text == "old")
        }

        @Test("an engine that cannot be used is refused with what to do")
        func refusals() throws {
            let server = try StoaServer()
            try server.addUser("ada", isAdmin: true)
            let ada = try server.connect(server.signIn("ada"))
            func refusal(_ words: String) throws -> WireError? {
                let request = EngineAddRequest(engine: words)
                guard case .failure(let error) = try ada.reply(to: ada.send(.engineAdd, request))
                else { return nil }
                return error
            }
            let missing = try refusal("http://gpu1:8000/v1 model=phi key-file=/nowhere/key")
            #expect(missing?.code == .badRequest)
            #expect(missing?.message.contains("/nowhere/key") == true)
            let odd = try refusal("http://gpu1:8000/v1 model=phi key=sesame")
            #expect(odd?.code == .badRequest)
            #expect(odd?.message.contains("is not a setting of an engine") == true)
            let torn = try refusal("http://gpu1:8000/v1 model=phi\nlabel=x")
            #expect(torn?.code == .badRequest)
            let long = String(repeating: "x", count: 201)
            #expect(try refusal("http://gpu1:8000/v1 model=phi label=\(long)")?.code == .badRequest)
            let own = try #require(try ada.call(.modelList).models.first?.name)
            let taken = try refusal("http://gpu1:8000/v1 model=phi as=\(own)")
            #expect(taken?.code == .conflict)
            #expect(try labels(ada).isEmpty)
        }

        @Test("stoa admin engines adds, lists, drains and removes, and asks first")
        func commands() throws {
            let engine = try EngineDouble { _, _ in .chat("Hello.") }
            defer { engine.stop() }
            let server = try StoaServer()
            try server.addUser("ada", isAdmin: true)
            func admin(_ arguments: String...) throws -> (
                end: Program.End, output: String, errors: String
            ) {
                try server.command(
                    ["admin", "engines"] + arguments
                        + ["--server", server.origin, "--user", "ada", "--password-stdin"],
                    input: "\(server.password(of: "ada"))\n"
                )
            }
            let added = try admin("add", engine.base, "model=phi", "as=remote", "label=gpu1")
            #expect(added.output.hasPrefix("gpu1: "), "\(added.errors)")
            let list = try admin("list")
            #expect(list.output.contains("gpu1") && list.output.contains("remote"))
            #expect(try admin("drain", "gpu1").output == "gpu1: draining\n")
            #expect(try admin("drain", "gpu1", "--undo").output == "gpu1: available\n")
            #expect(try admin("remove", "gpu1").errors.contains("--yes"))
            #expect(try admin("remove", "gpu1", "--yes").output == "gpu1: removed\n")
        }

        @Test("answers leave an engine that is removed at once, and others go on with them")
        func removedAtOnce() throws {
            let silent = try EngineDouble { _, _ in .stream([], ending: .stall) }
            let other = try EngineDouble { _, _ in .chat("Hello.") }
            defer {
                silent.stop()
                other.stop()
            }
            let server = try StoaServer()
            try server.addUser("ada", isAdmin: true)
            let ada = try server.connect(try server.signIn("ada"))
            _ = try ada.call(
                .engineAdd,
                EngineAddRequest(engine: "\(silent.base) model=phi as=remote label=silent")
            )
            let request = ConversationCreateRequest(key: UUID().uuidString, model: "remote")
            let conversation = try ada.call(.conversationCreate, request).conversation.id
            var mirror = try ada.watch(conversation)
            let answer = try ada.say("Who are you?", in: conversation).answer.id
            try eventually("the engine has it") { !silent.requests.isEmpty }
            _ = try ada.call(
                .engineAdd,
                EngineAddRequest(engine: "\(other.base) model=phi as=remote label=other")
            )
            let removal = try server.command(
                [
                    "admin", "engines", "remove", "silent", "--now", "--yes",
                    "--server", server.origin, "--user", "ada", "--password-stdin",
                ],
                input: "\(server.password(of: "ada"))\n"
            )
            #expect(removal.output == "silent: removed\n", "\(removal.errors)")
            // Otherwise it would have 20 s.
            try ada.follow(&mirror, until: answer, within: .seconds(15))
            #expect(mirror.text(of: answer) == "Hello.")
        }
    }
}
