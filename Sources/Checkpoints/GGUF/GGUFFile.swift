// A GGUF file of a Phi model: everything that a model folder has, in one file.

import FoundationEssentials

/// A mapped GGUF file.
public struct GGUFFile: Sendable {
    /// The file; retain it while using the tensors' bytes.
    public let file: MappedFile
    /// Metadata and tensors.
    package let header: GGUFHeader

    /// The end of the file's name.
    static let suffix = ".gguf"

    /// Maps the file at `path` and validates its header. The data are not read.
    /// - Throws: `CheckpointError` if the file cannot be read, is damaged, or is not a whole model of
    ///   the architecture `phi3`.
    public init(path: String) throws(CheckpointError) {
        let file = try MappedFile(path: path)
        defer { extendLifetime(file) }
        self.file = file
        header = try GGUFHeader(parsing: file.bytes, path: path)
        try refuseOthers()
    }

    /// The file of the model at `path`: `path` itself, or the only GGUF file of a folder without
    /// config.json; nil for other folders.
    /// - Throws: `CheckpointError` if the file cannot be used, or there are several.
    public static func open(_ path: String) throws(CheckpointError) -> GGUFFile? {
        if path.hasSuffix(suffix), !isFolder(path) { return try GGUFFile(path: path) }
        guard !FileManager.default.fileExists(atPath: "\(path)/config.json"),
            let contents = try? FileManager.default.contentsOfDirectory(atPath: path)
        else { return nil }
        let names = contents.filter { $0.hasSuffix(suffix) }.sorted()
        guard let name = names.first else { return nil }
        guard names.count == 1 else {
            throw .unsupported(
                path: path,
                what: "a folder with",
                found: "several GGUF files (\(names.joined(separator: ", ")))",
                supported: "one file, and give the path of that file"
            )
        }
        return try GGUFFile(path: "\(path)/\(name)")
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
    }

    /// The values of the metadata.
    package var metadata: GGUFMetadata { GGUFMetadata(file: file, values: header.metadata) }

    /// The token whose id is the value of `key`; nil without it.
    package func token(_ key: String) -> TokenID? {
        (try? metadata.integer(key, in: 0...Int(TokenID.max))).map(TokenID.init)
    }

    /// The bytes before the tensors' data; retain the file while reading them.
    package var headerBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: file.bytes[..<header.byteCount])
    }

    /// The tensors by their names in MLX's checkpoints; those without one by their own names.
    var tensors: [String: Tensor] {
        var tensors: [String: Tensor] = [:]
        for entry in header.tensors {
            tensors[GGUFTensorNames.name(of: entry.name)] = Tensor(
                name: entry.name,
                elementType: entry.elementType,
                shape: entry.shape,
                file: file,
                byteRange: entry.byteRange
            )
        }
        return tensors
    }

    /// Refuses parts of models, and models of other architectures.
    private func refuseOthers() throws(CheckpointError) {
        let metadata = metadata
        let parts = try metadata.integer("split.count", in: 0...65_535, default: 1)
        guard parts <= 1 else {
            throw .unsupported(
                path: file.path,
                what: "a part of a model",
                found: "in \(parts) files",
                supported: "one file, joined with “llama-gguf-split --merge”"
            )
        }
        let type = try metadata.string("general.type") ?? "model"
        guard type == "model" else {
            throw .unsupported(
                path: file.path,
                what: "a GGUF file of the type",
                found: "\"\(type)\"",
                supported: "the type \"model\""
            )
        }
        guard let architecture = try metadata.string("general.architecture") else {
            throw .missingSetting(path: file.path, key: "general.architecture")
        }
        guard architecture == GGUFMetadata.architecture else {
            throw .unsupported(
                path: file.path,
                what: "the architecture",
                found: "\"\(architecture)\"",
                supported: "general.architecture \"phi3\": Phi-3, Phi-3.5 or Phi-4, mini or phi-4"
            )
        }
    }
}
