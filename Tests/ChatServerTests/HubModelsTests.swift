import ChatProtocol
import ChatServer
import TestSupport
import Testing

@Suite("Names of models on the hub")
struct HubModelsTests {
    private let models: HubModels
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        models = HubModels(
            environment: ["HF_HUB_CACHE": "\(folder.path)/hub"],
            dataDirectory: folder.path
        )
    }

    @Test(
        "short names stand for full ones, and a colon names one GGUF file",
        arguments: [
            ("phi-4", "mlx-community/phi-4-4bit"), ("org/name", "org/name"),
            ("org/name:Q4_K_M", "org/name:Q4_K_M"),
            ("phi-4:Q8_0", "mlx-community/phi-4-4bit:Q8_0"),
        ]
    )
    func names(text: String, name: String) throws {
        #expect(try models.fullName(of: text) == name)
        #expect(models.folder(of: name, revision: "main") == nil)
    }

    @Test("names that are none, or too long for the table of models, are refused")
    func refused() {
        for text in [
            "phi", "org/name:", "org/name:a/b", "a/b/c:Q4_0", "org/" + long, "o/n:" + long,
        ] {
            #expect(throws: WireError.self, "\(text)") { try models.fullName(of: text) }
        }
    }

    private let long = String(repeating: "n", count: 198)
}
