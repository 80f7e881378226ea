// A file as memory. Weights are used where they lie: the pages come from the file when they are
// first touched, and are shared by all processes that map it.

import Glibc
public import JSONText

/// A read-only mapping of a whole regular file, kept as long as this object lives.
///
/// A file that another process truncates while it is mapped ends this process with SIGBUS when the
/// lost part is touched; model files are replaced by renaming, never rewritten.
///
/// Safety: the mapping is read-only and constant from `init` to `deinit`, so threads may share it.
public final class MappedFile: @unchecked Sendable {
    /// The path that was opened.
    public let path: String
    /// The file's bytes, from the start of a page on.
    ///
    /// Valid while this object lives, so hold the object while you read: `withExtendedLifetime`, or
    /// `contents` and `parseJSON`, which do so.
    public let bytes: UnsafeRawBufferPointer

    /// Maps the file at `path`, following symbolic links.
    /// - Throws: `.missingFile` or `.unreadable`.
    public init(path: String) throws(CheckpointError) {
        self.path = path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { throw .missingFile(path: path) }
            throw Self.unreadable(path, "open")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.unreadable(path, "fstat") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .unreadable(path: path, operation: "open", cause: "not a regular file")
        }
        let byteCount = Int(status.st_size)
        guard byteCount > 0 else {
            // An empty file cannot be mapped; its readers find out that it is too short.
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        guard let address = mmap(nil, byteCount, PROT_READ, MAP_PRIVATE, descriptor, 0),
            address != MAP_FAILED
        else { throw Self.unreadable(path, "mmap") }
        bytes = UnsafeRawBufferPointer(start: address, count: byteCount)
    }

    deinit {
        if let address = bytes.baseAddress {
            munmap(UnsafeMutableRawPointer(mutating: address), bytes.count)
        }
    }

    private static func unreadable(_ path: String, _ operation: String) -> CheckpointError {
        .unreadable(path: path, operation: operation, cause: String(cString: strerror(errno)))
    }
}

extension MappedFile {
    /// A copy of the file's bytes.
    public var contents: [UInt8] {
        withExtendedLifetime(self) { Array(bytes) }
    }

    /// The file's content as JSON.
    /// - Throws: `CheckpointError.malformedJSON`.
    public func parseJSON(
        limits: JSONLimits = JSONLimits()
    ) throws(CheckpointError) -> JSONValue {
        // Not `withExtendedLifetime`, which would forget the error's type.
        defer { extendLifetime(self) }
        do throws(JSONError) {
            return try JSONValue(parsing: bytes.bindMemory(to: UInt8.self).span, limits: limits)
        } catch {
            throw .malformedJSON(path: path, error)
        }
    }
}
