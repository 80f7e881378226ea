/// The limits that a server names in `welcome`. Exceeding one gets an error reply.
public struct ProtocolLimits: Codable, Hashable, Sendable {
    /// Maximum size of a frame from a client, in bytes.
    public var frameBytes: Int
    /// Maximum size of a message text or system prompt, in UTF-8 bytes.
    public var textBytes: Int
    /// Maximum size of a title, in UTF-8 bytes.
    public var titleBytes: Int
    /// Maximum requests per connection without a reply yet.
    public var requestsInFlight: Int
    /// Maximum conversations that one connection may watch.
    public var watchedConversations: Int

    /// The default limits.
    public static let standard = ProtocolLimits(
        frameBytes: 1 << 20,
        textBytes: 256 << 10,
        titleBytes: 500,
        requestsInFlight: 64,
        watchedConversations: 100
    )

    /// Creates the limits.
    public init(
        frameBytes: Int,
        textBytes: Int,
        titleBytes: Int,
        requestsInFlight: Int,
        watchedConversations: Int
    ) {
        self.frameBytes = frameBytes
        self.textBytes = textBytes
        self.titleBytes = titleBytes
        self.requestsInFlight = requestsInFlight
        self.watchedConversations = watchedConversations
    }

    enum CodingKeys: String, CodingKey {
        case frameBytes = "frame_bytes"
        case textBytes = "text_bytes"
        case titleBytes = "title_bytes"
        case requestsInFlight = "requests_in_flight"
        case watchedConversations = "watched_conversations"
    }
}
