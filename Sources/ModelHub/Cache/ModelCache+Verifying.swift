// Reading all of a model again: disks forget.

import EventLoop
import Glibc

/// What a file of the cache turned out to be.
public struct VerifiedFile: Sendable, Hashable, Codable {
    /// What was found.
    public enum State: String, Sendable, Codable {
        /// The content is what its digest says.
        case whole
        /// The content is something else, or cannot be read.
        case damaged
        /// There is no content.
        case missing
        /// Nobody knows what the content should be: the file is no link to a blob.
        case unknown
    }

    /// The file's name.
    public let file: String
    /// The commit that it belongs to.
    public let commit: String
    /// What was found.
    public let state: State
    /// The bytes that were read.
    public let bytes: Int
}

extension ModelCache {
    /// Reads the blobs of `name` and compares them with their digests.
    /// - Parameters:
    ///   - name: the model.
    ///   - removesDamaged: whether to remove blobs that are damaged, so that the next pull fetches
    ///     them.
    ///   - progress: told how many bytes have been read of how many; returns whether to go on.
    /// - Returns: all files of all commits, by commit and name.
    /// - Throws: `notCached`, `cancelled`, or `disk` where a damaged blob cannot be removed.
    public func verify(
        _ name: ModelName,
        removesDamaged: Bool = false,
        progress: (_ bytes: Int, _ total: Int) -> Bool = { _, _ in true }
    ) throws(HubError) -> [VerifiedFile] {
        let folder = folder(of: name)
        let commits = commits(of: name)
        guard !commits.isEmpty else { throw .notCached(name) }
        var meter = (done: 0, total: commits.reduce(0) { $0 + $1.bytes })
        var found: [VerifiedFile] = []
        var states: [String: VerifiedFile.State] = [:]
        for commit in commits {
            let snapshot = folder.snapshot(commit.commit)
            for file in Set(Folder.names(in: snapshot) + commit.missing).sorted() {
                let path = "\(snapshot)/\(file)"
                guard let digest = digest(ofLink: path) else {
                    let isThere = access(path, F_OK) == 0
                    found.append(
                        VerifiedFile(
                            file: file,
                            commit: commit.commit,
                            state: isThere ? .unknown : .missing,
                            bytes: 0
                        )
                    )
                    continue
                }
                let before = meter.done
                // Blobs that several commits share are read once.
                let state =
                    if let known = states[digest.hexadecimal] { known } else {
                        try check(folder.blobPath(digest), digest) { bytes in
                            meter.done += bytes
                            return progress(meter.done, meter.total)
                        }
                    }
                states[digest.hexadecimal] = state
                found.append(
                    VerifiedFile(
                        file: file,
                        commit: commit.commit,
                        state: state,
                        bytes: meter.done - before
                    )
                )
            }
        }
        guard removesDamaged else { return found }
        do throws(SystemError) {
            for (digits, state) in states where state == .damaged {
                try Folder.remove("\(folder.blobs)/\(digits)")
            }
        } catch {
            throw .disk(error)
        }
        return found
    }

    /// The digest in the name of the blob that the link at `path` leads to; nil for other files.
    func digest(ofLink path: String) -> ContentDigest? {
        let parts = Folder.target(ofLink: path)?.split(separator: "/") ?? []
        guard parts.count >= 2, parts[parts.count - 2] == "blobs" else { return nil }
        return ContentDigest(String(parts[parts.count - 1]))
    }

    /// Compares the blob at `path` with `digest`.
    private func check(
        _ path: String,
        _ digest: ContentDigest,
        _ progress: (Int) -> Bool
    ) throws(HubError) -> VerifiedFile.State {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == ENOENT ? .missing : .damaged }
        defer { close(descriptor) }
        guard let byteCount = try? FileRange.byteCount(descriptor) else { return .damaged }
        let content = StreamingDigest(like: digest, byteCount: byteCount)
        var offset = 0
        while offset < byteCount {
            let end = min(offset + 8 << 20, byteCount)
            do throws(SystemError) {
                try FileRange.read(descriptor, offset..<end) { content.update($0) }
            } catch {
                return .damaged
            }
            guard progress(end - offset) else { throw .cancelled }
            offset = end
        }
        return content.finish() == digest.hexadecimal ? .whole : .damaged
    }
}
