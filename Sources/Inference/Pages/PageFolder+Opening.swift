// Opening of the folder of KV cache pages: it is created if missing, listed, and locked.

import FoundationEssentials
import Glibc

extension PageFolder {
    /// Creates the folder, which only its owner may enter.
    static func makeFolder(_ path: String) throws(PageStoreError) {
        let parent = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            .joined(separator: "/")
        try? FileManager.default.createDirectory(
            atPath: parent,
            withIntermediateDirectories: true
        )
        guard mkdir(path, 0o700) == 0 || errno == EEXIST, chmod(path, 0o700) == 0 else {
            throw .latest("make \(path)")
        }
    }

    /// Lists the files, least recently used first.
    static func list(
        _ path: String
    ) throws(PageStoreError) -> [(scope: String, byteCount: Int)] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw .latest("list \(path)")
        }
        var files: [(scope: String, byteCount: Int, time: timespec)] = []
        for name in names where name.hasSuffix(Self.suffix) {
            var status = stat()
            let scope = String(name.dropLast(Self.suffix.count))
            // Only regular files: opening a pipe would wait for its writer.
            guard isName(scope), lstat("\(path)/\(name)", &status) == 0,
                status.st_mode & S_IFMT == S_IFREG
            else { continue }
            files.append((scope, Int(status.st_size), status.st_mtim))
        }
        files.sort { ($0.time.tv_sec, $0.time.tv_nsec) < ($1.time.tv_sec, $1.time.tv_nsec) }
        return files.map { ($0.scope, $0.byteCount) }
    }

    /// The free space of the folder's disk in bytes; nil if unknown.
    static func freeByteCount(_ path: String) -> Int? {
        var disk = statvfs()
        guard statvfs(path, &disk) == 0 else { return nil }
        let (count, isTooMuch) = Int(disk.f_bavail)
            .multipliedReportingOverflow(by: Int(disk.f_frsize))
        return isTooMuch ? nil : count
    }
}

/// The lock that excludes other processes from the folder; the kernel releases it when a process
/// ends.
final class PageFolderLock: Sendable {
    private let descriptor: Int32

    init(_ folder: String) throws(PageStoreError) {
        let path = "\(folder)/.lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .latest("open \(path)") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error: PageStoreError =
                errno == EWOULDBLOCK ? .inUse(folder: folder) : .latest("lock \(path)")
            throw error
        }
    }

    deinit { close(descriptor) }

    func unlock() { _ = flock(descriptor, LOCK_UN) }
}
