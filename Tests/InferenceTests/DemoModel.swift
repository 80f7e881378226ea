// The demo model, and the events of an engine as comparable values.

import Checkpoints
import FoundationEssentials
import Inference
import Synchronization
import TestSupport
import Tokenizers

enum DemoModel {
    static let folder = "\(SharedFiles.packageRoot)/Sources/BundledFiles/demo-model"

    static func load() throws -> LoadedModel {
        try LoadedModel.load(folder: folder)
    }

    /// A folder with links to all of its files except one.
    static func links(without left: String) throws -> TemporaryFolder {
        let links = try TemporaryFolder()
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) where file != left {
            try FileManager.default.createSymbolicLink(
                atPath: "\(links.path)/\(file)",
                withDestinationPath: "\(folder)/\(file)"
            )
        }
        return links
    }
}

extension LoadedModel {
    /// A request for the answer to one question.
    func request(
        _ id: UInt64,
        _ question: String,
        sampling: SamplingParameters = .greedy,
        maxNewTokens: Int = 64,
        stopStrings: [String] = [],
        deadline: ContinuousClock.Instant? = nil
    ) -> GenerationRequest {
        GenerationRequest(
            id: id,
            prompt: template.encode(
                [ChatMessage(role: "user", content: question)],
                addGenerationPrompt: true
            ).tokens,
            sampling: sampling,
            maxNewTokens: maxNewTokens,
            stopStrings: stopStrings,
            deadline: deadline
        )
    }
}

/// The batches of an engine as a stream, for tests to await.
struct EventLog {
    let batches: AsyncStream<[TokenEvent]>
    let sink: @Sendable ([TokenEvent]) -> Void

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: [TokenEvent].self)
        batches = stream
        sink = { continuation.yield($0) }
    }

    /// Reads until `count` requests have had their last event.
    func answers(_ count: Int) async -> [UInt64: Answer] {
        var answers: [UInt64: Answer] = [:]
        var left = count
        for await batch in batches {
            for event in batch {
                answers[event.id, default: Answer()].events.append(event)
                if event.isLast { left -= 1 }
            }
            if left <= 0 { break }
        }
        return answers
    }

    /// Reads until one request has had its last event.
    func answer() async -> Answer {
        await answers(1).values.first ?? Answer()
    }
}

/// All events of one request.
struct Answer: Equatable {
    var events: [TokenEvent] = []

    var pieces: [String] {
        events.compactMap { if case .text(_, let text, _, _) = $0 { text } else { nil } }
    }
    var text: String { pieces.joined() }
    var completion: Completion? {
        if case .finished(_, let completion) = events.last { completion } else { nil }
    }
    var finish: FinishReason? { completion?.finish }
    /// The tokens of each text event.
    var tokens: [[TokenID]] {
        events.compactMap { if case .text(_, _, let tokens, _) = $0 { tokens } else { nil } }
    }
    /// The rated tokens of all text events.
    var sampled: [SampledToken] {
        events.flatMap { event -> [SampledToken] in
            if case .text(_, _, _, let sampled) = event { sampled } else { [] }
        }
    }
    /// The number of tokens after each text event.
    var tokenCounts: [Int] {
        tokens.indices.map { tokens[...$0].joined().count }
    }
    var progress: [Int] {
        events.compactMap { if case .progress(_, let done, _) = $0 { done } else { nil } }
    }
}

/// Lets a sink call its engine without retaining it.
final class EngineReference: Sendable {
    private struct Weak: Sendable { weak var engine: Engine? }
    private let reference = Mutex(Weak())

    func set(_ engine: Engine) { reference.withLock { $0.engine = engine } }

    func use(_ body: (Engine) -> Void) {
        if let engine = reference.withLock({ $0.engine }) { body(engine) }
    }
}
