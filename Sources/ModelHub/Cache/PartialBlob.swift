// A blob on its way into the cache: written piece by piece at their places, checked, then renamed. The
// names end in ".incomplete", which other tools of the hub know to be rubbish that may be swept away,
// and are not those that their older versions would take for files cut at the end.

import EventLoop
import Glibc

/// An open unfinished blob. Blocking; for a worker's thread.
final class PartialBlob: Sendable {
    let file: RepositoryFile
    let layout: PieceLayout
    /// What an earlier pull says that it wrote: the SHA-256 of each such piece.
    let listed: [Int: String]
    private let folder: ModelFolder
    private let descriptor: Int32
    private let journal: PieceJournal

    /// Opens what an earlier pull left, or begins.
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
            // A sparse file of the whole length: pieces come in any order.
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

    /// Notes that all of a piece is written.
    func finish(_ index: Int, sha256: String) throws(SystemError) {
        try journal.append(index, sha256: sha256)
    }

    /// Adds the piece `index` to the file's digest.
    func read(_ index: Int, into digest: StreamingDigest) throws(SystemError) {
        try FileRange.read(descriptor, layout.range(of: index)) { digest.update($0) }
    }

    /// Looks whether the piece `index` is what was written once, and goes on with the file's
    /// `digest`, if there is one, which itself stays as it is. Nil where the piece is not right.
    func check(_ index: Int, into digest: StreamingDigest?) throws(SystemError) -> Checked? {
        let piece = StreamingDigest()
        let whole = digest?.copy()
        try FileRange.read(descriptor, layout.range(of: index)) {
            piece.update($0)
            whole?.update($0)
        }
        return piece.finish() == listed[index] ? Checked(digest: whole) : nil
    }

    /// A piece that is right.
    struct Checked: Sendable {
        let digest: StreamingDigest?
    }

    /// Gives the file its name, from when on everybody takes it for whole and right.
    func publish() throws(SystemError) {
        let path = folder.partialPath(file.digest)
        try systemCall("sync \(path)") { fsync(descriptor) }
        // The name may be a link into a store that others share: it is replaced, never written to.
        try systemCall("rename \(path)") { rename(path, folder.blobPath(file.digest)) }
        try Folder.sync(folder.blobs)
        unlink(folder.journalPath(file.digest))
    }

    /// Forgets what was written: it was not the file.
    func restart() throws(SystemError) { try journal.restart() }

    /// Removes what was written.
    func remove() { folder.removePartial(file.digest) }
}
