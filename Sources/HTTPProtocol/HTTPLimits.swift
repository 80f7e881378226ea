// How much a peer may make us hold. One value for both sides: a client reads responses under the
// same limits as a server reads requests.

/// The bounds of one message. Going over one is the `HTTPError` that its line names.
public struct HTTPLimits: Sendable, Hashable {
    /// Bytes of the request or status line, without its line end (`startLineTooLong`).
    public var startLineBytesMax: Int
    /// Bytes of all field lines together, with their line ends (`headersTooLarge`). Trailers of a
    /// chunked body count on their own.
    public var headerBytesMax: Int
    /// How many field lines (`headersTooLarge`).
    public var headerCountMax: Int
    /// Bytes of the body, after chunks are taken apart (`bodyTooLarge`). A server may set another
    /// bound for one request: `HTTPServerConnection.bodyBytesMax`.
    public var bodyBytesMax: Int
    /// Bytes of a chunk's size line with its extensions (`malformedChunk`).
    public var chunkLineBytesMax: Int
    /// Bytes of later requests that are held while a response is due. From there on
    /// `HTTPServerConnection.shouldPauseReading` asks the shell to stop reading.
    public var pipelinedBytesMax: Int

    /// Limits with the defaults of a server that takes forms and small JSON.
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
