// A model's list of files, stored in its folder: it distinguishes a complete snapshot from an interrupted
// pull. The format is that of huggingface_hub. That client's own list also names the repository's other
// files; ours has a different name, so that the client does not lose them.

import EventLoop
import FoundationEssentials

struct StoredListing: Codable {
    private static let version = 1

    private struct Entry: Codable {
        var size: Int
        var digest: String
        var largeFileDigest: String?
        var largeFileSize: Int?

        private enum CodingKeys: String, CodingKey {
            case size
            case digest = "blob_id"
            case largeFileDigest = "lfs_sha256"
            case largeFileSize = "lfs_size"
        }
    }

    private var formatVersion = Self.version
    private var files: [String: Entry]

    private enum CodingKeys: String, CodingKey {
        case formatVersion = "format_version"
        case files
    }

    private init(_ listing: RepositoryListing) {
        files = [:]
        for file in listing.files {
            var entry = Entry(size: file.byteCount, digest: file.digest.hexadecimal)
            if case .sha256(let digits) = file.digest {
                entry.largeFileDigest = digits
                entry.largeFileSize = file.byteCount
            }
            files[file.path] = entry
        }
    }

    /// Stores `listing` in `folder`.
    static func write(_ listing: RepositoryListing, in folder: ModelFolder) throws(SystemError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(StoredListing(listing)) else { return }
        let text = String(decoding: data, as: UTF8.self)
        let path = "\(folder.lists)/\(listing.commit).stoa.json"
        try folder.write(text, to: path)
    }

    /// The needed files of `commit`, from Stoa's list or from that of huggingface_hub; nil if there
    /// is neither.
    static func read(_ commit: String, in folder: ModelFolder) -> RepositoryListing? {
        // Ours has the GGUF files that were pulled, the client's all of the repository.
        let lists = [("\(commit).stoa.json", isOurs: true), ("\(commit).json", isOurs: false)]
        for (name, isOurs) in lists {
            guard let bytes = Folder.read("\(folder.lists)/\(name)", limit: 16 << 20),
                let stored = try? JSONDecoder().decode(StoredListing.self, from: Data(bytes)),
                stored.formatVersion == version,
                let files = try? stored.wantedFiles(withGGUF: isOurs)
            else { continue }
            return RepositoryListing(commit: commit, files: files)
        }
        return nil
    }

    private func wantedFiles(withGGUF: Bool) throws(HubError) -> [RepositoryFile] {
        var wanted: [RepositoryFile] = []
        for (path, entry) in files.sorted(by: { $0.key < $1.key })
        where RepositoryFile.isWanted(path) || withGGUF && GGUFChoice.isFile(path) {
            let digest = ContentDigest(entry.largeFileDigest ?? entry.digest)
            let byteCount = entry.largeFileSize ?? entry.size
            wanted.append(try RepositoryFile(path: path, byteCount: byteCount, digest: digest))
        }
        return wanted
    }
}
