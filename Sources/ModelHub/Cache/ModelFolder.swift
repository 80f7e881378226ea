// One model's folder in the cache, in the layout of the Hugging Face tools: blobs by digest, a snapshot
// of links for each commit, and refs that map branches and tags to commits.

import EventLoop
import Glibc

/// The paths in one model's folder. Functions that access the disk block.
struct ModelFolder: Sendable {
    let name: ModelName
    let cache: String

    var path: String { "\(cache)/\(name.folderName)" }
    var blobs: String { "\(path)/blobs" }
    var refs: String { "\(path)/refs" }
    var snapshots: String { "\(path)/snapshots" }
    var lists: String { "\(path)/trees" }
    var locks: String { "\(cache)/.locks/\(name.folderName)" }

    func snapshot(_ commit: String) -> String { "\(snapshots)/\(commit)" }
    func blobPath(_ digest: ContentDigest) -> String { "\(blobs)/\(digest.hexadecimal)" }
    func lockPath(_ digest: ContentDigest) -> String { "\(locks)/\(digest.hexadecimal).lock" }

    func partialPath(_ digest: ContentDigest) -> String {
        "\(blobs)/\(digest.hexadecimal).stoa.incomplete"
    }

    func journalPath(_ digest: ContentDigest) -> String {
        "\(blobs)/\(digest.hexadecimal).stoa.pieces.incomplete"
    }

    /// Creates the folders that a pull needs, with the tag that makes backup programs skip caches.
    func make() throws(SystemError) {
        for folder in [blobs, refs, snapshots, lists, locks] { try Folder.make(folder) }
        let tag = "\(cache)/CACHEDIR.TAG"
        guard Folder.kind(tag) == nil else { return }
        let signature = "Signature: 8a477f597d28d172789f06886806bc55\n"
        try write(signature, to: tag)
    }

    /// The lock of the temporary files: shared by writers, exclusive for `sweep`.
    private var temporariesLock: String { "\(locks)/temporaries.lock" }

    /// Writes a small file of the cache atomically.
    func write(_ text: String, to path: String) throws(SystemError) {
        let lock = try BlobLock.take(temporariesLock, LOCK_SH)
        defer { withExtendedLifetime(lock) {} }
        try Folder.write(text, to: path, temporaryFolder: blobs)
    }

    private func link(to target: String, at path: String) throws(SystemError) {
        let lock = try BlobLock.take(temporariesLock, LOCK_SH)
        defer { withExtendedLifetime(lock) {} }
        try Folder.link(to: target, at: path, temporaryFolder: blobs)
    }

    /// Removes temporary files that killed pulls left, unless another process is writing.
    func sweep() throws(SystemError) {
        guard let lock = try BlobLock.take(temporariesLock) else { return }
        defer { withExtendedLifetime(lock) {} }
        Folder.sweep(blobs)
    }

    /// Whether the blob is complete. A file gets its name in blobs/ only after its checksum was
    /// verified.
    func has(_ file: RepositoryFile) -> Bool {
        var status = stat()
        return stat(blobPath(file.digest), &status) == 0 && Int(status.st_size) == file.byteCount
    }

    /// Whether a pull of `listing` has nothing to do. A complete cache may be read-only.
    func holds(_ listing: RepositoryListing, as revision: Revision) -> Bool {
        guard commit(revision) == listing.commit,
            let stored = StoredListing.read(listing.commit, in: self),
            Set(stored.files) == Set(listing.files)
        else { return false }
        return listing.files.allSatisfy { file in
            has(file) && access("\(snapshot(listing.commit))/\(file.path)", F_OK) == 0
        }
    }

    /// Bytes of an incomplete blob on disk.
    func partialBytes(_ file: RepositoryFile) -> Int {
        var status = stat()
        guard stat(partialPath(file.digest), &status) == 0 else { return 0 }
        return min(Int(status.st_blocks) * 512, file.byteCount)
    }

    /// Removes a blob's incomplete file and its journal.
    func removePartial(_ digest: ContentDigest) {
        unlink(partialPath(digest))
        unlink(journalPath(digest))
    }

    /// The commit that `revision` pointed to at the last request to the hub.
    func commit(_ revision: Revision) -> String? {
        if revision.isCommit { return revision.description }
        guard let bytes = Folder.read("\(refs)/\(revision)", limit: 64) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return isHexadecimal(text, count: 40) ? text : nil
    }

    /// The files of a commit's snapshot, as paths within it, subfolders included.
    func files(of commit: String) -> [String] {
        func files(in path: String, prefix: String) -> [String] {
            Folder.names(in: path).flatMap { name in
                let isFolder = Folder.kind("\(path)/\(name)") == S_IFDIR
                return isFolder
                    ? files(in: "\(path)/\(name)", prefix: "\(prefix)\(name)/")
                    : [prefix + name]
            }
        }
        return files(in: snapshot(commit), prefix: "")
    }

    /// The digest of the blob that the link at `path` points to; nil for other files.
    func digest(ofLink path: String) -> ContentDigest? {
        let parts = Folder.target(ofLink: path)?.split(separator: "/") ?? []
        guard parts.count >= 2, parts[parts.count - 2] == "blobs" else { return nil }
        return ContentDigest(String(parts[parts.count - 1]))
    }

    /// Creates the snapshot of `listing`, whose blobs must exist, then points `revision` to it.
    func publish(_ listing: RepositoryListing, revision: Revision) throws(SystemError) {
        let snapshot = snapshot(listing.commit)
        try Folder.make(snapshot)
        for file in listing.files {
            let target = "../../blobs/\(file.digest.hexadecimal)"
            let path = "\(snapshot)/\(file.path)"
            if Folder.target(ofLink: path) == target { continue }
            try link(to: target, at: path)
        }
        try Folder.sync(snapshot)
        try Folder.sync(snapshots)
        // A commit needs no ref.
        guard !revision.isCommit, commit(revision) != listing.commit else { return }
        let ref = "\(refs)/\(revision)"
        if let slash = ref.lastIndex(of: "/") { try Folder.make(String(ref[..<slash])) }
        try write(listing.commit, to: ref)
    }
}
