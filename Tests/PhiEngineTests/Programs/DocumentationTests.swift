// The code in docs/use/from-mlx.md compiles and runs.

import Foundation
import PhiEngine
import TestSupport
import Testing
import Tokenizers

@Suite("docs/use/from-mlx.md", .timeLimit(.minutes(3)))
struct DocumentationTests {
    private let blocks: [String]

    init() throws {
        let page = "\(SharedFiles.packageRoot)/docs/use/from-mlx.md"
        blocks = try MarkdownFile(path: page).swiftBlocks
    }

    @Test("the program is the example's, which loads a model, answers and prints statistics")
    func program() async throws {
        let path = "\(SharedFiles.packageRoot)/Examples/FromMLX/FromMLX.swift"
        #expect(blocks.first == (try String(contentsOfFile: path, encoding: .utf8)))

        let hub = try DemoHub()
        let outcome = try await SwiftProgram.run(
            "\(SwiftProgram.products)/from-mlx",
            [],
            environment: ["HF_HOME": hub.home, "HF_HUB_OFFLINE": "1"],
            in: hub.folder
        )
        #expect(outcome.status == 0)
        let expected = try Demo.answer(to: [
            ChatMessage(role: "system", content: "You are a helpful assistant."),
            ChatMessage(role: "user", content: Demo.question),
        ])
        #expect(outcome.output.contains("Loading: 100 %"))
        #expect(outcome.output.hasSuffix("Answer: \(expected)\n"), "\(outcome.output)")
    }

    @Test("the package manifest is valid")
    func manifest() async throws {
        let manifest = try #require(blocks.first { $0.hasPrefix("// swift-tools-version") })
        let folder = try TemporaryFolder()
        try folder.write("Package.swift", Array(manifest.utf8))
        let outcome = try await SwiftProgram.run(
            "/usr/bin/env",
            ["swift", "package", "dump-package", "--package-path", folder.path],
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(outcome.output.contains("MLXCompatibility"))
    }

    @Test("all other code blocks compile and run")
    func pieces() async throws {
        let pieces = blocks.dropFirst().filter { !$0.hasPrefix("// swift-tools-version") }
        #expect(pieces.count > 2)
        var sources = ["Main.swift": main(calling: pieces.indices)]
        for (index, piece) in zip(pieces.indices, pieces) {
            sources["Piece\(index).swift"] = """
                import Foundation
                import MLX
                import MLXHuggingFace
                import MLXLLM
                import MLXLMCommon

                func piece\(index)(_ container: ModelContainer) async throws {
                \(piece)
                }
                """
        }
        let program = try await SwiftProgram(sources)
        let hub = try DemoHub()
        let outcome = try await program.run(["HF_HOME": hub.home, "HF_HUB_OFFLINE": "1"])
        #expect(outcome.status == 0, "\(outcome.output)")
    }

    private func main(calling indices: some Sequence<Int>) -> String {
        let calls = indices.map { "try await piece\($0)(container)" }.joined(separator: "\n")
        return """
            import MLXLLM
            import MLXLMCommon

            @main struct Pieces {
                static func main() async throws {
                    let container = try await LLMModelFactory.shared.loadContainer(
                        configuration: LLMRegistry.phi3_5_4bit
                    )
                    \(calls)
                }
            }
            """
    }
}
