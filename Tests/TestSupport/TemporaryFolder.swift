// A folder of a test's own, gone when the test ends.

import FoundationEssentials

/// A fresh folder under the system's temporary folder, removed with all that it holds at `deinit`.
public final class TemporaryFolder: Sendable {
    /// The folder's absolute path.
    public let path: String

    /// Makes the folder.
    /// - Throws: where the temporary folder cannot be written to.
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
    /// - Throws: where the file cannot be written.
    @discardableResult
    public func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = "\(path)/\(name)"
        try Data(bytes).write(to: URL(filePath: file))
        return file
    }
}
