import Checkpoints
import FoundationEssentials
import PhiModel
import TestSupport
import Testing

/// A copy of a tiny model whose files can be changed.
struct ModelCopy {
    let folder: TemporaryFolder
    var config: String
    /// The header's text, without the length before it.
    var header: String
    var data: [UInt8]
    /// The number of bytes missing at the end of the file.
    var cutByteCount = 0

    init(of name: String) throws {
        folder = try TemporaryFolder()
        let configFile = try MappedFile(path: Golden.path("\(name)/config.json"))
        config = String(decoding: configFile.contents, as: UTF8.self)
        let weights = try MappedFile(path: Golden.path("\(name)/model.safetensors")).contents
        let headerCount = Int(weights[0]) | Int(weights[1]) << 8
        header = String(decoding: weights[8..<8 + headerCount], as: UTF8.self)
        data = Array(weights[(8 + headerCount)...])
    }

    /// Writes the files and opens the model.
    func open() throws -> PhiModel {
        // Removed first: overwriting a file makes ext4 wait for the disk.
        for name in ["config.json", "model.safetensors"] {
            try? FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
        }
        try folder.write("config.json", Array(config.utf8))
        let text = Array(header.utf8)
        let length = (0..<8).map { UInt8(truncatingIfNeeded: text.count >> (8 * $0)) }
        let file = length + text + data
        try folder.write("model.safetensors", Array(file.dropLast(cutByteCount)))
        return try PhiModel(folder: folder.path)
    }

    /// The error of opening the model with these texts replaced.
    func error(
        config configChange: (String, String) = ("", ""),
        header headerChange: (String, String) = ("", "")
    ) throws -> CheckpointError? {
        var changed = self
        changed.config = Self.replace(config, configChange)
        changed.header = Self.replace(header, headerChange)
        do {
            _ = try changed.open()
            return nil
        } catch {
            return error as? CheckpointError
        }
    }

    static func replace(_ text: String, _ change: (String, String)) -> String {
        change.0.isEmpty ? text : text.replacing(change.0, with: change.1)
    }
}
