// The replies to `GET /v1/models` and `GET /v1/models/NAME`.
// https://platform.openai.com/docs/api-reference/models

/// A model in the list.
public struct ListedModel: Sendable, Hashable, Encodable {
    /// Its name, for the field `model` of requests.
    public var id: String
    /// Always `model`.
    public let object = "model"
    /// When this server began to serve it, in seconds since 1970.
    public var created: Int64
    /// Always `stoa`.
    public let owner = "stoa"
    /// Maximum tokens of a prompt and its answer, under the name that vLLM gives it.
    public var contextLength: Int?

    /// Creates an entry.
    public init(id: String, created: Int64, contextLength: Int?) {
        self.id = id
        self.created = created
        self.contextLength = contextLength
    }

    enum CodingKeys: String, CodingKey {
        case id, object, created
        case owner = "owned_by"
        case contextLength = "max_model_len"
    }
}

/// The list of models.
public struct ModelList: Sendable, Encodable {
    /// Always `list`.
    public let object = "list"
    /// The models.
    public var data: [ListedModel]

    /// Creates a list.
    public init(_ data: [ListedModel]) { self.data = data }
}
