// Programs for today's MLX Swift LM, as its authors publish them, compiled without a change. Their texts are
// not in the repository: STOA_MLX_SWIFT_LM and STOA_MLX_SWIFT_EXAMPLES name clones of them. The quick start is
// tried in words of our own in any case.

import Foundation
import PhiEngine
import TestSupport
import Testing

@Suite("Programs for today's MLX Swift LM", .timeLimit(.minutes(3)))
struct UpstreamProgramTests {
    private static func clone(_ variable: String) -> String? {
        ProcessInfo.processInfo.environment[variable]
    }

    private static let library = clone("STOA_MLX_SWIFT_LM")
    private static let examples = clone("STOA_MLX_SWIFT_EXAMPLES")

    /// The demo model under the name that the programs load.
    private func run(_ program: SwiftProgram, _ model: ModelConfiguration) async throws -> String {
        let hub = try DemoHub(model.name)
        let outcome = try await program.run(["HF_HOME": hub.home, "HF_HUB_OFFLINE": "1"])
        #expect(outcome.status == 0, "\(outcome.output)")
        return outcome.output
    }

    @Test("macros load models, with and without progress")
    func macros() async throws {
        let program = try await SwiftProgram(
            [
                "main.swift": """
                import HuggingFace
                import MLXHuggingFace
                import MLXLLM
                import MLXLMCommon
                import Tokenizers

                let model = try await #huggingFaceLoadModelContainer(
                    configuration: LLMRegistry.phi4_mini_4bit
                ) { progress in
                    if progress.fractionCompleted == 1 { print("loaded") }
                }
                let context = try await #huggingFaceLoadModel(
                    configuration: LLMRegistry.phi4_mini_4bit
                )
                let other = try await LLMModelFactory.shared.loadContainer(
                    from: #hubDownloader(HubClient()),
                    using: #huggingFaceTokenizerLoader(),
                    configuration: LLMRegistry.phi4_mini_4bit
                )
                let again = try await loadModelContainer(
                    from: #hubDownloader(),
                    using: #huggingFaceTokenizerLoader(),
                    id: LLMRegistry.phi4_mini_4bit.name
                )
                let count = await again.perform { $0.model.numParameters() }
                print(context.model.numParameters() == count)
                print(try await ChatSession(other).respond(to: "Who are you?").isEmpty)
                """
            ],
            hasMain: false
        )
        #expect(try await run(program, LLMRegistry.phi4_mini_4bit) == "loaded\ntrue\nfalse\n")
    }

    @Test(
        "the quick start of its README",
        .enabled(if: library != nil, "skipped: STOA_MLX_SWIFT_LM names no clone")
    )
    func quickStart() async throws {
        let blocks = try MarkdownFile(path: "\(Self.library ?? "")/README.md").swiftBlocks
        let code = try #require(blocks.first { $0.contains("#huggingFaceLoadModelContainer") })
        let program = try await SwiftProgram(["main.swift": code], hasMain: false)
        let output = try await run(program, LLMRegistry.gemma3_1B_qat_4bit)
        #expect(output.split(separator: "\n").count >= 2, "\(output)")
    }

    @Test(
        "the view models of LLMBasic load a model, show progress, and stream an answer",
        .enabled(if: examples != nil, "skipped: STOA_MLX_SWIFT_EXAMPLES names no clone")
    )
    func basic() async throws {
        let folder = "\(Self.examples ?? "")/Applications/LLMBasic"
        let program = try await SwiftProgram(
            [
                "ChatModel.swift": try String(
                    contentsOfFile: "\(folder)/ChatModel.swift",
                    encoding: .utf8
                ),
                "Main.swift": """
                @main struct Program {
                    @MainActor static func main() async throws {
                        let loader = ModelLoader()
                        let model = ChatModel(model: try await loader.model())
                        model.respond("What is the capital of Finland?")
                        while model.isBusy { await Task.yield() }
                        print(loader.isLoaded, loader.progress, model.messages.map(\\.content))
                    }
                }
                """,
            ],
            stubs: ["SwiftUI"],
            allowsWarnings: true
        )
        let output = try await run(program, LLMRegistry.gemma3_1B_qat_4bit)
        #expect(output.hasPrefix("true 1.0") && output.contains("capital of Finland?"), "\(output)")
        #expect(!output.contains("\"...\""), "\(output)")
    }

    @Test(
        "the view model of LLMEval streams an answer with statistics",
        .enabled(if: examples != nil, "skipped: STOA_MLX_SWIFT_EXAMPLES names no clone")
    )
    func evaluation() async throws {
        let folder = "\(Self.examples ?? "")/Applications/LLMEval"
        var sources: [String: String] = [:]
        for file in [
            "ViewModels/LLMEvaluator.swift", "Services/ToolExecutor.swift",
            "Services/FormatUtilities.swift", "Models/ToolDefinitions.swift",
            "Models/PresetPrompts.swift",
        ] {
            let name = String(file.split(separator: "/")[1])
            sources[name] = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
        }
        sources["Main.swift"] = """
            @main struct Program {
                @MainActor static func main() async throws {
                    let evaluator = LLMEvaluator()
                    evaluator.prompt = "What is the capital of Finland?"
                    evaluator.generate()
                    _ = try await evaluator.generationTask?.value
                    while evaluator.totalTokens == 0 { await Task.yield() }
                    print(evaluator.modelInfo, evaluator.promptLength, evaluator.output)
                }
            }
            """
        let program = try await SwiftProgram(
            sources,
            languageMode: "5",
            stubs: ["SwiftUI", "Metal", "Hub"],
            allowsWarnings: true
        )
        let output = try await run(program, LLMRegistry.qwen3_8b_4bit)
        #expect(output.contains("Qwen3-8B-4bit"), "\(output)")
    }

    @Test("the table of MLX Swift LM's names is that of this build")
    func names() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await SwiftProgram.run(
            "/usr/bin/env",
            [
                "python3", "\(SharedFiles.packageRoot)/Tools/mlx/table.py", "--check",
                "\(SwiftProgram.products)/Modules",
            ],
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome.output)")
    }
}
