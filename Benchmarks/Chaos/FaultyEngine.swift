// Remote engines that fail in every way that engines do. All tell the same story, so that a text that is
// doubled, lost or torn at a failover is found.

import Doubles
import HTTPProtocol
import JSONText
import Synchronization

/// One engine, on a thread of its own. What it does to a request is determined by the seed.
final class FaultyEngine: Sendable {
    /// What it does instead of answering.
    enum Fault: String, CaseIterable {
        case stallsBefore = "stalled before an answer"
        case stallsInside = "stalled in an answer"
        case cutsCharacter = "cut inside a character"
        case cutsEnd = "cut before the end was told"
        case lies = "told a usage that cannot be true"
        case tooMany = "answered 429"
        case unavailable = "answered 503"
        case reports = "sent an error in the stream"
        case dies = "died in an answer"
    }

    /// The words of an engine's setting: short deadlines, so that stalls are noticed in a run.
    static let words = "first-token-seconds=3 next-token-seconds=2 connect-seconds=2 slots=8"
    /// The model's name for clients.
    static let model = "remote"

    private struct State {
        var faults: [Fault: Int] = [:]
        var answers = 0
        var strangers = 0
    }

    private let label: String
    private let engine: Mutex<EngineDouble?>
    private let state = Mutex(State())

    init(seed: UInt64, index: Int) throws {
        label = "e\(index)"
        engine = Mutex(nil)
        let made = try EngineDouble { [weak self] number, request in
            self?.reply(to: request, .init(seed: seed, "engine \(index)", number))
                ?? .error(503, "the end")
        }
        engine.withLock { $0 = made }
    }

    /// Its setting.
    var setting: String {
        let base = engine.withLock { $0?.base ?? "" }
        return "\(base) model=phi as=\(Self.model) label=\(label) \(Self.words)"
    }

    func stop() { engine.withLock { $0?.stop() } }

    /// How often it did what.
    var counts: [(name: String, value: Int)] {
        state.withLock { state in
            [("requests that engines answered", state.answers)]
                + Fault.allCases.map {
                    ("times that an engine \($0.rawValue)", state.faults[$0] ?? 0)
                }
        }
    }

    /// Requests to continue a text that is not the story's.
    var strangerCount: Int { state.withLock { $0.strangers } }

    // MARK: The story

    /// The tokens of the story. Every second one is a character of four bytes.
    private static func token(_ index: Int) -> String { index % 2 == 0 ? "\(index)" : "🦉" }

    /// Whether a text is the story's beginning.
    static func isStory(_ text: String) -> Bool { tokenCount(of: text) != nil }

    /// The number of tokens of a text; nil if it is not the story's beginning.
    private static func tokenCount(of text: String) -> Int? {
        var rest = Substring(text)
        var count = 0
        while !rest.isEmpty {
            let token = token(count)
            guard rest.hasPrefix(token) else { return nil }
            rest = rest.dropFirst(token.count)
            count += 1
        }
        return count
    }

    // MARK: Answers

    private func reply(
        to request: EngineDouble.Request,
        _ generator: SeededGenerator
    ) -> EngineDouble.Reply {
        var random = generator
        let messages = request.body["messages"]?.array ?? []
        var told = ""
        if let last = messages.last, last["role"]?.string == "assistant" {
            told = last["content"]?.string ?? ""
        }
        let first: Int
        if let count = Self.tokenCount(of: told) {
            first = count
        } else {
            // A title's or a summary's engine may have been the embedded one.
            state.withLock { $0.strangers += 1 }
            first = 0
        }
        let allowed = request.body["max_tokens"]?.integer ?? 1
        let wanted = Int.random(in: 1...24, using: &random)
        let count = min(allowed, wanted)
        let fault = Bool.random(using: &random) ? nil : Fault.allCases.randomElement(using: &random)
        state.withLock { state in
            if let fault { state.faults[fault, default: 0] += 1 } else { state.answers += 1 }
        }
        var tokens = (first..<first + count).map(Self.token)
        let end = wanted > allowed ? "length" : "stop"
        let usage = #"{"prompt_tokens":40,"completion_tokens":\#(count)}"#
        let pause = random.pause(below: 40)
        switch fault {
        case nil: return Self.stream(tokens, end: end, usage: usage, pause: pause)
        case .lies?:
            let lie = #"{"prompt_tokens":-5,"completion_tokens":99999999}"#
            return Self.stream(tokens, end: end, usage: lie, pause: pause)
        case .tooMany?: return .error(429, "too many requests", retryAfter: 1)
        case .unavailable?: return .error(503, "loading")
        case .stallsBefore?: return Self.stream([], ending: .stall, pause: pause)
        default: break
        }
        tokens = Array(tokens.prefix(max(1, count / 2)))
        switch fault {
        case .stallsInside?: return Self.stream(tokens, ending: .stall, pause: pause)
        case .reports?:
            var reply = Self.stream(tokens, ending: .cut, pause: pause)
            reply.pieces.append(Array("data: {\"error\":{\"message\":\"out of memory\"}}\n\n".utf8))
            return reply
        case .cutsCharacter?:
            var reply = Self.stream(tokens, ending: .cut, pause: pause)
            let torn = #"data: {"choices":[{"index":0,"delta":{"content":""#
            reply.pieces.append(Array(torn.utf8) + [0xF0, 0x9F])
            return reply
        case .dies?:
            return Self.stream(tokens, ending: .death(random.pause(below: 3000)), pause: pause)
        default: return Self.stream(tokens, ending: .cut, pause: pause)
        }
    }

    private static func stream(
        _ tokens: [String],
        end: String? = nil,
        usage: String? = nil,
        ending: HTTPDouble.Ending = .done,
        pause: Duration
    ) -> EngineDouble.Reply {
        var reply = EngineDouble.Reply.events([], ending: ending)
        reply.pause = pause
        reply.pieces = tokens.map { event(#"{"delta":{"content":"\#($0)"},"index":0}"#) }
        if let end {
            reply.pieces.append(event(#"{"delta":{},"index":0,"finish_reason":"\#(end)"}"#))
        }
        if let usage {
            reply.pieces.append(Array("data: {\"choices\":[],\"usage\":\(usage)}\n\n".utf8))
            reply.pieces.append(Array("data: [DONE]\n\n".utf8))
        }
        if reply.pieces.isEmpty { reply.pieces = [[]] }
        return reply
    }

    private static func event(_ choice: String) -> [UInt8] {
        Array("data: {\"choices\":[\(choice)]}\n\n".utf8)
    }
}
