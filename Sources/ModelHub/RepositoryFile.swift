// What the hub tells about a model's files, checked: nothing of it becomes a path unseen.

/// One file of a model at one commit.
struct RepositoryFile: Sendable, Decodable {
    struct LargeFile: Sendable, Decodable {
        let oid: String
        let size: Int
    }

    let type: String
    let oid: String
    let size: Int
    let path: String
    let lfs: LargeFile?

    /// The blob's name in the cache: SHA-256 of large files, git's SHA-1 of the others.
    var digest: String { lfs?.oid ?? oid }
    /// The content's size.
    var byteCount: Int { lfs?.size ?? size }

    /// Whether the engine reads it. Files in folders are not the model's own.
    var isWanted: Bool {
        guard type == "file", !path.contains("/") else { return false }
        return path.hasSuffix(".json") || path.hasSuffix(".jinja") || path.hasSuffix(".tiktoken")
            || path == "tokenizer.model" || path == "merges.txt"
            || (path.hasPrefix("model") && path.hasSuffix(".safetensors"))
    }

    /// - Throws: `badResponse` where name, digest or size cannot be real.
    func check() throws(HubError) {
        let isName =
            !path.hasPrefix(".") && !path.contains("\\") && path.utf8.count <= 255
            && path.utf8.allSatisfy { $0 >= 0x20 }
        guard isName, isHexadecimal(digest, count: lfs == nil ? 40 : 64),
            (0...(200 << 30)).contains(byteCount)
        else { throw .badResponse("a file of the list has no usable name, digest or size") }
    }
}

/// The answer to a question for a revision.
struct RevisionAnswer: Decodable {
    let sha: String
}

/// Whether `text` is `count` lower-case hexadecimal digits.
func isHexadecimal(_ text: String, count: Int) -> Bool {
    text.utf8.count == count
        && text.utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
}
