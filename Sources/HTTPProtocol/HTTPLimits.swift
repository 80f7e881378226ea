// Memory limits for received messages. The same type serves requests (server) and responses
// (client).

/// Limits of one message. Exceeding one throws the `HTTPError` in parentheses.
public struct HTTPLimits: Sendable, Hashable {
    /// Maximum bytes of the request or status line, without its line end (`startLineTooLong`).
    public var startLineBytesMax: Int
    /// Maximum bytes of all field lines with their line ends (`headersTooLarge`). Trailers of a
    /// chunked body are counted separately.
    public var headerBytesMax: Int
    /// Maximum number of field lines (`headersTooLarge`).
    public var headerCountMax: Int
    /// Maximum bytes of the decoded body (`bodyTooLarge`). A server may set another limit for one
    /// request: `HTTPServerConnection.bodyBytesMax`.
    public var bodyBytesMax: Int
    /// Maximum bytes of a chunk's size line with its extensions (`malformedChunk`).
    public var chunkLineBytesMax: Int
    /// Maximum bytes of pipelined requests that are buffered while a response is pending. Beyond it
    /// `HTTPServerConnection.shouldPauseReading` is true.
    public var pipelinedBytesMax: Int

    /// Creates limits; the defaults suit a server for forms and small JSON.
    public init(
        startLineBytesMax: Int = 8 * 1024,
        headerBytesMax: Int = 32 * 1024,
        headerCountMax: Int = 100,
        bodyBytesMax: Int = 1024 * 1024,
        chunkLineBytesMax: Int = 256,
        pipelinedBytesMax: Int = 64 * 1024
    ) {
        self.startLineBytesMax = startLineBytesMax
        self.headerBytesMax = headerBytesMax
        self.headerCountMax = headerCountMax
        self.bodyBytesMax = bodyBytesMax
        self.chunkLineBytesMax = chunkLineBytesMax
        self.pipelinedBytesMax = pipelinedBytesMax
    }
}
