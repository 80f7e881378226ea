// Where tests find data that is not in the repository: the folder `shared` beside the checkout, with
// the models' own tokenizer and configuration files. A clean clone has none; its tests then say so.

import FoundationEssentials

/// The folder `shared` beside the package's root, where it exists.
public enum SharedFiles {
    /// The package's root folder.
    public static let packageRoot: String = {
        // This file is Tests/TestSupport/SharedFiles.swift.
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        parts.removeLast(3)
        return parts.joined(separator: "/")
    }()

    /// The path of `name` below `shared`, or nil if it does not exist.
    public static func path(_ name: String) -> String? {
        let path = "\(packageRoot)/../shared/\(name)"
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }

    /// Whether `name` exists below `shared`; for `.enabled(if:)`.
    public static func has(_ name: String) -> Bool { path(name) != nil }
}
