// Memory-mapped files. Weights are used in place: pages are read from the file on first access and
// shared by all processes that map it.

import Glibc
public import JSONText

/// A read-only mapping of a whole regular file, for the lifetime of this object.
///
/// If another process truncates the file while it is mapped, accessing the lost part ends this
/// process with SIGBUS; model files are replaced by renaming, never rewritten.
///
/// Safety: the mapping is read-only and constant from `init` to `deinit`, so threads may share it.
public final class MappedFile: @unchecked Sendable {
    /// The path that was opened.
    public let path: String
    /// The file's bytes, page-aligned.
    ///
    /// Valid for the lifetime of this object, so retain it while reading: with
    /// `withExtendedLifetime`, or use `contents` or `parseJSON`.
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
            // An empty file cannot be mapped; its readers report that it is too short.
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
        // Not `withExtendedLifetime`, which loses the type of the error.
        defer { extendLifetime(self) }
        do throws(JSONError) {
            return try JSONValue(parsing: bytes.bindMemory(to: UInt8.self).span, limits: limits)
        } catch {
            throw .malformedJSON(path: path, error)
        }
    }
}
