// Reads a model's blobs again and compares checksums, since disks lose data.

import EventLoop
import Glibc

extension ModelCache {
    /// Reads the blobs of `name` and compares them with their digests.
    /// - Parameters:
    ///   - name: the model.
    ///   - removesDamaged: whether to remove damaged blobs, so that the next pull fetches them
    ///     again.
    ///   - progress: called with the number of bytes read so far; returns whether to continue.
    /// - Returns: all files of all commits, sorted by commit and name.
    /// - Throws: `notCached`; `cancelled`; `disk` if a damaged blob cannot be removed.
    public func verify(
        _ name: ModelName,
        removesDamaged: Bool = false,
        progress: (Int) -> Bool = { _ in true }
    ) throws(HubError) -> [VerifiedFile] {
        let commits = commits(of: name)
        guard !commits.isEmpty else { throw .notCached(name) }
        var verification = Verification(folder: folder(of: name))
        var files: [VerifiedFile] = []
        for commit in commits {
            files += try verification.files(of: commit, progress)
        }
        if removesDamaged { try verification.removeDamaged() }
        return files
    }
}

/// Results by blob: a blob that several commits share is read once.
private struct Verification {
    /// Bytes to read between two calls of `progress`.
    private static let strideBytes = 8 << 20

    /// The result for one blob.
    struct Finding {
        var state: VerifiedFile.State
        var bytes = 0
    }

    let folder: ModelFolder
    private var findings: [ContentDigest: Finding] = [:]
    private var bytesRead = 0

    init(folder: ModelFolder) { self.folder = folder }

    mutating func files(
        of commit: CachedModel,
        _ progress: (Int) -> Bool
    ) throws(HubError) -> [VerifiedFile] {
        var files: [VerifiedFile] = []
        for file in Set(folder.files(of: commit.commit) + commit.missing).sorted() {
            let finding = try finding(at: "\(commit.folder)/\(file)", progress)
            files.append(
                VerifiedFile(
                    file: file,
                    commit: commit.commit,
                    state: finding.state,
                    bytes: finding.bytes
                )
            )
        }
        return files
    }

    func removeDamaged() throws(HubError) {
        do throws(SystemError) {
            for (digest, finding) in findings where finding.state == .damaged {
                try Folder.remove(folder.blobPath(digest))
            }
        } catch {
            throw .disk(error)
        }
    }

    private mutating func finding(
        at path: String,
        _ progress: (Int) -> Bool
    ) throws(HubError) -> Finding {
        guard let digest = folder.digest(ofLink: path) else {
            return Finding(state: access(path, F_OK) == 0 ? .unknown : .missing)
        }
        if let known = findings[digest] { return known }
        let finding = try read(digest, progress)
        findings[digest] = finding
        return finding
    }

    /// Compares a blob's content with the digest in its name.
    private mutating func read(
        _ digest: ContentDigest,
        _ progress: (Int) -> Bool
    ) throws(HubError) -> Finding {
        let descriptor = open(folder.blobPath(digest), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            return Finding(state: errno == ENOENT ? .missing : .damaged)
        }
        defer { close(descriptor) }
        guard let byteCount = try? FileRange.byteCount(descriptor) else {
            return Finding(state: .damaged)
        }
        let content = StreamingDigest(like: digest, byteCount: byteCount)
        for start in stride(from: 0, to: byteCount, by: Self.strideBytes) {
            let range = start..<min(start + Self.strideBytes, byteCount)
            do throws(SystemError) {
                try FileRange.read(descriptor, range) { content.update($0) }
            } catch {
                return Finding(state: .damaged, bytes: byteCount)
            }
            bytesRead += range.count
            guard progress(bytesRead) else { throw .cancelled }
        }
        let isWhole = content.finish() == digest.hexadecimal
        return Finding(state: isWhole ? .whole : .damaged, bytes: byteCount)
    }
}
