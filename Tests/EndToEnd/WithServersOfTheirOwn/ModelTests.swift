// Several models, models that fail to load, and downloads by administrators.

import ChatProtocol
import FoundationEssentials
import Glibc
import HTTPProtocol
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("The server's models")
    struct TheModels {
        @Test("each conversation is answered by its model, which can be changed")
        func choice() throws {
            let folder = try TemporaryFolder()
            let models = try ["first", "second"].map {
                try Self.copyDemo(to: "\(folder.path)/\($0)")
            }
            let server = try StoaServer(["--model", models[0], "--model", models[1]])
            try server.addUser("ada")
            let ada = try server.connect(server.signIn("ada"))
            for name in ["first", "second"] { try ada.waitForModel(name, .ready) }
            let list: ModelListReply = try ada.call(.modelList)
            #expect(list.models.map(\.name) == ["first", "second"])
            #expect(list.models.map(\.isDefault) == [true, nil])
            #expect(list.pullable == nil)

            func create(_ model: String?) throws -> Conversation {
                let request = ConversationCreateRequest(key: UUID().uuidString, model: model)
                return try ada.call(.conversationCreate, request, as: ConversationReply.self)
                    .conversation
            }
            #expect(try create(nil).model == "first")
            let conversation = try create("second")
            #expect(conversation.model == "second")
            var mirror = try ada.watch(conversation.id)
            #expect(try !ada.ask("Hello!", in: conversation.id, &mirror).isEmpty)
            let change = ConversationUpdateRequest(conversation: conversation.id, model: "first")
            let changed = try ada.call(.conversationUpdate, change, as: ConversationReply.self)
            #expect(changed.conversation.model == "first")
            try ada.follow(&mirror) { $0.n == changed.conversation.n }
            #expect(try !ada.ask("Hello again!", in: conversation.id, &mirror).isEmpty)

            let wrong = ConversationUpdateRequest(conversation: conversation.id, model: "third")
            let error = #expect(throws: WireError.self) {
                try ada.call(.conversationUpdate, wrong, as: ConversationReply.self)
            }
            #expect(error?.code == .notFound)
            #expect(error?.message.contains("first, second") == true)
        }

        @Test("a model that fails to load is reported, and the server keeps serving")
        func failure() throws {
            let folder = try TemporaryFolder()
            let model = try Self.copyDemo(to: "\(folder.path)/broken")
            try Data("{".utf8).write(to: URL(filePath: "\(model)/tokenizer.json"))
            let server = try StoaServer(["--model", model])
            try server.addUser("ada", isAdmin: true)
            try server.addUser("bo")
            let ada = try server.connect(server.signIn("ada"))
            let bo = try server.connect(server.signIn("bo"))
            let told = try ada.waitForModel("broken", .failed)
            #expect(told.reason?.contains("tokenizer.json") == true)
            #expect(try bo.waitForModel("broken", .failed).reason == nil)
            let health = try HTTPCall.send(.get, "/readyz", port: server.port)
            #expect(health.status == 503)
            #expect(health.text.contains("no model could be loaded"))

            let conversation = try bo.createConversation()
            var mirror = try bo.watch(conversation)
            let answer = try bo.say("Hello!", in: conversation).answer.id
            try bo.follow(&mirror, until: answer)
            #expect(mirror.state(of: answer) == .failed)
            let error = try bo.messages(of: conversation).last?.error
            #expect(error?.code == .engineFailed)
            #expect(error?.message.contains("broken") == true)
            #expect(error?.message.contains(folder.path) == false)
        }

        @Test("a download survives a killed server, and the model answers afterwards")
        func killedMeanwhile() throws {
            let hub = try DemoHub()
            let server = try StoaServer(environment: ["HF_ENDPOINT": hub.address])
            try server.addUser("ada", isAdmin: true)
            try server.addUser("bo")
            let token = try server.signIn("ada")
            var ada = try server.connect(token)
            let bo = try server.connect(server.signIn("bo"))
            let request = ModelPullRequest(name: DemoHub.model)
            #expect(try bo.refusal(.modelPull, request) == .forbidden)
            #expect(try bo.refusal(.modelPullCancel, ModelRequest(name: "a/b")) == .forbidden)

            hub.hold()
            let pulled = try ada.call(.modelPull, request, as: ModelReply.self)
            #expect(pulled.model.state == .fetching)
            try ada.waitForModel(DemoHub.model) { ($0.fetch?.doneBytes ?? 0) > 0 }
            let seen = try bo.waitForModel(DemoHub.model) { ($0.progress ?? 0) > 0 }
            #expect(seen.fetch == nil)
            try server.kill()
            hub.release()
            try server.start()
            ada = try server.connect(token)
            try ada.waitForModel(DemoHub.model, .ready)
            let create = ConversationCreateRequest(key: "k", model: DemoHub.model)
            let conversation = try ada.call(.conversationCreate, create, as: ConversationReply.self)
                .conversation.id
            var mirror = try ada.watch(conversation)
            #expect(try !ada.ask("Hello!", in: conversation, &mirror).isEmpty)

            // The next start has it in the cache, whatever the hub says.
            hub.hold()
            try server.stop()
            try server.start()
            ada = try server.connect(token)
            try ada.waitForModel(DemoHub.model, .ready)
        }

        @Test("with downloads disabled, administrators cannot download either")
        func switchedOff() throws {
            let server = try StoaServer(["--model-pull", "off"])
            try server.addUser("ada", isAdmin: true)
            let ada = try server.connect(server.signIn("ada"))
            #expect(try ada.refusal(.modelPull, ModelPullRequest(name: "phi-4-mini")) == .forbidden)
            let list: ModelListReply = try ada.call(.modelList)
            #expect(list.pullable == nil)
        }

        /// Creates a model folder whose loading the test controls: opening a pipe waits for its
        /// other end.
        /// - Returns: the pipe.
        static func makeGate(at folder: String) throws -> String {
            let pipe = "\(try copyDemo(to: folder))/tokenizer.json"
            try FileManager.default.removeItem(atPath: pipe)
            guard mkfifo(pipe, 0o600) == 0 else { throw HarnessError("no pipe: errno \(errno)") }
            return pipe
        }

        /// Creates a copy of the demo model's folder.
        static func copyDemo(to folder: String) throws -> String {
            let demo = "\(SharedFiles.packageRoot)/Sources/BundledFiles/demo-model"
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: false
            )
            for file in try FileManager.default.contentsOfDirectory(atPath: demo) {
                let bytes = try Data(contentsOf: URL(filePath: "\(demo)/\(file)"))
                try bytes.write(to: URL(filePath: "\(folder)/\(file)"))
            }
            return folder
        }
    }
}

extension Peer {
    /// Waits until the list or an event shows a model that `matches`.
    @discardableResult
    func waitForModel(
        _ name: String,
        within duration: Duration = .patience,
        until matches: (Model) -> Bool
    ) throws -> Model {
        let list: ModelListReply = try call(.modelList)
        if let model = list.models.first(where: { $0.name == name }), matches(model) {
            return model
        }
        let deadline = Deadline(duration)
        while !deadline.isOver {
            guard case .modelChanged(let changed) = try nextEvent(within: duration) else {
                continue
            }
            if changed.model.name == name, matches(changed.model) { return changed.model }
        }
        throw HarnessError("the model \(name) does not become what it should")
    }

    /// Waits until a model has reached a state.
    @discardableResult
    func waitForModel(_ name: String, _ state: Model.State) throws -> Model {
        try waitForModel(name) { $0.state == state }
    }
}
