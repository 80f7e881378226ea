import Checkpoints
import PhiModel
import TestSupport
import Testing

@Suite("damaged and mismatched models")
struct DamagedModelTests {
    private let sound: ModelCopy

    init() throws {
        sound = try ModelCopy(of: "tiny-phi3-4bit")
    }

    @Test("the copy itself is valid")
    func soundCopy() throws {
        #expect(try sound.error() == nil)
    }

    @Test(
        "a missing tensor is named",
        arguments: [
            "model.norm.weight", "model.layers.1.self_attn.qkv_proj.weight",
            "model.layers.0.mlp.down_proj.scales", "model.layers.0.mlp.down_proj.biases",
            "lm_head.weight",
        ]
    )
    func missingTensor(name: String) throws {
        let error = try sound.error(header: ("\"\(name)\"", "\"\(name).rotary_emb.inv_freq\""))
        #expect(
            error
                == .missingTensor(name: name, folder: sound.folder.path, indexedFile: nil)
        )
    }

    @Test("a tensor of another shape is named with both shapes")
    func wrongShape() throws {
        let error = try sound.error(header: ("\"shape\":[320,16]", "\"shape\":[16,320]"))
        guard case .wrongShape(_, _, _, [16, 320]) = error else {
            Issue.record("unexpected error \(String(describing: error))")
            return
        }
    }

    @Test(
        "a tensor of another type is named",
        arguments: [("\"U32\"", "\"I32\""), ("\"BF16\"", "\"I16\"")]
    )
    func wrongType(from: String, to: String) throws {
        let error = try sound.error(header: (from, to))
        guard case .wrongType = error else {
            Issue.record("unexpected error \(String(describing: error))")
            return
        }
    }

    @Test(
        "a configuration of another model is detected",
        arguments: [
            ("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3"),
            ("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1"),
            ("\"vocab_size\": 320", "\"vocab_size\": 321"),
            ("\"hidden_size\": 128", "\"hidden_size\": 256"),
            ("\"intermediate_size\": 256", "\"intermediate_size\": 128"),
            ("\"num_key_value_heads\": 4", "\"num_key_value_heads\": 2"),
            ("\"bits\": 4", "\"bits\": 4, \"lm_head\": {\"bits\": 8, \"group_size\": 64}"),
            ("\"bits\": 4", "\"bits\": 4, \"lm_head\": false"),
        ]
    )
    func otherConfiguration(from: String, to: String) throws {
        let error = try #require(try sound.error(config: (from, to)))
        switch error {
        case .missingTensor, .unexpectedTensor, .wrongShape, .wrongType: break
        default: Issue.record("unexpected error \(error)")
        }
    }

    @Test("a module with its own quantization is read, configured or not")
    func moduleOfItsOwn() throws {
        let named = try sound.error(
            config: ("\"bits\": 4", "\"bits\": 4, \"lm_head\": {\"bits\": 4, \"group_size\": 64}")
        )
        #expect(named == nil)
        // By the shapes it has 4 bits in groups of 64, whatever the default.
        #expect(try sound.error(config: ("\"group_size\": 64", "\"group_size\": 32")) == nil)
    }

    @Test("bias tensors and other unknown tensors are refused")
    func unexpectedTensor() throws {
        var copy = sound
        copy.header.removeLast()
        copy.header +=
            ",\"model.layers.0.self_attn.qkv_proj.bias\":"
            + "{\"dtype\":\"BF16\",\"shape\":[0],\"data_offsets\":[0,0]}}"
        #expect(throws: CheckpointError.self) { try copy.open() }
    }

    @Test("mutated models are refused or run, and nothing traps")
    func fuzz() throws {
        var random = SeededGenerator(seed: 6)
        let copy = try ModelCopy(of: "tiny-phi3-8bit-g32")
        var computedCount = 0
        for round in 0..<400 {
            var mutated = copy
            switch round % 4 {
            case 0: mutated.header = mutate(copy.header, &random)
            case 1: mutated.config = mutate(copy.config, &random)
            case 2: mutated.header = changeDigit(copy.header, &random)
            default: mutated.config = changeDigit(copy.config, &random)
            }
            guard let model = try? mutated.open() else { continue }
            computedCount += 1
            let session = model.makeSession(threadCount: 1, tokenCountMax: 2)
            let step = SequenceStep(
                tokens: [1, 2],
                cache: try model.makeCache(capacity: 2),
                wantsLogits: true
            )
            #expect(try session.forward([step])[0]?.count == model.vocabularyCount)
        }
        #expect(computedCount > 20)
    }

    private func mutate(_ text: String, _ random: inout SeededGenerator) -> String {
        String(decoding: random.mutate(Array(text.utf8)), as: UTF8.self)
    }

    /// `text` with one digit changed: still valid JSON, but with other numbers.
    private func changeDigit(_ text: String, _ random: inout SeededGenerator) -> String {
        var bytes = Array(text.utf8)
        let digits = bytes.indices.filter { (0x30...0x39).contains(bytes[$0]) }
        if let position = digits.randomElement(using: &random) {
            bytes[position] = UInt8.random(in: 0x30...0x39, using: &random)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
