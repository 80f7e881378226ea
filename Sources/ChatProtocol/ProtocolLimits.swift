/// The bounds that a server names in `welcome`. Going over one gets an error reply.
public struct ProtocolLimits: Codable, Hashable, Sendable {
    /// The largest frame a client may send, in bytes.
    public var frameBytes: Int
    /// The largest message text or system prompt, in UTF-8 bytes.
    public var textBytes: Int
    /// The largest title, in UTF-8 bytes.
    public var titleBytes: Int
    /// Requests of one connection that may wait for their replies.
    public var requestsInFlight: Int
    /// Conversations that one connection may watch.
    public var watchedConversations: Int

    /// The limits of a server that names no others.
    public static let standard = ProtocolLimits(
        frameBytes: 1 << 20,
        textBytes: 256 << 10,
        titleBytes: 500,
        requestsInFlight: 64,
        watchedConversations: 100
    )

    /// Puts limits together.
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
