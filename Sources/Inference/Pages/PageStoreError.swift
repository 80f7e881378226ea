// What can be wrong with kept pages. None of it is anybody's failure but the cache's: the prompt is read.

import Glibc

/// Why a file of pages, or their folder, cannot be used.
public enum PageStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file is of another kind, or of another version of Stoa.
    case unknown
    /// The file ends too early, as after a crash.
    case truncated
    /// Bytes of the file are not those that were written.
    case damaged
    /// The pages were computed by another model, template, arithmetic or version of the engine.
    case otherModel
    /// Another process keeps its pages in the folder.
    case inUse(folder: String)
    /// The system refuses an operation (an `errno` value).
    case system(operation: String, errno: Int32)

    /// What is wrong, as the end of a sentence.
    public var description: String {
        switch self {
        case .unknown: "it is no file of pages, or another version's"
        case .truncated: "it ends too early"
        case .damaged: "its checksums are wrong"
        case .otherModel: "it is another model's, template's or arithmetic's"
        case .inUse(let folder): "another process keeps pages in \(folder)"
        case .system(let operation, let errno):
            "cannot \(operation): \(String(cString: strerror(errno)))"
        }
    }

    /// The failure of the system call just made.
    static func latest(_ operation: String) -> PageStoreError {
        .system(operation: operation, errno: errno)
    }
}
