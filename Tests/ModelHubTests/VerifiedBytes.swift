// The bytes that a pull had verified when it was killed, read from the cache: none may be fetched again.

import FoundationEssentials
import TestSupport

/// The verified bytes of each file.
struct VerifiedBytes {
    /// The piece length of `stoa` for files of up to 16 MiB.
    private static let pieceBytes = 1 << 20

    private var ranges: [String: [Range<Int>]] = [:]

    /// Reads the model's folder.
    init(_ repository: RepositoryDouble, in modelFolder: String) {
        for (name, content) in repository.files {
            let blob = "\(modelFolder)/blobs/\(repository.digest(of: name))"
            if FileManager.default.fileExists(atPath: blob) {
                ranges[name] = [0..<content.count]
            } else if let journal = FileManager.default.contents(
                atPath: "\(blob).stoa.pieces.incomplete"
            ) {
                ranges[name] = Self.pieces(in: journal, content.count)
            }
        }
    }

    /// The pieces on complete lines of the journal. The first line is the header; text after the
    /// last line feed was truncated by the kill.
    private static func pieces(in journal: Data, _ byteCount: Int) -> [Range<Int>] {
        let lines = String(decoding: journal, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        return lines.dropFirst().dropLast().compactMap { line in
            let index = line.split(separator: " ").first.flatMap { Int($0) }
            return index.map { $0 * pieceBytes..<min(($0 + 1) * pieceBytes, byteCount) }
        }
    }

    /// How many bytes are verified.
    var count: Int { ranges.values.joined().reduce(0) { $0 + $1.count } }

    /// Whether some of `range` is verified.
    func overlaps(_ name: String, _ range: Range<Int>) -> Bool {
        ranges[name]?.contains { $0.overlaps(range) } ?? false
    }
}
