// A model's list of files, kept in its folder: without it nobody could tell a whole snapshot from one
// that a cut pull left. The form is that of Python's client. Its own list, which holds the repository's
// other files, too, stands beside ours: if ours took its name, that client would miss those files.

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

    /// Keeps `listing` in `folder`.
    static func write(_ listing: RepositoryListing, in folder: ModelFolder) throws(SystemError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(StoredListing(listing)) else { return }
        let text = String(decoding: data, as: UTF8.self)
        let path = "\(folder.lists)/\(listing.commit).stoa.json"
        try folder.write(text, to: path)
    }

    /// The wanted files of `commit`, from our list or from that of Python's client; nil where there
    /// is neither.
    static func read(_ commit: String, in folder: ModelFolder) -> RepositoryListing? {
        for name in ["\(commit).stoa.json", "\(commit).json"] {
            guard let bytes = Folder.read("\(folder.lists)/\(name)", limit: 16 << 20),
                let stored = try? JSONDecoder().decode(StoredListing.self, from: Data(bytes)),
                stored.formatVersion == version, let files = try? stored.wantedFiles()
            else { continue }
            return RepositoryListing(commit: commit, files: files)
        }
        return nil
    }

    private func wantedFiles() throws(HubError) -> [RepositoryFile] {
        var wanted: [RepositoryFile] = []
        for (path, entry) in files.sorted(by: { $0.key < $1.key })
        where RepositoryFile.isWanted(path) {
            let digest = ContentDigest(entry.largeFileDigest ?? entry.digest)
            let byteCount = entry.largeFileSize ?? entry.size
            wanted.append(try RepositoryFile(path: path, byteCount: byteCount, digest: digest))
        }
        return wanted
    }
}
