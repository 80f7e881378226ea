// One mapped safetensors file.

/// The tensors of one file, used where they lie in its mapping.
public struct SafetensorsFile: Sendable {
    /// The file that keeps the tensors' bytes valid.
    public let file: MappedFile
    /// All tensors, in the order of the header, which is not the order of the data.
    public let tensors: [Tensor]

    /// Maps the file at `path` and checks its header. The data are not read.
    /// - Throws: `CheckpointError` where the file cannot be read or its header is not sound.
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
