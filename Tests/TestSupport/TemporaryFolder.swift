// A temporary folder for a test.

import FoundationEssentials

/// A new folder in the system's temporary folder, removed with its content at `deinit`.
public final class TemporaryFolder: Sendable {
    /// The folder's absolute path.
    public let path: String

    /// Creates the folder.
    /// - Throws: if the folder cannot be created.
    public init() throws {
        let base = FileManager.default.temporaryDirectory.path
        path = "\(base)/stoa-test-\(UUID().uuidString.lowercased())"
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes `bytes` to the file `name` in the folder and returns its path.
    /// - Throws: if the file cannot be written.
    @discardableResult
    public func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = "\(path)/\(name)"
        try Data(bytes).write(to: URL(filePath: file))
        return file
    }
}
