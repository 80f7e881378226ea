import Checkpoints
import FoundationEssentials
import PhiModel
import TestSupport
import Testing

/// A way to damage a checkpoint, and its expected error.
private struct Damage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Texts that are replaced in config.json and in the weights' header.
    var config = ("", "")
    var header = ("", "")
    /// Bytes that are cut off at the end.
    var cutByteCount = 0
    /// File, tensor and cause in the error.
    let named: [String]
}

private let down = "model.layers.0.mlp.down_proj"
private let output = "model.layers.0.self_attn.o_proj"

/// Of a model with 3 bits, whose down_proj [128, 64] has groups of 32 by config.json.
private let damages = [
    Damage(
        testDescription: "codes of another number of rows",
        header: (#""U32","shape":[128,6]"#, #""U32","shape":[64,12]"#),
        named: ["model.safetensors", "\(down).weight", "[64, 12]", "[128, 6]"]
    ),
    Damage(
        testDescription: "codes of another width than config.json says of the module",
        config: (#""\#(down)": {\#n   "bits": 3"#, #""\#(down)": {\#n   "bits": 6"#),
        named: ["model.safetensors", "\(down).weight", "[128, 6]", "[128, 12]"]
    ),
    Damage(
        testDescription: "codes of a width that there is not",
        header: (#""U32","shape":[128,12]"#, #""U32","shape":[128,12,1]"#),
        named: ["model.safetensors", ".weight", "[128, 12, 1]", "[128, 12]"]
    ),
    Damage(
        testDescription: "no scales",
        header: ("\(down).scales", "\(down).other"),
        named: ["\(down).scales", "has the tensor"]
    ),
    Damage(
        testDescription: "no biases",
        header: ("\(output).biases", "\(output).other"),
        named: ["\(output).biases", "has the tensor"]
    ),
    Damage(
        testDescription: "neither codes nor scales, but a float matrix's name",
        header: ("\(down).weight", "\(down).bytes"),
        named: ["\(down).weight", "has the tensor"]
    ),
    Damage(
        testDescription: "a group that does not divide the rows",
        config: (
            #""\#(down)": {\#n   "bits": 3,\#n   "group_size": 32"#,
            #""\#(down)": {\#n   "bits": 3,\#n   "group_size": 128"#
        ),
        named: ["model.safetensors", "\(down).scales", "groups of 128 in rows of 64"]
    ),
    Damage(
        testDescription: "scales of integers",
        header: (
            #""\#(down).scales":{"data_offsets":[18432,18944],"dtype":"BF16""#,
            #""\#(down).scales":{"data_offsets":[18432,18944],"dtype":"U16""#
        ),
        named: ["model.safetensors", "\(down).scales", "U16", "BF16 or F16 or F32"]
    ),
    Damage(
        testDescription: "codes of floats",
        header: (#""dtype":"U32""#, #""dtype":"F32""#),
        named: ["model.safetensors", ".weight", "F32", "U32"]
    ),
    Damage(
        testDescription: "a norm of another length",
        header: (#""dtype":"BF16","shape":[128]}"#, #""dtype":"BF16","shape":[2,64]}"#),
        named: ["model.safetensors", "input_layernorm.weight", "[2, 64]", "[128]"]
    ),
    Damage(
        testDescription: "a dtype that nobody knows",
        header: (#""dtype":"U32""#, #""dtype":"U3""#),
        named: ["model.safetensors", ".weight", "U3 is no known dtype"]
    ),
    Damage(
        testDescription: "data that end early",
        cutByteCount: 1,
        named: ["model.safetensors", "\(down).weight", "end at byte 37888", "only 37887"]
    ),
    Damage(
        testDescription: "a file that ends in its header",
        cutByteCount: 38_000,
        named: ["model.safetensors", "header", "cut off"]
    ),
    Damage(
        testDescription: "a tensor longer than its shape",
        header: ("[34816,37888]", "[34816,37887]"),
        named: ["model.safetensors", "\(down).weight"]
    ),
    Damage(
        testDescription: "tensors that overlap",
        header: ("[18432,18944]", "[18433,18945]"),
        named: ["model.safetensors", "overlap"]
    ),
    Damage(
        testDescription: "a quantization that is not computed",
        config: (#""mode": "affine""#, #""mode": "mxfp6""#),
        named: ["config.json", "mxfp6"]
    ),
]

@Suite("damaged weights")
struct DamagedWeightsTests {
    @Test("the error names file, tensor and cause", arguments: damages)
    fileprivate func damaged(damage: Damage) throws {
        var copy = try ModelCopy(of: "affine-3bit")
        copy.config = ModelCopy.replace(copy.config, damage.config)
        copy.header = ModelCopy.replace(copy.header, damage.header)
        copy.cutByteCount = damage.cutByteCount
        let error = #expect(throws: CheckpointError.self) { try copy.open() }
        let text = error?.description ?? ""
        for name in damage.named { #expect(text.contains(name), "\(text)") }
    }

    @Test("a missing shard is named, with the tensor that it should have")
    func missingShard() throws {
        let folder = try TemporaryFolder()
        let missing = "model-00002-of-00003.safetensors"
        let source = Golden.path("mixed-shards")
        for name in try FileManager.default.contentsOfDirectory(atPath: source)
        where name != missing {
            try folder.write(name, MappedFile(path: "\(source)/\(name)").contents)
        }
        let error = #expect(throws: CheckpointError.self) { try PhiModel(folder: folder.path) }
        guard case .missingTensor(_, folder.path, missing) = error else {
            Issue.record("unexpected error \(String(describing: error))")
            return
        }
        #expect(error?.description.contains("download that file") == true)
    }
}
