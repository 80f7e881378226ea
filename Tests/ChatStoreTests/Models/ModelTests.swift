import ChatCore
import ChatProtocol
import ChatStore
import FoundationEssentials
import Testing

@Suite("Requested models")
struct ModelTests {
    @Test("one download runs at a time; a repeated request starts it again")
    func requests() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            try await store.models.add("org/one", revision: "main", by: ann.id)
            try await store.models.add("org/one", revision: "v2", by: ann.id)
            #expect(
                await refusal {
                    try await store.models.add("org/two", revision: "main", by: ann.id)
                } == .busy
            )
            try await store.models.markFetched("org/one")
            try await store.models.add("org/two", revision: "main", by: ann.id)
            var models = try await store.models.list()
            #expect(models.map(\.name) == ["org/one", "org/two"])
            #expect(models.map(\.revision) == ["v2", "main"])
            #expect(models.map(\.isFetched) == [true, false])
            try await store.models.forget("org/two")
            try await store.models.forget("org/none")
            models = try await store.models.list()
            #expect(models.map(\.name) == ["org/one"])
        }
    }
}

@Suite("Choices of models")
struct ModelChoiceTests {
    @Test("one model is the default and cannot be unloaded; a new download is loaded")
    func choices() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            #expect(try await store.models.choices() == ModelChoices())
            try await store.models.setLoaded(false, "org/one", by: ann)
            try await store.models.setLoaded(false, "org/two", by: ann)
            try await store.models.setDefault("org/one", by: ann)
            #expect(
                try await store.models.choices()
                    == ModelChoices(defaultName: "org/one", unloaded: ["org/two"])
            )
            #expect(
                await refusal { try await store.models.setLoaded(false, "org/one", by: ann) }
                    == .conflict
            )
            try await store.models.setDefault("org/two", by: ann)
            #expect(try await store.models.choices() == ModelChoices(defaultName: "org/two"))
            try await store.models.setLoaded(false, "org/one", by: ann)
            try await store.models.add("org/one", revision: "main", by: ann.id)
            #expect(try await store.models.choices() == ModelChoices(defaultName: "org/two"))
            let audit = try await store.audit.entries(AuditListRequest(action: "model"), limit: 9)
            #expect(
                audit.entries.map(\.action) == [
                    "model.unloaded", "model.default_changed", "model.default_changed",
                    "model.unloaded", "model.unloaded",
                ]
            )
        }
    }
}

@Suite("Runs of several models")
struct ModelFilterTests {
    @Test("runs of models that are not ready wait, and delay no others")
    func claims() async throws {
        try await withStore { store, _ in
            let node = UUID()
            let ann = try await store.someone()
            for model in ["slow", "quick", "gone"] {
                let conversation = try await store.conversations.create(
                    ConversationCreateRequest(key: model),
                    model: model,
                    systemPrompt: "",
                    by: ann.id
                )
                let send = MessageSendRequest(
                    conversation: conversation.id,
                    key: "\(model)-1",
                    text: "?"
                )
                _ = try await store.messages.send(
                    send,
                    by: ann,
                    limits: QueueLimits(total: 100, perUser: 100)
                )
            }
            func claim(_ models: ModelFilter) async throws -> Int {
                let run = try await store.claimRun(node: node, lease: .seconds(60), of: models)
                return run == nil ? 0 : 1
            }
            let models = try await store.queue.rows(limit: 9).map(\.answer.model)
            #expect(models == ["slow", "quick", "gone"])
            #expect(try await claim(.only([])) == 0)
            #expect(try await claim(.only(["quick"])) == 1)
            #expect(try await claim(.allBut(["slow"])) == 1)
            #expect(try await claim(.allBut([])) == 1)
        }
    }
}
