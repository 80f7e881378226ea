// The cache's layout, which other tools of the hub share: blobs by digest, snapshots of links to them,
// names of commits. Blocking; for a worker's thread.

import EventLoop
import FoundationEssentials
import Glibc

/// One model's folder in the cache.
struct ModelCache: Sendable {
    let folder: String

    init(_ configuration: HubConfiguration, _ name: ModelName) {
        folder = "\(configuration.cacheFolder)/\(name.folderName)"
    }

    func blobPath(_ file: RepositoryFile) -> String { "\(folder)/blobs/\(file.digest)" }

    func makeFolders(commit: String? = nil) throws(HubError) {
        for name in ["blobs", "refs"] + (commit.map { ["snapshots/\($0)"] } ?? []) {
            let path = "\(folder)/\(name)"
            do {
                try FileManager.default.createDirectory(
                    atPath: path,
                    withIntermediateDirectories: true
                )
            } catch {
                throw .disk(SystemError(errno: EACCES, operation: "make \(path)"))
            }
        }
    }

    /// Whether the blob is there; what is in blobs/ was checked before it got its name.
    func has(_ file: RepositoryFile) -> Bool {
        var status = stat()
        return stat(blobPath(file), &status) == 0 && Int(status.st_size) == file.byteCount
    }

    /// Makes the snapshot of `files`, whose blobs are there, then lets `revision` name it.
    func publish(
        _ files: [RepositoryFile],
        commit: String,
        revision: String
    ) throws(HubError) -> String {
        try makeFolders(commit: commit)
        let snapshot = "\(folder)/snapshots/\(commit)"
        for file in files {
            let temporary = "\(snapshot)/.\(file.digest).link"
            unlink(temporary)
            guard symlink("../../blobs/\(file.digest)", temporary) == 0,
                rename(temporary, "\(snapshot)/\(file.path)") == 0
            else { throw .disk(.latest("link \(snapshot)/\(file.path)")) }
        }
        // Revisions with a slash nest in refs/; a commit needs no name.
        if !revision.contains("/"), revision != commit {
            let path = "\(folder)/refs/\(revision)"
            do { try Data(commit.utf8).write(to: URL(filePath: path), options: .atomic) } catch {
                throw .disk(SystemError(errno: EIO, operation: "write \(path)"))
            }
        }
        return snapshot
    }
}
