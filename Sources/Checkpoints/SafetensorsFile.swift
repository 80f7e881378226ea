// A mapped safetensors file.

/// The tensors of a file, in place in its mapping.
public struct SafetensorsFile: Sendable {
    /// The file; retain it while using the tensors' bytes.
    public let file: MappedFile
    /// All tensors in the order of the header, which may differ from the order of the data.
    public let tensors: [Tensor]

    /// Maps the file at `path` and validates its header. The data are not read.
    /// - Throws: `CheckpointError` if the file cannot be read or its header is invalid.
    public init(path: String) throws(CheckpointError) {
        let file = try MappedFile(path: path)
        defer { extendLifetime(file) }
        let header = try SafetensorsHeader(parsing: file.bytes, path: path)
        self.file = file
        tensors = header.entries.map {
            Tensor(
                name: $0.name,
                elementType: $0.elementType,
                shape: $0.shape,
                file: file,
                byteRange: $0.byteRange
            )
        }
    }
}
