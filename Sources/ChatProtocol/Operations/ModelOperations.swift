// Operations on models.

extension Operation {
    /// Lists the server's models.
    public static var modelList: Operation<EmptyRequest, ModelListReply> {
        .init(
            "model.list",
            requires: .signedIn,
            scope: .read,
            replies: """
                `{models, pullable?, memory?}`, the default first; `pullable`: short names to \
                offer, for users who may pull; `memory` `{total_bytes, available_bytes}`: the \
                machine's, for administrators
                """,
            examples: [EmptyRequest()]
        )
    }

    /// Downloads a model.
    public static var modelPull: Operation<ModelPullRequest, ModelReply> {
        .init(
            "model.pull",
            requires: .server(.pullModels),
            scope: .administer,
            takes: "`name` (a short one, or `org/name`), `revision?` (`main`)",
            replies: "`{model}`, after the commit; repeating it changes nothing",
            examples: [
                ModelPullRequest(name: "mlx-community/Phi-4-mini-instruct-4bit", revision: "main")
            ]
        )
    }

    /// Estimates what a model needs before it is downloaded.
    public static var modelEstimate: Operation<ModelPullRequest, ModelEstimateReply> {
        .init(
            "model.estimate",
            requires: .server(.pullModels),
            scope: .administer,
            takes: "`name` (a short one, or `org/name`), `revision?` (`main`)",
            replies: """
                `{name, estimate?, reason?, reason_code?}`: `estimate` `{download_bytes, \
                memory_bytes}`, from the files' sizes and the configuration on the hub: all files, \
                and the weights with keys and values of 4,000 tokens. Without one, `reason` says why
                """,
            examples: [
                ModelPullRequest(name: "mlx-community/Phi-4-mini-instruct-8bit", revision: "main")
            ]
        )
    }

    /// Cancels a model's download, or removes one that failed.
    public static var modelPullCancel: Operation<ModelRequest, EmptyReply> {
        .init(
            "model.pull.cancel",
            requires: .server(.pullModels),
            scope: .administer,
            takes: "`name`",
            replies: "`{}`; ends a pull, or forgets one that failed",
            examples: [ModelRequest(name: "mlx-community/Phi-4-mini-instruct-4bit")]
        )
    }

    /// Loads a model from its folder.
    public static var modelLoad: Operation<ModelRequest, ModelReply> {
        .init(
            "model.load",
            requires: .server(.manageModels),
            scope: .administer,
            takes: "`name`",
            replies: "`{model}`, after the commit; on all nodes that have it; idempotent",
            examples: [ModelRequest(name: "mlx-community/Phi-4-mini-instruct-4bit")]
        )
    }

    /// Unloads a model after its running answers; it stays on the disk.
    public static var modelUnload: Operation<ModelRequest, ModelReply> {
        .init(
            "model.unload",
            requires: .server(.manageModels),
            scope: .administer,
            takes: "`name`",
            replies: """
                `{model}`, after the commit; its running answers finish first; the default model \
                is refused with `conflict`; idempotent
                """,
            examples: [ModelRequest(name: "mlx-community/Phi-4-mini-instruct-4bit")]
        )
    }

    /// Makes a model the default.
    public static var modelDefault: Operation<ModelRequest, ModelReply> {
        .init(
            "model.default",
            requires: .server(.manageModels),
            scope: .administer,
            takes: "`name`",
            replies: """
                `{model}`, after the commit; it answers in new conversations that choose none; one \
                that is not loaded is refused with `conflict`; idempotent
                """,
            examples: [ModelRequest(name: "mlx-community/Phi-4-mini-instruct-4bit")]
        )
    }
}

extension OperationDefinition {
    static let models: [OperationDefinition] = [
        .init(.modelList),
        .init(.modelPull),
        .init(.modelEstimate),
        .init(.modelPullCancel),
        .init(.modelLoad),
        .init(.modelUnload),
        .init(.modelDefault),
    ]
}

// MARK: Requests and replies

/// `model.pull`: downloads a model; `model.estimate`: says what it would need. For administrators.
public struct ModelPullRequest: Codable, Sendable {
    /// A short name, or `org/name`.
    public var name: String
    /// A branch, a tag or a commit; `main` by default.
    public var revision: String?

    /// Creates a request.
    public init(name: String, revision: String? = nil) {
        self.name = name
        self.revision = revision
    }
}

/// `model.pull.cancel`, `model.load`, `model.unload` and `model.default`; for administrators.
public struct ModelRequest: Codable, Sendable {
    /// The name.
    public var name: String

    /// Creates a request.
    public init(name: String) {
        self.name = name
    }
}

/// The reply of `model.list`.
public struct ModelListReply: Codable, Sendable {
    /// All models of this server, the default first.
    public var models: [Model]
    /// Suggested names for `model.pull`; absent for users who may not download models.
    public var pullable: [String]?
    /// The memory of the machine that was asked; for administrators only.
    public var memory: MachineMemory?

    /// Creates a reply.
    public init(models: [Model], pullable: [String]? = nil, memory: MachineMemory? = nil) {
        self.models = models
        self.pullable = pullable
        self.memory = memory
    }
}

/// The memory of a machine, or of the container or service that the server runs in.
public struct MachineMemory: Codable, Hashable, Sendable {
    /// All of it, in bytes.
    public var totalBytes: Int64
    /// What a process can still take, in bytes, without anything being swapped out.
    public var availableBytes: Int64

    /// Creates the figures.
    public init(totalBytes: Int64, availableBytes: Int64) {
        self.totalBytes = totalBytes
        self.availableBytes = availableBytes
    }

    enum CodingKeys: String, CodingKey {
        case totalBytes = "total_bytes"
        case availableBytes = "available_bytes"
    }
}

/// What a model needs, estimated before it is downloaded.
public struct ModelEstimate: Codable, Hashable, Sendable {
    /// All of its files, in bytes.
    public var downloadBytes: Int64
    /// Its weights, and the keys and values of a conversation of 4,000 tokens, in bytes.
    public var memoryBytes: Int64

    /// Creates the figures.
    public init(downloadBytes: Int64, memoryBytes: Int64) {
        self.downloadBytes = downloadBytes
        self.memoryBytes = memoryBytes
    }

    enum CodingKeys: String, CodingKey {
        case downloadBytes = "download_bytes"
        case memoryBytes = "memory_bytes"
    }
}

/// The reply of `model.estimate`.
public struct ModelEstimateReply: Codable, Sendable {
    /// The model's full name.
    public var name: String
    /// The estimate; absent if there is none.
    public var estimate: ModelEstimate?
    /// Why there is none.
    public var reason: String?
    /// The reason's code.
    public var reasonCode: SentenceCode?

    /// Creates a reply.
    public init(
        name: String,
        estimate: ModelEstimate? = nil,
        reason: String? = nil,
        reasonCode: SentenceCode? = nil
    ) {
        self.name = name
        self.estimate = estimate
        self.reason = reason
        self.reasonCode = reasonCode
    }

    enum CodingKeys: String, CodingKey {
        case name, estimate, reason
        case reasonCode = "reason_code"
    }
}

/// The reply of `model.pull`, `model.load`, `model.unload` and `model.default`, after the commit.
public struct ModelReply: Codable, Sendable {
    /// The model as it is now.
    public var model: Model

    /// Creates a reply.
    public init(model: Model) {
        self.model = model
    }
}
