// Operations on small files and folders, with errors that name the path, the cause and what to do.
// Blocking.

package import EventLoop
import Glibc

/// Reads and writes files for commands and at server start.
package enum FileSystem {
    /// Creates a folder and missing parents.
    /// - Throws: `FileError` if one cannot be created, or a file has its name.
    package static func makeFolder(_ path: String, mode: UInt32 = 0o777) throws(FileError) {
        if mkdir(path, mode) == 0 || isFolder(path) { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw .latest(.makeFolder, path)
        }
        try makeFolder(String(path[..<slash]))
        guard mkdir(path, mode) == 0 || isFolder(path) else { throw .latest(.makeFolder, path) }
    }

    /// Whether `path` is a folder; preserves errno.
    private static func isFolder(_ path: String) -> Bool {
        let number = errno
        defer { errno = number }
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The content of a file, a pipe or a device.
    /// - Parameters:
    ///   - path: the file.
    ///   - limit: maximum bytes to read.
    /// - Returns: the bytes; nil if there are more.
    /// - Throws: `FileError` if it cannot be read.
    package static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .latest(.read, path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .latest(.read, path) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= limit else { return nil }
        }
    }

    /// Writes a file atomically: to a temporary file that is renamed, so that processes that have
    /// the old one open keep it. A link, a device or a pipe is written in place.
    /// - Throws: `FileError` if it cannot be written.
    package static func write(
        _ bytes: [UInt8],
        to path: String,
        mode: UInt32 = 0o666
    ) throws(FileError) {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
            return try write(bytes, path, flags, mode, named: path)
        }
        let aside = "\(path).\(getpid())"
        unlink(aside)
        do throws(FileError) {
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
            try write(bytes, aside, flags, mode, named: path)
            guard rename(aside, path) == 0 else { throw .latest(.write, path) }
        } catch {
            unlink(aside)
            throw error
        }
    }

    private static func write(
        _ bytes: [UInt8],
        _ opened: String,
        _ flags: Int32,
        _ mode: UInt32,
        named path: String
    ) throws(FileError) {
        let descriptor = open(opened, flags, mode)
        guard descriptor >= 0 else { throw .latest(.write, path) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let error = FileError.latest(.write, path)
                close(descriptor)
                throw error
            }
            rest = rest.dropFirst(count)
        }
        guard close(descriptor) == 0 else { throw .latest(.write, path) }
    }
}
