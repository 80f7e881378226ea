// How much one message may make us hold.

/// The bounds of received messages. Going over one is the `WebSocketError` that its line names.
public struct WebSocketLimits: Sendable, Hashable {
    /// Payload bytes of one frame (`frameTooLarge`).
    public var frameBytesMax: Int
    /// Bytes of one message over all its fragments, unpacked (`messageTooLarge`).
    public var messageBytesMax: Int
    /// Fragments of one message (`tooManyFragments`): empty ones cost work, too.
    public var fragmentCountMax: Int

    /// Limits with the defaults of a server that takes JSON.
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
