// System calls of the cluster's code, with errors that name the operation and the path.

import FoundationEssentials
import Glibc

/// The system's description of an errno.
func systemMessage(_ number: Int32) -> String {
    strerror(number).map { String(cString: $0) } ?? "unknown error"
}

/// A file descriptor, closed exactly once.
struct OwnedDescriptor: ~Copyable {
    let number: Int32

    /// Opens `path` with close-on-exec.
    init(opening path: String, _ flags: Int32, mode: mode_t = 0o600) throws(ClusterError) {
        number = open(path, flags | O_CLOEXEC, mode)
        guard number >= 0 else {
            throw .system(operation: "open", path: path, errno: errno)
        }
    }

    /// Takes ownership of `number`.
    init(owning number: Int32) { self.number = number }

    deinit { close(number) }
}

/// Creates `path` with its parents, if it does not exist.
func makeFolder(_ path: String, mode: mode_t) throws(ClusterError) {
    if mkdir(path, mode) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
        throw .system(operation: "mkdir", path: path, errno: errno)
    }
    // Parents are accessible to everyone, since the cluster's user may be another than ours.
    try makeFolder(String(path[..<slash]), mode: 0o755)
    guard mkdir(path, mode) == 0 || errno == EEXIST else {
        throw .system(operation: "mkdir", path: path, errno: errno)
    }
}

/// The status of `path`, or nil if it does not exist.
func status(of path: String) throws(ClusterError) -> stat? {
    var status = stat()
    if stat(path, &status) == 0 { return status }
    if errno == ENOENT || errno == ENOTDIR { return nil }
    throw .system(operation: "stat", path: path, errno: errno)
}

/// The text of a small file, or nil if it cannot be read.
func textOfFile(_ path: String) -> String? {
    guard let data = try? Data(contentsOf: URL(filePath: path)) else { return nil }
    return String(decoding: data, as: UTF8.self)
}

/// Writes a small file.
func writeText(_ text: String, to path: String) throws(ClusterError) {
    let file = try OwnedDescriptor(opening: path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644)
    let bytes = Array(text.utf8)
    guard write(file.number, bytes, bytes.count) == bytes.count else {
        throw .system(operation: "write", path: path, errno: errno)
    }
}

/// Blocks the calling thread; only used off the loop.
func pause(_ duration: Duration) {
    usleep(UInt32(duration / .microseconds(1)))
}
