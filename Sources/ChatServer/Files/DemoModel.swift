// The demo model on disk: the engine maps weights from files, so the bundled ones are written once.

package import EventLoop

/// The model that answers on a first run.
public enum DemoModel {
    /// The demo model's name.
    public static let name = "stoa-demo"

    /// The folder of the demo model under `folder`; writes it if it is missing or of another
    /// version.
    /// - Throws: `FileError` if it cannot be written.
    package static func folder(in folder: String) throws(FileError) -> String {
        let target = "\(folder)/\(name)"
        try FileSystem.makeFolder(target)
        for file in BundledFolder.demoModel.files {
            let path = "\(target)/\(file.path)"
            let bytes = Array(file.bytes)
            if (try? FileSystem.read(path, limit: bytes.count)) == bytes { continue }
            // A server that has mapped the old file keeps it.
            try FileSystem.write(bytes, to: path)
        }
        return target
    }
}
