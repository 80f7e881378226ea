import Checkpoints
import PhiModel
import TestSupport
import Testing

/// Tiny models of Phi-4-multimodal, whose values are among those of the other tiny models.
@Suite("the text model of multimodal checkpoints")
struct MultimodalTests {
    /// In the authors' layout: adapters beside layers, encoders, and projections.
    private let authors: ModelCopy
    /// In mlx-vlm's.
    private let converted: ModelCopy

    init() throws {
        authors = try ModelCopy(of: "phi4mm-bf16")
        converted = try ModelCopy(of: "phi4mm-4bit")
    }

    private func logits(_ model: PhiModel) throws -> [[Float]] {
        let session = model.makeSession(threadCount: 1)
        return try session.logitsOfAllPositions(
            [3, 17, 40, 5],
            cache: model.makeCache(capacity: 16)
        )
    }

    @Test("a checkpoint has its text model's tensors by the names of phi3, and no others")
    func names() throws {
        let phi3 = try Checkpoint.open(Golden.path("tiny-phi4mini-4bit")).tensors.keys
        #expect(try Set(Checkpoint.open(Golden.path("phi4mm-4bit")).tensors.keys) == Set(phi3))
        let matrices = phi3.filter { $0.hasSuffix(".weight") }
        #expect(try Set(Checkpoint.open(Golden.path("phi4mm-bf16")).tensors.keys) == Set(matrices))
    }

    @Test("transformers' layout, without adapters in the file, gives the same logits")
    func transformersLayout() throws {
        var copy = authors
        copy.header = copy.header.replacing(".base_layer", with: "")
        copy.config = copy.config.replacing("phi4mm", with: "phi4_multimodal")
        #expect(try logits(copy.open()) == logits(authors.open()))
    }

    @Test("what the adapters for images and speech hold changes nothing; other ones are refused")
    func adapters() throws {
        let expected = try logits(authors.open())
        // Exchanged, their shapes do not even match.
        var copy = authors
        copy.header = copy.header.replacing(".vision.weight", with: ".other.weight")
            .replacing(".speech.weight", with: ".vision.weight")
            .replacing(".other.weight", with: ".speech.weight")
        #expect(try logits(copy.open()) == expected)
        let other = try authors.error(header: (".lora_A.vision.weight", ".lora_A.x.weight"))
        #expect(other?.description.contains(".lora_A.x.weight") == true)
    }

    @Test("tensors of parts that are not known are refused by name, in both layouts")
    func unknownParts() throws {
        let error = try converted.error(header: ("\"audio_projection.", "\"video_projection."))
        #expect(error?.description.contains("video_projection.") == true)
        let other = try authors.error(
            header: ("\"model.embed_tokens_extend.", "\"model.embed_tokens_more.")
        )
        #expect(other?.description.contains("model.embed_tokens_more.") == true)
    }

    @Test("a layer that is missing, or there twice, is refused by name")
    func damaged() throws {
        let layer = "model.layers.1.mlp.down_proj"
        let missing = try authors.error(
            header: ("\"\(layer).base_layer.weight", "\"\(layer).lora_A.vision.weight2")
        )
        guard case .missingTensor("\(layer).weight", _, nil) = missing else {
            Issue.record("unexpected error \(String(describing: missing))")
            return
        }
        let twice = try converted.error(
            header: ("\"language_model.\(layer).scales", "\"\(layer).weight")
        )
        guard case .duplicateTensor(let name, _) = twice else {
            Issue.record("unexpected error \(String(describing: twice))")
            return
        }
        #expect(name.hasSuffix("\(layer).weight"))
    }

    @Test("an index names the file that a missing layer should be in")
    func missingFile() throws {
        let layer = "model.layers.0.self_attn.o_proj.base_layer.weight"
        try authors.folder.write(
            "model.safetensors.index.json",
            Array(#"{"weight_map":{"\#(layer)":"model-00002-of-00002.safetensors"}}"#.utf8)
        )
        let error = try authors.error(header: (layer, "model.layers.0.o.lora_A.vision.weight"))
        #expect(error?.description.contains("model-00002-of-00002.safetensors") == true)
    }
}
