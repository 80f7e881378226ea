// An incomplete blob: its pieces are written at their offsets, the file is verified, then renamed. The
// names end in ".incomplete", which other Hugging Face tools treat as removable, and differ from the
// names that their older versions would resume as files truncated at the end.

import EventLoop
import Glibc

/// An open incomplete blob. Blocking; use it on a worker thread.
final class PartialBlob: Sendable {
    let file: RepositoryFile
    let layout: PieceLayout
    /// The SHA-256 of each piece that an earlier pull recorded as written.
    let listed: [Int: String]
    private let folder: ModelFolder
    private let descriptor: Int32
    private let journal: PieceJournal

    /// Opens the file that an earlier pull left, or creates it.
    init(
        _ file: RepositoryFile,
        in folder: ModelFolder,
        pieceBytes: ClosedRange<Int>
    ) throws(SystemError) {
        self.file = file
        self.folder = folder
        layout = PieceLayout(byteCount: file.byteCount, bounds: pieceBytes)
        let path = folder.partialPath(file.digest)
        let number = try systemCall("open \(path)") {
            open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
        }
        do throws(SystemError) {
            let isFresh = try FileRange.byteCount(number) != file.byteCount
            // Sparse, at full length: pieces arrive in any order.
            try systemCall("resize \(path)") { ftruncate(number, off_t(file.byteCount)) }
            let (journal, listed) = try PieceJournal.open(folder.journalPath(file.digest), layout)
            if isFresh { try journal.restart() }
            self.journal = journal
            self.listed = isFresh ? [:] : listed
        } catch {
            close(number)
            throw error
        }
        descriptor = number
    }

    deinit { close(descriptor) }

    /// Writes bytes of a piece.
    func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
        try FileRange.write(bytes, to: descriptor, at: offset)
    }

    /// Records that a piece is written in full.
    func finish(_ index: Int, sha256: String) throws(SystemError) {
        try journal.append(index, sha256: sha256)
    }

    /// Adds the piece `index` to the file's digest.
    func read(_ index: Int, into digest: StreamingDigest) throws(SystemError) {
        try FileRange.read(descriptor, layout.range(of: index)) { digest.update($0) }
    }

    /// Verifies the piece `index` against the journal and adds it to a copy of the file's `digest`,
    /// if given.
    /// - Returns: nil if the piece does not match.
    func check(_ index: Int, into digest: StreamingDigest?) throws(SystemError) -> Checked? {
        let piece = StreamingDigest()
        let whole = digest?.copy()
        try FileRange.read(descriptor, layout.range(of: index)) {
            piece.update($0)
            whole?.update($0)
        }
        return piece.finish() == listed[index] ? Checked(digest: whole) : nil
    }

    /// A verified piece.
    struct Checked: Sendable {
        let digest: StreamingDigest?
    }

    /// Renames the file to its final name, which marks it as complete and verified.
    func publish() throws(SystemError) {
        let path = folder.partialPath(file.digest)
        try systemCall("sync \(path)") { fsync(descriptor) }
        // The name may be a link into a shared store: replace the link, never write through it.
        try systemCall("rename \(path)") { rename(path, folder.blobPath(file.digest)) }
        try Folder.sync(folder.blobs)
        unlink(folder.journalPath(file.digest))
    }

    /// Discards the written pieces: the file's checksum was wrong.
    func restart() throws(SystemError) { try journal.restart() }

    /// Removes what was written.
    func remove() { folder.removePartial(file.digest) }
}
