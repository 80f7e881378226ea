// Where a remote engine is, and how it is asked. Named by an administrator; nothing that an engine
// answers changes it.

public import HTTPProtocol

/// One remote engine.
public struct RemoteAddress: Sendable, Hashable {
    /// Its name in logs, metrics and receipts.
    public var label: String
    /// The base URL of its API, such as `http://gpu1:8000/v1`.
    public var base: HTTPURL
    /// The model's name there.
    public var model: String
    /// The key that is sent as a bearer token; never shown.
    public var key: String?
    /// A PEM file with the only certificates to trust; nil for the system's.
    public var trustedFile: String?
    /// Maximum number of answers that it is asked for at once.
    public var slots = 16
    /// Maximum tokens of prompt and answer together; nil for what the engine tells. If it tells
    /// less, that counts.
    public var contextLimit: Int?
    /// Whether it gets no new requests.
    public var isDraining = false
    /// Deadlines.
    public var deadlines = Deadlines()

    /// How long to wait for an engine.
    public struct Deadlines: Sendable, Hashable {
        /// For a connection, with TLS; also for what it says about itself.
        public var connection: Duration = .seconds(5)
        /// From the request to its first token: it may wait for a slot there and read a long
        /// prompt.
        public var firstToken: Duration = .seconds(120)
        /// From one token to the next.
        public var nextToken: Duration = .seconds(30)

        /// Creates the defaults.
        public init() {}
    }

    /// Creates an address.
    public init(label: String, base: HTTPURL, model: String) {
        self.label = label
        self.base = base
        self.model = model
    }

    /// Whether another address is the same engine, asked in the same way.
    func isSame(as other: RemoteAddress) -> Bool {
        var other = other
        other.isDraining = isDraining
        return self == other
    }

    /// The path of the base URL, without a slash at its end.
    var path: String {
        let path = base.target.prefix { $0 != "?" }
        return path.hasSuffix("/") ? String(path.dropLast()) : String(path)
    }
}

/// A model that remote engines answer for.
public struct RemoteModel: Sendable {
    /// Maximum tokens of prompt and answer together, until an engine tells its own.
    public static let contextLengthDefault = 4096

    /// Its name for users.
    public var name: String
    /// Encodes plain text with the model's tokenizer; nil without a tokenizer folder. Then prompts
    /// are sent as messages, and token ids are placeholders that only count.
    public var encode: (@Sendable (String) -> [Int32])?

    /// Creates a model.
    public init(name: String, encode: (@Sendable (String) -> [Int32])?) {
        self.name = name
        self.encode = encode
    }
}
