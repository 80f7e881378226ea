// The demo model on disk: the engine maps weights from files, so the bundled ones are written out once.

import FoundationEssentials

/// The model that a first run answers with.
public enum DemoModel {
    /// The demo model's name.
    public static let name = "stoa-demo"

    /// The folder of the demo model below `folder`, written there where it is missing or of another
    /// version.
    /// - Throws: where the folder cannot be written.
    public static func folder(in folder: String) throws -> String {
        let target = "\(folder)/\(name)"
        let files = FileManager.default
        try files.createDirectory(atPath: target, withIntermediateDirectories: true)
        for file in BundledFolder.demoModel.files {
            let path = "\(target)/\(file.path)"
            let bytes = Data(buffer: file.bytes)
            if let there = try? Data(contentsOf: URL(filePath: path)), there == bytes { continue }
            // Written aside and renamed: a server that has the old file mapped keeps it.
            try bytes.write(to: URL(filePath: path), options: .atomic)
        }
        return target
    }
}
