// The header of a GGUF file: metadata, and the names, types, shapes and places of the tensors.
// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. Everything is validated, since kernels
// later read through raw pointers computed from these numbers. Memory is bounded by the limits below,
// whatever the header says.

/// What a file says before its tensors' data.
package struct GGUFHeader: Sendable {
    /// One tensor; `byteRange` counts from the start of the file.
    package struct Entry: Sendable {
        package let name: String
        package let elementType: ElementType
        /// Row-major: the last dimension is contiguous. (Files have them the other way round.)
        package let shape: [Int]
        package let byteRange: Range<Int>
    }

    package let metadata: [String: GGUFValue]
    package let tensors: [Entry]
    /// The size of the header in bytes.
    package let byteCount: Int

    /// Files have some forty values, and a few hundred tensors.
    private static let valueCountMax = 65_536
    private static let tensorCountMax = 65_536
    private static let keyByteCountMax = 1024
    /// ggml has 64 bytes for a name, one of them zero.
    private static let nameByteCountMax = 256
    /// The most dimensions that ggml knows.
    private static let dimensionCountMax = 4

    /// Reads the header of the file `path`, whose complete content is `bytes`.
    package init(parsing bytes: UnsafeRawBufferPointer, path: String) throws(CheckpointError) {
        var cursor = GGUFCursor(bytes: bytes, path: path)
        try Self.checkVersion(&cursor)
        let tensorCount = try cursor.count(
            of: 24,
            max: Self.tensorCountMax,
            "the number of tensors"
        )
        let valueCount = try cursor.count(
            of: 13,
            max: Self.valueCountMax,
            "the number of values"
        )
        metadata = try Self.metadata(&cursor, count: valueCount)
        let alignment = try Self.alignment(metadata, cursor)
        var entries: [PlacedEntry] = []
        for _ in 0..<tensorCount { entries.append(try PlacedEntry(&cursor)) }
        byteCount = cursor.offset
        let dataStart = (cursor.offset + alignment - 1) / alignment * alignment
        tensors = try Self.place(entries, dataStart: dataStart, cursor)
    }

    /// Reads the magic number and the version.
    private static func checkVersion(_ cursor: inout GGUFCursor) throws(CheckpointError) {
        guard try cursor.number(UInt32.self, "the file") == 0x4655_4747 else {
            throw cursor.damaged("it does not begin with “GGUF”")
        }
        let version = try cursor.number(UInt32.self, "the version")
        guard version != 2, version != 3 else { return }
        let isSwapped = (1...3).contains(version.byteSwapped)
        throw .unsupported(
            path: cursor.path,
            what: "GGUF",
            found: isSwapped ? "in big-endian byte order" : "of version \(version)",
            supported: "a little-endian file of version 2 or 3"
        )
    }

    private static func metadata(
        _ cursor: inout GGUFCursor,
        count: Int
    ) throws(CheckpointError) -> [String: GGUFValue] {
        var metadata: [String: GGUFValue] = [:]
        for _ in 0..<count {
            let range = try cursor.string(byteCountMax: keyByteCountMax, "a key")
            let key = cursor.bytes.text(range)
            let type = try cursor.valueType(key)
            let value = try cursor.value(type, key)
            guard metadata.updateValue(value, forKey: key) == nil else {
                throw cursor.damaged("it has \(key) twice")
            }
        }
        return metadata
    }

    /// What the places of tensors are multiples of.
    private static func alignment(
        _ metadata: [String: GGUFValue],
        _ cursor: GGUFCursor
    ) throws(CheckpointError) -> Int {
        guard let value = metadata["general.alignment"] else { return 32 }
        guard case .integer(let alignment) = value, (1...1 << 20).contains(alignment),
            alignment & (alignment - 1) == 0
        else { throw cursor.damaged("general.alignment is no power of two") }
        return alignment
    }

    private static func place(
        _ entries: [PlacedEntry],
        dataStart: Int,
        _ cursor: GGUFCursor
    ) throws(CheckpointError) -> [Entry] {
        var names: Set<String> = []
        var tensors: [Entry] = []
        for entry in entries {
            guard names.insert(entry.name).inserted else {
                throw cursor.damaged("it is there twice", tensor: entry.name)
            }
            let (start, overflow) = dataStart.addingReportingOverflow(entry.offset)
            guard !overflow, start <= cursor.bytes.count,
                entry.byteCount <= cursor.bytes.count - start
            else {
                throw cursor.damaged("its data are cut off", tensor: entry.name)
            }
            tensors.append(entry.entry(start: start))
        }
        let inFileOrder = tensors.filter { !$0.byteRange.isEmpty }
            .sorted { $0.byteRange.lowerBound < $1.byteRange.lowerBound }
        for (tensor, next) in zip(inFileOrder, inFileOrder.dropFirst())
        where tensor.byteRange.upperBound > next.byteRange.lowerBound {
            throw cursor.damaged("its data overlap those of \(tensor.name)", tensor: next.name)
        }
        return tensors
    }

    /// A tensor as the header describes it.
    private struct PlacedEntry {
        let name: String
        let elementType: ElementType
        let shape: [Int]
        let byteCount: Int
        /// From the start of the data.
        let offset: Int

        init(_ cursor: inout GGUFCursor) throws(CheckpointError) {
            let range = try cursor.string(byteCountMax: nameByteCountMax, "a tensor's name")
            name = cursor.bytes.text(range)
            let count = try cursor.number(UInt32.self, name)
            guard count <= dimensionCountMax else {
                throw cursor.damaged("it has \(count) dimensions", tensor: name)
            }
            var sizes: [Int] = []
            for _ in 0..<count {
                guard let size = Int(exactly: try cursor.number(UInt64.self, name)) else {
                    throw cursor.damaged("its shape is too large", tensor: name)
                }
                sizes.append(size)
            }
            shape = sizes.reversed()
            let type = try cursor.number(UInt32.self, name)
            elementType = try ElementType(ggml: type, tensor: name, path: cursor.path)
            guard let byteCount = elementType.byteCount(shape: shape) else {
                throw cursor.damaged(
                    "\(shape) of \(elementType.rawValue) is not possible",
                    tensor: name
                )
            }
            self.byteCount = byteCount
            guard let offset = Int(exactly: try cursor.number(UInt64.self, name)) else {
                throw cursor.damaged("its data are cut off", tensor: name)
            }
            self.offset = offset
        }

        func entry(start: Int) -> Entry {
            Entry(
                name: name,
                elementType: elementType,
                shape: shape,
                byteRange: start..<start + byteCount
            )
        }
    }
}
