// Creates GGUF files for tests, valid or not.

/// The parts of a GGUF file.
public struct GGUFBuilder: Sendable {
    /// A value of the metadata.
    public enum Value: Sendable {
        case uint32(UInt32), int32(Int32), float32(Float), uint64(UInt64), bool(Bool)
        case string(String)
        case strings([String])
        case int32s([Int32])
        case float32s([Float])
        /// The number of a type, and the bytes of the value.
        case other(UInt32, [UInt8])
    }

    /// A tensor.
    public struct Tensor: Sendable {
        /// Its name.
        public var name: String
        /// Row-major.
        public var shape: [UInt64]
        /// ggml's number.
        public var type: UInt32
        /// From the start of the data; nil for after the tensor before.
        public var offset: UInt64?
        /// Its data.
        public var bytes: [UInt8]

        /// Creates a tensor.
        public init(
            _ name: String,
            _ shape: [UInt64],
            type: UInt32 = 0,
            offset: UInt64? = nil,
            bytes: [UInt8]
        ) {
            self.name = name
            self.shape = shape
            self.type = type
            self.offset = offset
            self.bytes = bytes
        }
    }

    /// The version of the format.
    public var version: UInt32 = 3
    /// The metadata.
    public var values: [(key: String, value: Value)] = []
    /// The tensors.
    public var tensors: [Tensor] = []
    /// What the places of tensors are multiples of.
    public var alignment = 32
    /// The number of tensors in the header; nil for the true one.
    public var tensorCount: UInt64?
    /// The number of values in the header; nil for the true one.
    public var valueCount: UInt64?

    /// A file without anything.
    public init() {}

    /// Sets the value of `key`; nil removes it.
    public subscript(key: String) -> Value? {
        get { values.first { $0.key == key }?.value }
        set {
            values.removeAll { $0.key == key }
            if let newValue { values.append((key, newValue)) }
        }
    }

    /// The file.
    public var bytes: [UInt8] {
        var bytes = Array("GGUF".utf8) + Self.bytes(version)
        bytes += Self.bytes(tensorCount ?? UInt64(tensors.count))
        bytes += Self.bytes(valueCount ?? UInt64(values.count))
        for (key, value) in values { bytes += Self.string(key) + Self.bytes(of: value) }
        var data: [UInt8] = []
        for tensor in tensors {
            data += [UInt8](repeating: 0, count: padding(data.count))
            bytes += Self.string(tensor.name) + Self.bytes(UInt32(tensor.shape.count))
            for size in tensor.shape.reversed() { bytes += Self.bytes(size) }
            bytes += Self.bytes(tensor.type)
            bytes += Self.bytes(tensor.offset ?? UInt64(data.count))
            data += tensor.bytes
        }
        return bytes + [UInt8](repeating: 0, count: padding(bytes.count)) + data
    }

    private func padding(_ count: Int) -> Int { (alignment - count % alignment) % alignment }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    /// A string with its length.
    public static func string(_ text: String) -> [UInt8] {
        bytes(UInt64(text.utf8.count)) + Array(text.utf8)
    }

    private static func bytes(of value: Value) -> [UInt8] {
        switch value {
        case .uint32(let number): bytes(UInt32(4)) + bytes(number)
        case .int32(let number): bytes(UInt32(5)) + bytes(number)
        case .float32(let number): bytes(UInt32(6)) + bytes(number.bitPattern)
        case .bool(let truth): bytes(UInt32(7)) + [truth ? 1 : 0]
        case .string(let text): bytes(UInt32(8)) + string(text)
        case .uint64(let number): bytes(UInt32(10)) + bytes(number)
        case .strings(let texts):
            array(type: 8, count: texts.count, texts.flatMap(string))
        case .int32s(let numbers):
            array(type: 5, count: numbers.count, numbers.flatMap { bytes($0) })
        case .float32s(let numbers):
            array(type: 6, count: numbers.count, numbers.flatMap { bytes($0.bitPattern) })
        case .other(let type, let rest): bytes(type) + rest
        }
    }

    private static func array(type: UInt32, count: Int, _ elements: [UInt8]) -> [UInt8] {
        bytes(UInt32(9)) + bytes(type) + bytes(UInt64(count)) + elements
    }
}

extension GGUFBuilder {
    /// A file whose metadata describe a tiny model, without weights.
    public static var model: GGUFBuilder {
        var file = GGUFBuilder()
        file["general.architecture"] = .string("phi3")
        file["phi3.embedding_length"] = .uint32(64)
        file["phi3.feed_forward_length"] = .uint32(96)
        file["phi3.block_count"] = .uint32(1)
        file["phi3.attention.head_count"] = .uint32(4)
        file["phi3.attention.head_count_kv"] = .uint32(2)
        file["phi3.attention.layer_norm_rms_epsilon"] = .float32(1e-5)
        file["phi3.context_length"] = .uint32(128)
        file["tokenizer.ggml.tokens"] = .strings(["<s>", "a", "<|end|>"])
        return file
    }
}
