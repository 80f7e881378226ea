// Who gets the bytes of a stream.

/// Told by a stream what happens to it, synchronously, on the loop's thread.
public protocol StreamHandler: AnyObject {
    /// `bytes` have arrived. They are valid during the call only, and lie in memory that the handler may
    /// write to, such as to unmask them in place.
    func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer)

    /// The peer has finished writing; what it still reads can be written.
    func streamReceivedEnd(_ stream: ByteStream)

    /// The write queue was above its high mark and is below its low mark again.
    func streamDrained(_ stream: ByteStream)

    /// The stream is closed: the last call, made exactly once, at the end of a turn and so never from
    /// within a call of the stream's own functions.
    /// - Parameters:
    ///   - stream: the stream, to be let go.
    ///   - error: nil where one side closed in order.
    func streamClosed(_ stream: ByteStream, _ error: NetworkError?)
}
