// Operations on remote engines, for administrators.

extension Operation {
    /// Lists the remote engines as the asked node sees them.
    public static var engineList: Operation<EmptyRequest, EngineListReply> {
        .init(
            "engine.list",
            requires: .server(.manageModels),
            scope: .administer,
            replies: """
                `{engines}`: the remote engines as the asked node sees them, without their keys
                """,
            examples: [EmptyRequest()]
        )
    }

    /// Adds a remote engine on all nodes.
    public static var engineAdd: Operation<EngineAddRequest, EngineReply> {
        .init(
            "engine.add",
            requires: .server(.manageModels),
            scope: .administer,
            takes: """
                `engine`: `URL model=NAME [WORD=VALUE …]`, the words of the setting \
                `remote-engine`; a key is named by its file or variable on the servers
                """,
            replies: """
                `{engine}`, after the commit; on all nodes; one whose key, certificate or tokenizer \
                cannot be read on the asked node is refused with `bad_request`, one with a label \
                that exists with `conflict`
                """,
            examples: [
                EngineAddRequest(
                    engine: "http://gpu1:8000/v1 model=microsoft/phi-4 as=phi-4 label=gpu1"
                )
            ]
        )
    }

    /// Sends no new requests to an engine, or does again.
    public static var engineDrain: Operation<EngineDrainRequest, EngineReply> {
        .init(
            "engine.drain",
            requires: .server(.manageModels),
            scope: .administer,
            takes: "`label`, `draining?` (`true`; `false` ends it)",
            replies: """
                `{engine}`, after the commit; its running answers finish, and it gets no others; \
                on all nodes; idempotent
                """,
            examples: [EngineDrainRequest(label: "gpu1", draining: true)]
        )
    }

    /// Removes an engine that was added.
    public static var engineRemove: Operation<EngineRequest, EmptyReply> {
        .init(
            "engine.remove",
            requires: .server(.manageModels),
            scope: .administer,
            takes: "`label`, `now?`",
            replies: """
                `{}`, after the commit; its running answers have 20 s, or none with `now`, until \
                another engine of the model goes on with them; one of the settings is refused with \
                `conflict`
                """,
            examples: [
                EngineRequest(label: "gpu1"), EngineRequest(label: "gpu1", isImmediate: true),
            ]
        )
    }
}

extension OperationDefinition {
    static let engines: [OperationDefinition] = [
        .init(.engineList),
        .init(.engineAdd),
        .init(.engineDrain),
        .init(.engineRemove),
    ]
}

// MARK: Requests and replies

/// `engine.add`: adds a remote engine; for administrators.
public struct EngineAddRequest: Codable, Sendable {
    /// `URL model=NAME [WORD=VALUE …]`.
    public var engine: String

    /// Creates a request.
    public init(engine: String) {
        self.engine = engine
    }
}

/// `engine.drain`: sends no new requests to an engine; for administrators.
public struct EngineDrainRequest: Codable, Sendable {
    /// The label.
    public var label: String
    /// Whether it gets no new requests; true by default.
    public var draining: Bool?

    /// Creates a request.
    public init(label: String, draining: Bool? = nil) {
        self.label = label
        self.draining = draining
    }
}

/// `engine.remove`: removes an engine; for administrators.
public struct EngineRequest: Codable, Sendable {
    /// The label.
    public var label: String
    /// Whether other engines go on with its running answers at once; false by default.
    public var isImmediate: Bool?

    private enum CodingKeys: String, CodingKey {
        case label
        case isImmediate = "now"
    }

    /// Creates a request.
    public init(label: String, isImmediate: Bool? = nil) {
        self.label = label
        self.isImmediate = isImmediate
    }
}

/// The reply of `engine.list`.
public struct EngineListReply: Codable, Sendable {
    /// The engines, those of the settings first.
    public var engines: [EngineSummary]

    /// Creates a reply.
    public init(engines: [EngineSummary]) {
        self.engines = engines
    }
}

/// The reply of `engine.add` and `engine.drain`, after the commit.
public struct EngineReply: Codable, Sendable {
    /// The engine as it is now.
    public var engine: EngineSummary

    /// Creates a reply.
    public init(engine: EngineSummary) {
        self.engine = engine
    }
}
