// Operations on models.

extension Operation {
    /// Lists the server's models.
    public static var modelList: Operation<EmptyRequest, ModelListReply> {
        .init(
            "model.list",
            requires: .signedIn,
            scope: .read,
            replies: """
                `{models, pullable?}`, the default first; `pullable`: short names to offer, for \
                users who may pull
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
}

extension OperationDefinition {
    static let models: [OperationDefinition] = [
        .init(.modelList),
        .init(.modelPull),
        .init(.modelPullCancel),
    ]
}

// MARK: Requests and replies

/// `model.pull`: downloads a model; for administrators.
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

/// `model.pull.cancel`: cancels a download; for administrators.
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

    /// Creates a reply.
    public init(models: [Model], pullable: [String]? = nil) {
        self.models = models
        self.pullable = pullable
    }
}

/// The reply of `model.pull`, after the commit.
public struct ModelReply: Codable, Sendable {
    /// The model as it is now.
    public var model: Model

    /// Creates a reply.
    public init(model: Model) {
        self.model = model
    }
}
