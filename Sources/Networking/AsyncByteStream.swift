// A stream with async calls. For clients and tests; the server's hot path uses handlers.

import EventLoop

/// Reads and writes a stream with async calls, on the stream's loop.
///
/// At most one task reads and one task writes at a time. A cancelled call closes the stream.
public final class AsyncByteStream {
    /// The underlying stream.
    public let stream: ByteStream

    private let byteLimit: Int
    private var received: [UInt8] = []
    private var end: End?
    private var reader: LoopPromise<Void, Never>?
    private var writer: LoopPromise<Void, Never>?

    /// How reading ended.
    private enum End {
        case finished
        case failed(NetworkError)
    }

    /// Becomes the handler of `stream`.
    /// - Parameters:
    ///   - stream: the stream to read from and to write to.
    ///   - byteLimit: maximum number of unread bytes; above it reading pauses.
    public init(_ stream: ByteStream, byteLimit: Int = 256 << 10) {
        self.stream = stream
        self.byteLimit = byteLimit
        stream.handler = StreamEvents(self)
    }

    /// Waits for bytes and returns all received ones.
    /// - Returns: nil after the peer's end.
    /// - Throws: why the stream was closed; `cancelled` if the task was cancelled.
    public func read() async throws(NetworkError) -> [UInt8]? {
        while true {
            if !received.isEmpty {
                var bytes: [UInt8] = []
                swap(&bytes, &received)
                stream.resumeReading()
                return bytes
            }
            switch end {
            case .finished: return nil
            case .failed(let error): throw error
            case nil: break
            }
            let arrival = LoopPromise<Void, Never>(stream.loop)
            precondition(reader == nil, "one task reads at a time")
            reader = arrival
            await arrival.value { [self] in fail(.cancelled) }
        }
    }

    /// Queues `bytes`, and waits while the queue is above its high mark.
    /// - Throws: why the stream was closed; `cancelled` if the task was cancelled.
    public func write(_ bytes: [UInt8]) async throws(NetworkError) {
        try checkOpen()
        stream.write(bytes)
        guard stream.isAboveHighMark else { return }
        let room = LoopPromise<Void, Never>(stream.loop)
        precondition(writer == nil, "one task writes at a time")
        writer = room
        await room.value { [self] in fail(.cancelled) }
        try checkOpen()
    }

    /// Closes the writing side after all is sent; reading continues.
    public func finishWriting() { stream.finishWriting() }

    /// Closes at once.
    public func close() { stream.close() }

    private func checkOpen() throws(NetworkError) {
        if case .failed(let error) = end { throw error }
        if !stream.isOpen { throw .closed }
    }

    private func fail(_ error: NetworkError) {
        if end == nil { end = .failed(error) }
        stream.close()
        wakeReader()
        wakeWriter()
    }

    private func wakeReader() {
        reader?.succeed(())
        reader = nil
    }

    private func wakeWriter() {
        writer?.succeed(())
        writer = nil
    }

    // MARK: Events of the stream

    fileprivate func append(_ bytes: UnsafeRawBufferPointer) {
        received.append(contentsOf: bytes)
        if received.count >= byteLimit { stream.pauseReading() }
        wakeReader()
    }

    fileprivate func ended() {
        if end == nil { end = .finished }
        wakeReader()
    }

    fileprivate func drained() { wakeWriter() }

    fileprivate func closed(_ error: NetworkError?) {
        if let error {
            // Also after the peer's end: a writer needs the reason why its bytes were not sent.
            end = .failed(error)
        } else if end == nil {
            end = .failed(.closed)
        }
        wakeReader()
        wakeWriter()
    }
}

/// Forwards the stream's calls, so that they are not public methods of `AsyncByteStream`.
private final class StreamEvents: StreamHandler {
    private let owner: AsyncByteStream

    init(_ owner: AsyncByteStream) { self.owner = owner }

    func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
        owner.append(bytes)
    }

    func streamReceivedEnd(_ stream: ByteStream) { owner.ended() }

    func streamDrained(_ stream: ByteStream) { owner.drained() }

    func streamClosed(_ stream: ByteStream, _ error: NetworkError?) { owner.closed(error) }
}
