// One file on its way, as the loop sees it: which pieces are there, which are wanted, and where from.

import HTTPProtocol

/// The state of one file's download. Lives on the loop.
final class FileDownload {
    let blob: PartialBlob
    /// Held until the file is there.
    private let lock: BlobLock
    /// Where the hub sent the last request; nil while it has to be asked.
    var address: HTTPURL?
    /// Whether the host answers requests for a piece with the whole file.
    private(set) var ignoresRanges = false
    /// How often all of the file was fetched.
    private(set) var fetches = 1
    /// The pieces that are not there and that nobody fetches. A piece is fetched by one connection
    /// at a time, so that no late one writes to a file that has its name already.
    private var wanted: [Int]
    private var finished: Set<Int> = []
    /// The digest of the file up to the piece `digestedCount`.
    private(set) var digest: StreamingDigest
    private(set) var digestedCount = 0
    /// Whether somebody is adding to the digest.
    var isDigesting = false
    /// Whether one connection fetches all that is wanted.
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

    // MARK: What is to be done

    /// Takes a piece that is wanted; nil where others are at all of them.
    func takePiece() -> Int? { ignoresRanges ? nil : wanted.popLast() }

    /// Takes the piece `index`, unless it is there or somebody else is at it.
    func take(_ index: Int) -> Bool {
        guard let place = wanted.lastIndex(of: index) else { return false }
        wanted.remove(at: place)
        return true
    }

    /// Gives back a piece that was not fetched after all.
    func giveBack(_ index: Int) { wanted.append(index) }

    /// Takes the file as one, where the host gives it in no other way.
    func takeWhole() -> Bool {
        guard ignoresRanges, !isTakenWhole, !wanted.isEmpty else { return false }
        isTakenWhole = true
        return true
    }

    /// Gives back the file, with the pieces that are still wanted.
    func giveBackWhole() { isTakenWhole = false }

    /// Notes that the host answers with the whole file, whatever is asked.
    func noteRangesIgnored() { ignoresRanges = true }

    // MARK: What is done

    /// Takes in a piece that is on the disk.
    func finish(_ index: Int) {
        finished.insert(index)
        _ = take(index)
    }

    /// Whether the next piece of the digest is there.
    var nextToDigest: Int? { finished.contains(digestedCount) ? digestedCount : nil }

    /// Goes on with `digest`, which has taken in one piece more.
    func advance(_ digest: StreamingDigest) {
        self.digest = digest
        digestedCount += 1
    }

    /// Begins anew: the file was not what was announced.
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
