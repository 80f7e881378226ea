// Compiles and runs the tutorial whose code Stoa supports unchanged. Its text is not in the repository;
// the tests run if the file exists.

import Foundation
import PhiEngine
import TestSupport
import Testing

@Suite("Programs for MLX", .timeLimit(.minutes(3)))
struct TutorialTests {
    @Test(
        "the tutorial's loadModel() and fetchAIResponse() compile and answer",
        .enabled(if: SharedFiles.has("tutorial.md"), "skipped: the shared tutorial is not here"),
        arguments: ["5", "6"]
    )
    func tutorial(languageMode: String) async throws {
        let path = try #require(SharedFiles.path("tutorial.md"))
        let blocks = try MarkdownFile(path: path).swiftBlocks
        let message = try #require(blocks.first { $0.contains("struct ChatMessage") })
        let viewModel = try #require(blocks.first { $0.contains("class PhiViewModel") })
        for call in ["func loadModel() async", "func fetchAIResponse() async"] {
            #expect(viewModel.contains(call))
        }
        let program = try await SwiftProgram(
            [
                "Message.swift": withoutSwiftUI(message),
                "ViewModel.swift": withoutSwiftUI(viewModel),
                "Main.swift": main,
            ],
            languageMode: languageMode
        )
        let hub = try DemoHub()
        let outcome = try await program.run(["HF_HOME": hub.home, "HF_HUB_OFFLINE": "1"])
        #expect(outcome.status == 0)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.first == "Loading mlx-community/Phi-3.5-mini-instruct-4bit...")
        #expect(lines.contains("Download progress: 100%"))
        #expect(lines.contains("Inference complete:"))
        let answer = try #require(lines.first { $0.hasPrefix("Answer: ") })
        #expect(answer.count > "Answer: ".count, "\(outcome.output)")
    }

    /// Removes only SwiftUI, which does not exist here; it normally brings Foundation.
    private func withoutSwiftUI(_ source: String) -> String {
        source.replacing("import SwiftUI", with: "import Foundation")
    }

    /// A replacement for SwiftUI, as far as a view model needs it, and calls that the views would
    /// make.
    private let main = """
        protocol ObservableObject: AnyObject {}

        @propertyWrapper struct Published<Value> { var wrappedValue: Value }

        @main struct Program {
            @MainActor static func main() async {
                let model = PhiViewModel()
                await model.loadModel()
                while model.isLoadingEngine { await Task.yield() }
                model.prompt = "What is the capital of Finland?"
                await model.fetchAIResponse()
                while model.isLoading { await Task.yield() }
                print("Answer: \\(model.messages.last?.text ?? "")")
            }
        }
        """
}
