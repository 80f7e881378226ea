// A request's body that is read while it arrives. What waits is bounded: a sender that is faster than the
// reader is paused.

import EventLoop

/// The body of one upload. Lives on its connection's loop, and has one reader.
final class UploadedBody {
    /// Above so many waiting bytes the sender is paused.
    private static let highMark = 256 << 10

    /// Told when the reader has room again.
    var onRoom: () -> Void = {}
    /// Told when the reader waits for bytes: only then is a client asked for what it has not sent.
    var onNeed: () -> Void = {}
    /// Whether all of it has come.
    private(set) var isComplete = false
    private let loop: EventLoop
    private var waiting: [UInt8] = []
    private var failure: UploadError?
    private var reader: LoopPromise<Void, Never>?

    /// Why no more of a body comes.
    enum UploadError: Error {
        /// The connection ended, or the body was more than it may be.
        case cutOff
    }

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// How much waits for the reader.
    var byteCount: Int { waiting.count }

    /// Whether the sender is to be paused.
    var isFull: Bool { waiting.count >= Self.highMark }

    /// Takes what has arrived.
    func append(_ bytes: [UInt8]) {
        guard failure == nil else { return }
        waiting += bytes
        wake()
    }

    /// Notes that all has arrived.
    func finish() {
        isComplete = true
        wake()
    }

    /// Notes that nothing more will arrive.
    func fail() {
        guard !isComplete else { return }
        failure = .cutOff
        waiting = []
        wake()
    }

    /// Waits for bytes.
    /// - Returns: what has arrived; nil at the end.
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
