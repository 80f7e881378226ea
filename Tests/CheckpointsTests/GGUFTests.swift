import Checkpoints
import TestSupport
import Testing

/// A change of a file, and the cause that its error names.
fileprivate struct Damage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let cause: String
    let change: @Sendable (inout GGUFBuilder) -> Void

    init(
        _ testDescription: String,
        _ cause: String,
        _ change: @escaping @Sendable (inout GGUFBuilder) -> Void
    ) {
        self.testDescription = testDescription
        self.cause = cause
        self.change = change
    }
}

private let damages = [
    Damage("version 1", "version 1") { $0.version = 1 },
    Damage("big-endian", "big-endian") { $0.version = UInt32(3).byteSwapped },
    Damage("more tensors than bytes", "the number of tensors") { $0.tensorCount = 1 << 40 },
    Damage("more values than bytes", "the number of values") { $0.valueCount = .max },
    Damage("a part", "llama-gguf-split") { $0["split.count"] = .uint32(3) },
    Damage("an adapter", "\"adapter\"") { $0["general.type"] = .string("adapter") },
    Damage("another architecture", "\"llama\"") {
        $0["general.architecture"] = .string("llama")
    },
    Damage("no architecture", "general.architecture") { $0["general.architecture"] = nil },
    Damage("an unknown type of values", "unknown type 13") { $0["x"] = .other(13, []) },
    Damage("an array of arrays", "array of arrays") {
        $0["x"] = .other(9, [9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    },
    Damage("an array longer than the file", "the length of x") {
        $0["x"] = .other(9, [8, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 127])
    },
    Damage("a number of 64 bits", "beyond 64 bits") { $0["x"] = .uint64(.max) },
    Damage("a key twice", "twice") { $0.values.append($0.values[0]) },
    Damage("an alignment of three", "power of two") { $0["general.alignment"] = .uint32(3) },
    Damage("a tensor twice", "twice") {
        $0.tensors = [.init("a", [1], bytes: [0, 0, 0, 0]), .init("a", [1], bytes: [0, 0, 0, 0])]
    },
    Damage("a tensor over another", "overlap") {
        $0.tensors = [
            .init("a", [2], bytes: [0, 0, 0, 0, 0, 0, 0, 0]),
            .init("b", [1], offset: 4, bytes: [0, 0, 0, 0]),
        ]
    },
    Damage("a tensor beyond the end", "cut off") {
        $0.tensors = [.init("a", [1], offset: 32, bytes: [0, 0, 0, 0])]
    },
    Damage("a place beyond 64 bits", "cut off") {
        $0.tensors = [.init("a", [1], offset: .max, bytes: [0, 0, 0, 0])]
    },
    Damage("a shape beyond 64 bits", "is not possible") {
        $0.tensors = [.init("a", [1 << 33, 1 << 33], bytes: [])]
    },
    Damage("five dimensions", "5 dimensions") {
        $0.tensors = [.init("a", [1, 1, 1, 1, 1], bytes: [0, 0, 0, 0])]
    },
    Damage("rows of no whole blocks", "is not possible") {
        $0.tensors = [.init("a", [2, 16], type: 8, bytes: [UInt8](repeating: 0, count: 34))]
    },
    Damage("a type without kernels", "Q2_K") {
        $0.tensors = [.init("a", [1, 256], type: 10, bytes: [UInt8](repeating: 0, count: 84))]
    },
    Damage("an unknown type", "of type 99") {
        $0.tensors = [.init("a", [1], type: 99, bytes: [0, 0, 0, 0])]
    },
]

@Suite("GGUF files")
struct GGUFTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func error(_ bytes: [UInt8]) throws -> CheckpointError? {
        let path = try folder.write("model.gguf", bytes)
        do throws(CheckpointError) {
            _ = try GGUFFile(path: path)
            return nil
        } catch {
            #expect(error.description.contains(path))
            return error
        }
    }

    @Test("tensors have the names of MLX's checkpoints, and are where the header says")
    func tensors() throws {
        var file = GGUFBuilder.model
        file.tensors = [
            .init("blk.7.ffn_down.weight", [2, 3], bytes: Array(0..<24)),
            .init("output.weight", [1, 32], type: 8, bytes: Array(100..<134)),
        ]
        try folder.write("a.gguf", file.bytes)
        for path in ["\(folder.path)/a.gguf", folder.path] {
            let checkpoint = try Checkpoint.open(path)
            let down = try checkpoint.tensor("model.layers.7.mlp.down_proj.weight")
            #expect(down.name == "blk.7.ffn_down.weight")
            #expect(down.shape == [2, 3])
            #expect(down.elementType == .float32)
            #expect(withExtendedLifetime(checkpoint) { Array(down.bytes) } == Array(0..<24))
            let head = try checkpoint.tensor("lm_head.weight")
            #expect(head.elementType == .q8_0)
            #expect(withExtendedLifetime(checkpoint) { Array(head.bytes) } == Array(100..<134))
            #expect(head.byteRange.lowerBound.isMultiple(of: 32))
        }
    }

    @Test("the file's own alignment counts")
    func alignment() throws {
        var file = GGUFBuilder.model
        file["general.alignment"] = .uint32(256)
        file.alignment = 256
        file.tensors = [.init("output_norm.weight", [1], bytes: [1, 2, 3, 4])]
        let path = try folder.write("a.gguf", file.bytes)
        let tensor = try Checkpoint.open(path).tensor("model.norm.weight")
        #expect(tensor.byteRange.lowerBound.isMultiple(of: 256))
        #expect(withExtendedLifetime(tensor) { Array(tensor.bytes) } == [1, 2, 3, 4])
    }

    @Test("every cut of a file is refused, or has all tensors")
    func cuts() throws {
        var file = GGUFBuilder.model
        file.tensors = [.init("output_norm.weight", [2], bytes: [1, 2, 3, 4, 5, 6, 7, 8])]
        let bytes = file.bytes
        for count in 0..<bytes.count { #expect(try error(Array(bytes[..<count])) != nil) }
        #expect(try error(bytes) == nil)
    }

    @Test("a folder with several GGUF files is refused with their names")
    func several() throws {
        try folder.write("a.gguf", GGUFBuilder.model.bytes)
        try folder.write("b.gguf", GGUFBuilder.model.bytes)
        let text = try #require(
            #expect(throws: CheckpointError.self) { try Checkpoint.open(folder.path) }
        ).description
        #expect(text.contains("a.gguf, b.gguf"))
    }

    @Test("a damaged or unsupported file is refused by name", arguments: damages)
    fileprivate func damaged(damage: Damage) throws {
        var file = GGUFBuilder.model
        damage.change(&file)
        let text = try #require(try error(file.bytes)).description
        #expect(text.contains(damage.cause), "\(text)")
    }
}

@Suite("Configurations of GGUF files")
struct GGUFConfigurationTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func configuration(
        _ change: (inout GGUFBuilder) -> Void = { _ in }
    ) throws -> ModelConfiguration {
        var file = GGUFBuilder.model
        change(&file)
        return try ModelConfiguration(folder: folder.write("model.gguf", file.bytes))
    }

    @Test("the metadata give sizes, defaults are llama.cpp's")
    func sizes() throws {
        let plain = try configuration()
        #expect(plain.hiddenSize == 64)
        #expect(plain.intermediateSize == 96)
        #expect(plain.headSize == 16)
        #expect(plain.rotaryDimensions == 16)
        #expect(plain.keyValueHeadCount == 2)
        #expect(plain.vocabularyCount == 3)
        #expect(plain.ropeBase == 10_000)
        #expect(plain.ropeScaling == nil)
        #expect(plain.tiesEmbeddings)
        #expect(plain.stopTokens == [2])
        #expect(plain.beginToken == nil)
    }

    @Test("LongRoPE's factors are tensors, its magnitude is a value")
    func longRope() throws {
        let factors = (1...3).flatMap { index in
            withUnsafeBytes(of: Float(index).bitPattern.littleEndian) { Array($0) }
        }
        let long = try configuration { file in
            file["phi3.rope.dimension_count"] = .uint32(6)
            file["phi3.rope.scaling.original_context_length"] = .uint32(32)
            file["phi3.rope.scaling.attn_factor"] = .float32(1.25)
            file["tokenizer.ggml.bos_token_id"] = .uint32(0)
            file["tokenizer.ggml.eos_token_id"] = .uint32(1)
            file.tensors = [
                .init("rope_factors_long.weight", [3], bytes: factors),
                .init("rope_factors_short.weight", [3], bytes: factors),
                .init("output.weight", [1], bytes: [0, 0, 0, 0]),
            ]
        }
        let scaling = try #require(long.ropeScaling)
        #expect(scaling.shortFactors == [1, 2, 3])
        #expect(scaling.longFactors == [1, 2, 3])
        #expect(scaling.shortMagnitude == 1.25)
        #expect(scaling.longMagnitude == 1.25)
        #expect(long.rotaryDimensions == 6)
        #expect(long.originalContextLength == 32)
        #expect(!long.tiesEmbeddings)
        #expect(long.beginToken == 0)
        #expect(long.stopTokens == [1, 2])
    }

    @Test(
        "a missing or invalid value is named",
        arguments: [
            ("phi3.embedding_length", nil),
            ("phi3.embedding_length", .float32(64)),
            ("phi3.block_count", .uint32(0)),
            ("phi3.context_length", nil),
            ("phi3.attention.layer_norm_rms_epsilon", nil),
            ("phi3.attention.head_count", .uint32(5)),
            ("phi3.attention.head_count_kv", .uint32(3)),
            ("phi3.attention.value_length", .uint32(8)),
            ("phi3.rope.dimension_count", .uint32(5)),
            ("phi3.rope.dimension_count", .uint32(18)),
            ("phi3.rope.scaling.attn_factor", .float32(1.5)),
            ("phi3.rope.scaling.type", .string("yarn")),
            ("tokenizer.ggml.tokens", nil),
            ("tokenizer.ggml.tokens", .uint32(3)),
            ("tokenizer.ggml.eos_token_id", .string("2")),
        ] as [(String, GGUFBuilder.Value?)]
    )
    func invalid(key: String, value: GGUFBuilder.Value?) throws {
        let text = try #require(
            #expect(throws: CheckpointError.self) { try configuration { $0[key] = value } }
        ).description
        #expect(text.contains(key) || text.contains("yarn"), "\(text)")
        #expect(text.contains("model.gguf"))
    }
}
