import Checkpoints
import JSONText
import TestSupport
import Testing

/// The real models' configuration files are not part of the project.
@Suite(
    "real models' configurations",
    .enabled(if: SharedFiles.has("models"), "skipped: ../shared/models is not there")
)
struct RealConfigurationTests {
    private func configuration(_ name: String) throws -> ModelConfiguration {
        let folder = try #require(SharedFiles.path("models/\(name)"))
        return try ModelConfiguration(folder: folder)
    }

    @Test(
        "stop tokens contain those that end a chat turn",
        arguments: [
            ("Phi-3.5-mini-instruct", [32000, 32007]),
            ("Phi-3-mini-4k-instruct-4bit", [32000, 32007]),
            ("Phi-4-mini-instruct", [199_999, 200_020]), ("phi-4", [100_257, 100_265]),
        ] as [(String, Set<TokenID>)]
    )
    func stopTokens(name: String, expected: Set<TokenID>) throws {
        #expect(try configuration(name).stopTokens == expected)
    }

    @Test("Phi-4-mini has grouped heads, partial rotation, tied embeddings and LongRoPE")
    func phi4Mini() throws {
        let model = try configuration("Phi-4-mini-instruct")
        #expect(model.headCount == 24 && model.keyValueHeadCount == 8 && model.headSize == 128)
        #expect(model.rotaryDimensions == 96)
        #expect(model.tiesEmbeddings)
        #expect(model.ropeScaling?.shortFactors == [Double](repeating: 1, count: 48))
        #expect(model.contextLength == 131_072 && model.originalContextLength == 4096)
    }

    @Test("Phi-3-mini 4k has the old quantization format and a sliding window")
    func phi3Mini() throws {
        let model = try configuration("Phi-3-mini-4k-instruct-4bit")
        let scheme = AffineQuantization(bits: 4, groupSize: 64)
        #expect(model.quantization?.standard == .affine(scheme))
        #expect(model.slidingWindow == 2047)
        #expect(model.ropeScaling == nil)
    }

    @Test("a real tokenizer.json parses, and finds its 100,352 tokens")
    func tokenizer() throws {
        let path = try #require(SharedFiles.path("models/phi-4/tokenizer.json"))
        let value = try MappedFile(path: path).parseJSON()
        #expect(value["model"]?["vocab"]?.object?.count == 100_352)
    }
}
