// What the hub says about a model's files, validated before any of it is used in a path.

/// One file of a model at one commit.
struct RepositoryFile: Sendable, Hashable {
    /// Maximum size of a file in bytes.
    private static let bytesMax = 1 << 40

    /// The file's name, without folders.
    let path: String
    /// The content's size.
    let byteCount: Int
    /// The content's digest: the blob's name in the cache.
    let digest: ContentDigest

    /// - Throws: `badResponse` if name, digest or size is invalid.
    init(path: String, byteCount: Int, digest: ContentDigest?) throws(HubError) {
        let isName =
            !path.isEmpty && !path.hasPrefix(".") && path.utf8.count <= 255
            && path.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            && !path.contains("/") && !path.contains("\\")
        guard isName, let digest, (0...Self.bytesMax).contains(byteCount) else {
            throw .badResponse("a file of the list has an invalid name, digest or size")
        }
        self.path = path
        self.byteCount = byteCount
        self.digest = digest
    }

    /// Whether the engine reads a file of this name. Files in subfolders do not belong to the
    /// model.
    static func isWanted(_ path: String) -> Bool {
        guard !path.contains("/") else { return false }
        return isWeights(path)
            || [".json", ".jinja", ".tiktoken", ".txt", ".jsonl"].contains { path.hasSuffix($0) }
            || path == "tokenizer.model"
    }

    /// Whether a file of this name holds weights.
    static func isWeights(_ path: String) -> Bool {
        path.hasPrefix("model") && path.hasSuffix(".safetensors")
    }
}

/// How the hub identifies a file's content.
enum ContentDigest: Sendable, Hashable {
    /// For large files: SHA-256 of the content.
    case sha256(String)
    /// For other files: git's blob id, SHA-1 of a header and the content.
    case git(String)

    /// The digest kind follows from the length; nil for other texts.
    init?(_ hexadecimal: String) {
        if isHexadecimal(hexadecimal, count: 64) {
            self = .sha256(hexadecimal)
        } else if isHexadecimal(hexadecimal, count: 40) {
            self = .git(hexadecimal)
        } else {
            return nil
        }
    }

    /// Lower-case hexadecimal digits.
    var hexadecimal: String {
        switch self {
        case .sha256(let digits), .git(let digits): digits
        }
    }
}

/// Whether `text` is `count` lower-case hexadecimal digits.
func isHexadecimal(_ text: String, count: Int) -> Bool {
    text.utf8.count == count
        && text.utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
}
