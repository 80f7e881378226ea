// The handler of a stream.

/// Receives the events of a stream synchronously on the loop's thread.
public protocol StreamHandler: AnyObject {
    /// `bytes` were received. They are valid only during the call, in a buffer that the handler may
    /// modify, for example to unmask them in place.
    func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer)

    /// The peer has closed its writing side; it may still read.
    func streamReceivedEnd(_ stream: ByteStream)

    /// The write queue was above its high mark and is below its low mark again.
    func streamDrained(_ stream: ByteStream)

    /// The stream is closed: the last call, made exactly once, at the end of a turn and so never
    /// from within a call of the stream's own functions.
    /// - Parameters:
    ///   - stream: the stream, to release.
    ///   - error: nil after an orderly close.
    func streamClosed(_ stream: ByteStream, _ error: NetworkError?)
}
