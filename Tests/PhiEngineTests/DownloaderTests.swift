import Foundation
import PhiEngine
import Synchronization
import Testing

@Suite("Downloaders and tokenizers of a program's own", .timeLimit(.minutes(1)))
struct DownloaderTests {
    /// Has the demo model under every name.
    private final class Shelf: Downloader {
        let asked = Mutex<[String]>([])

        func download(
            id: String,
            revision: String?,
            matching patterns: [String],
            useLatest: Bool,
            progressHandler: @Sendable @escaping (Progress) -> Void
        ) async throws -> URL {
            let request = "\(id) \(revision ?? "-") \(useLatest) \(patterns.count > 0)"
            asked.withLock { $0.append(request) }
            return URL(filePath: DemoHub.demoFolder)
        }
    }

    /// The model's tokenizer, and a count of its uses.
    private struct CountingLoader: TokenizerLoader {
        final class Count: Sendable { let loads = Mutex(0) }
        let count = Count()

        func load(from directory: URL) async throws -> any Tokenizer {
            count.loads.withLock { $0 += 1 }
            return try await PhiTokenizerLoader().load(from: directory)
        }
    }

    @Test("a model comes from the program's downloader, with its tokenizer")
    func ownDownloader() async throws {
        let (shelf, loader) = (Shelf(), CountingLoader())
        let container = try await loadModelContainer(
            from: shelf,
            using: loader,
            id: "org/model",
            revision: "v1"
        )
        #expect(shelf.asked.withLock { $0 } == ["org/model v1 false true"])
        #expect(loader.count.loads.withLock { $0 } == 1)
        let session = ChatSession(
            container,
            generateParameters: GenerateParameters(maxTokens: 8, temperature: 0)
        )
        #expect(!(try await session.respond(to: Demo.question)).isEmpty)
    }

    @Test("the hub is a downloader, and resolve says where the files are")
    func hub() async throws {
        let hub = try DemoHub("org/model")
        let resolved = try await resolve(
            configuration: ModelConfiguration(id: "org/model", extraEOSTokens: ["<|end|>"]),
            from: hub.offline,
            useLatest: false
        ) { _ in }
        #expect(resolved.modelDirectory.path == hub.snapshot)
        #expect(resolved.tokenizerDirectory.path == hub.snapshot)
        #expect(resolved.name == "org/model" && resolved.extraEOSTokens == ["<|end|>"])
        let context = try await LLMModelFactory.shared.load(
            from: resolved.modelDirectory,
            using: PhiTokenizerLoader()
        )
        #expect(context.model.numParameters() > 0)
    }

    @Test("a registry name of another architecture is refused before anything is asked for")
    func otherArchitecture() async throws {
        let hub = try DemoHub("org/model")
        let error = await #expect(throws: PhiEngineError.self) {
            try await loadModelContainer(
                hub: hub.offline,
                configuration: LLMRegistry.gemma3_1B_qat_4bit
            )
        }
        guard case .unsupportedModelType(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("gemma3_text") && reason.contains("phi4_mini_4bit"))
    }

    @Test("a text is detokenized token by token, whole characters at a time")
    func detokenizer() async throws {
        let tokenizer = try await PhiTokenizerLoader().load(
            from: URL(filePath: DemoHub.demoFolder)
        )
        let text = "One 🍵\nand two more lines\n\nof tea 🍵🍵."
        var detokenizer = NaiveStreamingDetokenizer(tokenizer: tokenizer)
        var pieces: [String] = []
        for token in tokenizer.encode(text: text) {
            detokenizer.append(token: token)
            if let piece = detokenizer.next() { pieces.append(piece) }
        }
        #expect(pieces.joined() == text)
        #expect(pieces.count > 5 && !pieces.contains { $0.contains("\u{FFFD}") })
    }
}
