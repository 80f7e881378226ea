// The state of one file's download: which pieces are complete or pending, and the URL to fetch them from.

import HTTPProtocol

/// The state of one file's download. Used on the event loop.
final class FileDownload {
    let blob: PartialBlob
    /// Held until the file is complete.
    private let lock: BlobLock
    /// The URL that the hub redirected the last request to; nil if the hub must be asked.
    var address: HTTPURL?
    /// Whether the host answers requests for a piece with the whole file.
    private(set) var ignoresRanges = false
    /// How often the whole file was fetched.
    private(set) var fetches = 1
    /// The pieces that are neither complete nor being fetched. One connection fetches a piece at a
    /// time, so that no late write reaches a file that already has its final name.
    private var wanted: [Int]
    private var finished: Set<Int> = []
    /// The digest of the pieces before `digestedCount`.
    private(set) var digest: StreamingDigest
    private(set) var digestedCount = 0
    /// Whether a task is adding pieces to the digest.
    var isDigesting = false
    /// Whether one connection fetches all pending pieces.
    private var isTakenWhole = false

    init(_ blob: PartialBlob, _ lock: BlobLock) {
        self.blob = blob
        self.lock = lock
        wanted = Array((0..<blob.layout.count).reversed())
        digest = Self.digest(of: blob.file)
    }

    var file: RepositoryFile { blob.file }
    var layout: PieceLayout { blob.layout }
    var isComplete: Bool { digestedCount == layout.count }

    /// How many bytes are in finished pieces.
    var finishedBytes: Int { finished.reduce(0) { $0 + layout.range(of: $1).count } }

    // MARK: Pending pieces

    /// Takes a pending piece; nil if there is none.
    func takePiece() -> Int? { ignoresRanges ? nil : wanted.popLast() }

    /// Takes the piece `index`; false if it is complete or being fetched.
    func take(_ index: Int) -> Bool {
        guard let position = wanted.lastIndex(of: index) else { return false }
        wanted.remove(at: position)
        return true
    }

    /// Returns a piece that was not fetched.
    func giveBack(_ index: Int) { wanted.append(index) }

    /// Takes the whole file, if the host ignores ranges.
    func takeWhole() -> Bool {
        guard ignoresRanges, !isTakenWhole, !wanted.isEmpty else { return false }
        isTakenWhole = true
        return true
    }

    /// Returns the file, with the pieces that are still pending.
    func giveBackWhole() { isTakenWhole = false }

    /// Records that the host ignores ranges.
    func noteRangesIgnored() { ignoresRanges = true }

    // MARK: Complete pieces

    /// Marks a piece as written to disk.
    func finish(_ index: Int) {
        finished.insert(index)
        _ = take(index)
    }

    /// The next piece to add to the digest, if it is complete.
    var nextToDigest: Int? { finished.contains(digestedCount) ? digestedCount : nil }

    /// Stores `digest`, which now includes one more piece.
    func advance(_ digest: StreamingDigest) {
        self.digest = digest
        digestedCount += 1
    }

    /// Starts over after a wrong checksum.
    func restart() {
        fetches += 1
        address = nil
        finished = []
        wanted = Array((0..<layout.count).reversed())
        digest = Self.digest(of: file)
        digestedCount = 0
    }

    private static func digest(of file: RepositoryFile) -> StreamingDigest {
        StreamingDigest(like: file.digest, byteCount: file.byteCount)
    }
}
