// The bounds of one stream.

/// How much may wait in a stream, and how long its end may take.
public struct StreamLimits: Hashable, Sendable {
    /// A stream above its high mark is drained again when no more bytes wait than this.
    public var writeLowMark: Int
    /// Above this number of waiting bytes a writer should stop until `streamDrained`.
    public var writeHighMark: Int
    /// A write that would make more bytes wait than this closes the stream.
    public var writeByteLimit: Int
    /// How long `closeAfterFlush` waits for the peer before it closes all the same.
    public var closeLimit: Duration
    /// How much of what the peer still sends `closeAfterFlush` throws away before it closes all the same.
    public var closeByteLimit: Int
    /// How long a client may take until its encryption is agreed on.
    public var handshakeLimit: Duration

    /// Bounds that suit a chat connection.
    public init(
        writeLowMark: Int = 64 << 10,
        writeHighMark: Int = 256 << 10,
        writeByteLimit: Int = 8 << 20,
        closeLimit: Duration = .seconds(5),
        closeByteLimit: Int = 64 << 20,
        handshakeLimit: Duration = .seconds(10)
    ) {
        precondition(0 <= writeLowMark && writeLowMark <= writeHighMark)
        precondition(writeHighMark <= writeByteLimit)
        self.writeLowMark = writeLowMark
        self.writeHighMark = writeHighMark
        self.writeByteLimit = writeByteLimit
        self.closeLimit = closeLimit
        self.closeByteLimit = closeByteLimit
        self.handshakeLimit = handshakeLimit
    }
}
