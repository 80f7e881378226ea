// Errors of stored pages. They only affect the cache: the prompt is computed again.

import Glibc

/// Why a page file or its folder cannot be used.
public enum PageStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file has another format, or is from another version of Stoa.
    case unknown
    /// The file is truncated, for example after a crash.
    case truncated
    /// A checksum does not match.
    case damaged
    /// The pages were computed by another model, template, set of kernels or version of the engine.
    case otherModel
    /// Another process uses the folder.
    case inUse(folder: String)
    /// A system call failed (an `errno` value).
    case system(operation: String, errno: Int32)

    /// The error, as the end of a sentence.
    public var description: String {
        switch self {
        case .unknown: "not a page file of this version"
        case .truncated: "the file is truncated"
        case .damaged: "checksum mismatch"
        case .otherModel: "written for another model, template or kernels"
        case .inUse(let folder): "another process keeps pages in \(folder)"
        case .system(let operation, let errno):
            "cannot \(operation): \(String(cString: strerror(errno)))"
        }
    }

    /// The error of the latest system call.
    static func latest(_ operation: String) -> PageStoreError {
        .system(operation: operation, errno: errno)
    }
}
