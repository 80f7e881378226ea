// A request body that is read while it arrives. The buffer is bounded: a sender that is faster than
// the reader is paused.

import EventLoop

/// The body of an upload. Lives on its connection's loop, and has one reader.
final class UploadedBody {
    /// Buffered bytes above which the sender is paused.
    private static let highMark = 256 << 10

    /// Called when the reader has room again.
    var onRoom: () -> Void = {}
    /// Called when the reader waits for bytes: only then is a client asked to continue.
    var onNeed: () -> Void = {}
    /// Whether the whole body has arrived.
    private(set) var isComplete = false
    private let loop: EventLoop
    private var waiting: [UInt8] = []
    private var failure: UploadError?
    private var reader: LoopPromise<Void, Never>?

    /// Why a body ended early.
    enum UploadError: Error {
        /// The connection closed, or the body exceeded its limit.
        case cutOff
    }

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// Buffered bytes.
    var byteCount: Int { waiting.count }

    /// Whether to pause the sender.
    var isFull: Bool { waiting.count >= Self.highMark }

    /// Appends received bytes.
    func append(_ bytes: [UInt8]) {
        guard failure == nil else { return }
        waiting += bytes
        wake()
    }

    /// Marks the body as complete.
    func finish() {
        isComplete = true
        wake()
    }

    /// Marks the body as failed.
    func fail() {
        guard !isComplete else { return }
        failure = .cutOff
        waiting = []
        wake()
    }

    /// Waits for bytes.
    /// - Returns: the bytes received since the last call; nil at the end.
    /// - Throws: `UploadError.cutOff`.
    func next() async throws(UploadError) -> [UInt8]? {
        while true {
            if let failure { throw failure }
            if !waiting.isEmpty {
                var bytes: [UInt8] = []
                swap(&bytes, &waiting)
                onRoom()
                return bytes
            }
            if isComplete { return nil }
            onNeed()
            let arrival = LoopPromise<Void, Never>(loop)
            reader = arrival
            await arrival.value { [weak self] in self?.fail() }
        }
    }

    private func wake() {
        reader?.succeed(())
        reader = nil
    }
}
