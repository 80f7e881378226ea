// Limits of a stream.

/// Limits of a stream's queue and of the time to close it.
public struct StreamLimits: Hashable, Sendable {
    /// After the high mark was exceeded, the stream is drained when at most this number of bytes is
    /// queued.
    public var writeLowMark: Int
    /// Above this number of queued bytes a writer should stop until `streamDrained`.
    public var writeHighMark: Int
    /// A write that would exceed this number of queued bytes closes the stream.
    public var writeByteLimit: Int
    /// How long `closeAfterFlush` waits for the peer before it closes anyway.
    public var closeLimit: Duration
    /// How many received bytes `closeAfterFlush` discards before it closes anyway.
    public var closeByteLimit: Int
    /// Timeout of the TLS handshake.
    public var handshakeLimit: Duration

    /// Creates limits; the defaults suit a chat connection.
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
