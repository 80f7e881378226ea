// The journal of an incomplete file: one line for each piece, appended after its bytes are written. A
// line counts only if the piece matches its digest, so neither a kill between the two writes nor a crash
// that loses one of them lets wrong bytes pass.

import EventLoop
import Glibc

/// The open journal of one incomplete file. Blocking; use it on a worker thread.
final class PieceJournal: Sendable {
    private let descriptor: Int32
    private let header: String

    /// Opens the journal at `path` and resets one that was made for another layout.
    /// - Returns: the journal, and the SHA-256 of each piece that it lists.
    static func open(
        _ path: String,
        _ layout: PieceLayout
    ) throws(SystemError) -> (PieceJournal, pieces: [Int: String]) {
        let descriptor = try systemCall("open \(path)") {
            Glibc.open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o644)
        }
        let journal = PieceJournal(descriptor, layout)
        let text = try FileRange.readAll(descriptor, limit: 16 << 20)
        guard let pieces = journal.pieces(in: text, layout) else {
            try journal.restart()
            return (journal, [:])
        }
        // Terminates a line that a kill truncated, so that the next one is separate.
        if text.last != UInt8(ascii: "\n") { try journal.append("\n") }
        return (journal, pieces)
    }

    private init(_ descriptor: Int32, _ layout: PieceLayout) {
        self.descriptor = descriptor
        header = "stoa pieces 1 \(layout.byteCount) \(layout.pieceBytes)"
    }

    deinit { close(descriptor) }

    /// Records that the piece `index` is written and has this SHA-256.
    func append(_ index: Int, sha256: String) throws(SystemError) {
        try append("\(index) \(sha256)\n")
    }

    /// Removes all pieces from the journal.
    func restart() throws(SystemError) {
        try systemCall("truncate the journal") { ftruncate(descriptor, 0) }
        try append("\(header)\n")
    }

    private func append(_ text: String) throws(SystemError) {
        let bytes = Array(text.utf8)
        let count = try systemCall("write the journal") { write(descriptor, bytes, bytes.count) }
        guard count == bytes.count else {
            throw SystemError(errno: ENOSPC, operation: "write the journal")
        }
    }

    /// The pieces that `text` lists; nil if it is not a journal of this layout.
    private func pieces(in text: [UInt8], _ layout: PieceLayout) -> [Int: String]? {
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        guard lines.first.map(String.init) == header else { return nil }
        var pieces: [Int: String] = [:]
        for line in lines.dropFirst() {
            let words = line.split(separator: " ")
            guard words.count == 2, let index = Int(words[0]), (0..<layout.count).contains(index),
                isHexadecimal(String(words[1]), count: 64)
            else { continue }
            pieces[index] = String(words[1])
        }
        return pieces
    }
}
