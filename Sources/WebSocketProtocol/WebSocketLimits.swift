// Memory limits for received messages.

/// Limits of received messages. Exceeding one throws the `WebSocketError` in parentheses.
public struct WebSocketLimits: Sendable, Hashable {
    /// Maximum payload bytes of a frame (`frameTooLarge`).
    public var frameBytesMax: Int
    /// Maximum bytes of a message over all its fragments, decompressed (`messageTooLarge`).
    public var messageBytesMax: Int
    /// Maximum fragments of a message (`tooManyFragments`); even empty ones cost work.
    public var fragmentCountMax: Int

    /// Creates limits; the defaults suit a server for JSON.
    public init(
        frameBytesMax: Int = 1024 * 1024,
        messageBytesMax: Int = 1024 * 1024,
        fragmentCountMax: Int = 1024
    ) {
        self.frameBytesMax = frameBytesMax
        self.messageBytesMax = messageBytesMax
        self.fragmentCountMax = fragmentCountMax
    }
}
