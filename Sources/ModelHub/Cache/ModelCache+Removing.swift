// Removes models. Only the model's own folder is changed: links are removed, not followed, so a store
// that other tools share between models stays as it is.

import EventLoop
import Glibc

extension ModelCache {
    /// Removes a model, or one commit of it with the blobs that no other commit uses.
    /// - Parameters:
    ///   - name: the model.
    ///   - revision: a branch, a tag or a commit; nil for all commits.
    /// - Returns: the number of bytes freed.
    /// - Throws: `notCached`, `revisionNotFound`, `disk`; also `disk` while a pull is fetching the
    ///   model.
    @discardableResult
    public func remove(_ name: ModelName, revision: String? = nil) throws(HubError) -> Int {
        let folder = folder(of: name)
        guard Folder.kind(folder.path) == S_IFDIR else { throw .notCached(name) }
        let commits = commits(of: name)
        var removed = Set(commits.map(\.commit))
        if let revision {
            guard let commit = folder.commit(try Revision(revision)), removed.contains(commit)
            else {
                throw .revisionNotFound(name, revision: revision)
            }
            removed = [commit]
        }
        do throws(SystemError) {
            // Held to the end, so that no pull starts in between.
            let locks = try takeLocks(in: folder)
            defer { withExtendedLifetime(locks) {} }
            let before = diskBytes(folder.path)
            if removed.count == commits.count {
                try Folder.remove(folder.path)
            } else {
                try remove(removed, of: commits, in: folder)
            }
            return before - diskBytes(folder.path)
        } catch {
            throw .disk(error)
        }
    }

    /// Removes refs first, then snapshots, then blobs, so that a kill in between leaves no dangling
    /// reference.
    private func remove(
        _ removed: Set<String>,
        of commits: [CachedModel],
        in folder: ModelFolder
    ) throws(SystemError) {
        let kept = commits.filter { !removed.contains($0.commit) }
        for model in commits where removed.contains(model.commit) {
            for revision in model.revisions { try Folder.remove("\(folder.refs)/\(revision)") }
            try Folder.remove(folder.snapshot(model.commit))
            try Folder.remove("\(folder.path)/.no_exist/\(model.commit)")
            try Folder.remove("\(folder.lists)/\(model.commit).json")
            try Folder.remove("\(folder.lists)/\(model.commit).stoa.json")
        }
        let used = Set(kept.flatMap { digests($0.commit, in: folder) })
        for blob in Folder.names(in: folder.blobs) {
            let digest = blob.prefix { $0 != "." }
            if !used.contains(String(digest)) { try Folder.remove("\(folder.blobs)/\(blob)") }
        }
    }

    /// The blobs that a commit uses, including those not fetched yet.
    private func digests(_ commit: String, in folder: ModelFolder) -> [String] {
        let linked = folder.files(of: commit).compactMap { file in
            folder.digest(ofLink: "\(folder.snapshot(commit))/\(file)")
        }
        let listed = StoredListing.read(commit, in: folder)?.files ?? []
        return (linked + listed.map(\.digest)).map(\.hexadecimal)
    }

    private func takeLocks(in folder: ModelFolder) throws(SystemError) -> [BlobLock] {
        var locks: [BlobLock] = []
        for name in Folder.names(in: folder.locks) {
            guard let lock = try BlobLock.take("\(folder.locks)/\(name)") else {
                throw SystemError(errno: EBUSY, operation: "\(folder.name) is being fetched")
            }
            locks.append(lock)
        }
        return locks
    }

    /// Disk usage of a folder in bytes.
    private func diskBytes(_ path: String) -> Int {
        var status = stat()
        guard lstat(path, &status) == 0 else { return 0 }
        let own = Int(status.st_blocks) * 512
        guard status.st_mode & S_IFMT == S_IFDIR else { return own }
        return Folder.names(in: path).reduce(own) { $0 + diskBytes("\(path)/\($1)") }
    }
}
