import Checkpoints
import JSONText
import PhiModel
import TestSupport
import Testing

@Suite("mixtures of experts")
struct MixtureTests {
    @Test(
        "random batches give each sequence bitwise what it gets alone",
        arguments: ["scalar", "scalar-int8-kv8", "fastest"]
    )
    func batches(kernels: String) throws {
        let model = try Golden.model("phimoe-4bit", kernels: kernels == "fastest" ? nil : kernels)
        let together = model.makeSession(threadCount: 2)
        let alone = model.makeSession(threadCount: 1)
        var random = SeededGenerator(seed: 8)
        for _ in 0..<12 {
            let texts = (0..<Int.random(in: 1...9, using: &random)).map { _ in
                (0..<Int.random(in: 1...14, using: &random)).map { _ in
                    TokenID.random(in: 0..<320, using: &random)
                }
            }
            func steps(_ texts: [[TokenID]]) throws -> [SequenceStep] {
                try texts.map { text in
                    SequenceStep(
                        tokens: text,
                        cache: try model.makeCache(capacity: text.count),
                        logitsCount: text.count
                    )
                }
            }
            let batch = try together.compute(steps(texts))
            for (index, text) in texts.enumerated() {
                let single = try alone.compute(steps([text]))
                for row in text.indices {
                    #expect(batch.row(row, of: index).elementsEqual(single.row(row, of: 0)))
                }
            }
        }
    }

    @Test("experts that a token does not choose have no part in its logits")
    func unchosen() throws {
        let whole = try ModelCopy(of: "phimoe-bf16")
        func logits(_ copy: ModelCopy) throws -> [Float] {
            let session = try copy.open().makeSession(threadCount: 1)
            let cache = try session.model.makeCache(capacity: 1)
            return try session.logitsOfAllPositions([7], cache: cache)[0]
        }
        let expected = try logits(whole)
        let gates = try range(of: "gate_proj", in: whole)
        var brokenCount = 0
        for expert in 0..<4 {
            var copy = whole
            let size = gates.count / 4
            for index in 0..<size {
                // NaN in bfloat16.
                copy.data[gates.lowerBound + expert * size + index] =
                    index.isMultiple(of: 2) ? 0xC0 : 0x7F
            }
            let found = try logits(copy)
            if found.allSatisfy({ $0.isNaN }) {
                brokenCount += 1
            } else {
                #expect(found == expected)
            }
        }
        #expect(brokenCount == 2)
    }

    @Test("experts in modules of their own, as Hugging Face stores them, are the same model")
    func separateModules() throws {
        var copy = try ModelCopy(of: "phimoe-bf16")
        let path = "model.layers.0.block_sparse_moe"
        let names = [
            ("gate_proj", "w1", "32,64"), ("up_proj", "w3", "32,64"), ("down_proj", "w2", "64,32"),
        ]
        for (stacked, single, shape) in names {
            let all = try range(of: stacked, in: copy)
            let size = all.count / 4
            let entries = (0..<4).map { expert in
                let start = all.lowerBound + expert * size
                return """
                    "\(path).experts.\(expert).\(single).weight":{"dtype":"BF16",\
                    "shape":[\(shape)],"data_offsets":[\(start),\(start + size)]}
                    """
            }
            let old = """
                "\(path).switch_mlp.\(stacked).weight":{"data_offsets":\
                [\(all.lowerBound),\(all.upperBound)],"dtype":"BF16","shape":[4,\(shape)]}
                """
            #expect(copy.header.contains(old))
            copy.header = copy.header.replacing(old, with: entries.joined(separator: ","))
        }
        let stacked = try Golden.model("phimoe-bf16").makeSession(threadCount: 1)
        let session = try copy.open().makeSession(threadCount: 1)
        let prompt: [TokenID] = [3, 9, 27, 1, 40]
        let results = try [stacked, session].map { session in
            try session.logitsOfAllPositions(prompt, cache: session.model.makeCache(capacity: 5))
        }
        #expect(results[0] == results[1])
    }

    @Test("a bias that is missing for one of three products is named")
    func missingBias() throws {
        let copy = try ModelCopy(of: "phimoe-bf16")
        let error = try copy.error(header: ("self_attn.k_proj.bias", "self_attn.k_proj.bent"))
        #expect(error?.description.contains("_proj.bias") == true)
    }

    /// The place of the experts' tensors `name` of the first layer in a file's data.
    private func range(of name: String, in copy: ModelCopy) throws -> Range<Int> {
        let header = Array(copy.header.utf8)
        let tensor = "model.layers.0.block_sparse_moe.switch_mlp.\(name).weight"
        let offsets = try JSONValue(parsing: header.span)[tensor]?["data_offsets"]?.array
        let start = try #require(offsets?.first?.integer)
        return start..<(try #require(offsets?.last?.integer))
    }
}
