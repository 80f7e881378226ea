// Finds the calls of tools in an answer's text while it grows. A value: text in, events out, and the
// result does not depend on how the text is split.

/// Finds calls of tools in an answer.
///
/// Models of the Phi-4-mini family write `<|tool_call|>[{"name": …, "arguments": {…}}]<|/tool_call|>`.
/// What else they are seen to write counts too: one object without the array, `parameters` instead of
/// `arguments`, OpenAI's `{"type": "function", "function": {…}}`, an array after the word `functools`,
/// and, as the whole answer, JSON that names one of the functions. Everything else is text.
public struct ToolCallParser: Sendable {
    /// What a text adds.
    public enum Event: Sendable, Hashable {
        /// Text for people.
        case text(String)
        /// A call of a function begins; calls are numbered from 0.
        case call(Int, name: String)
        /// More of a call's arguments, which are the text of a JSON object.
        case arguments(Int, String)
    }

    /// The text of the special token before calls, and of the one after them.
    public struct Marks: Sendable, Hashable {
        let opening: [UInt8]
        let closing: [UInt8]

        /// Creates a value.
        public init(opening: String, closing: String) {
            self.opening = Array(opening.utf8)
            self.closing = Array(closing.utf8)
        }
    }

    private enum Phase {
        /// There was nothing but white space.
        case beginning
        /// Text, in which calls may begin.
        case text
        /// Calls; `raw` is their text as long as it may turn out not to be calls.
        case calls(ToolCallList, raw: [UInt8])
        /// After calls: the closing mark may follow.
        case afterCalls
    }

    private static let keyword = Array("functools".utf8)

    private let marks: Marks
    private let functions: Set<String>
    private let callsMax: Int
    private var phase = Phase.beginning
    /// What has not been decided yet.
    private var held: [UInt8] = []
    private var callCount = 0
    private var events: [Event] = []

    /// - Parameters:
    ///   - marks: the special tokens around calls.
    ///   - functions: the names of the functions that the model was told of.
    ///   - callsMax: maximum number of calls; more of them are left out.
    public init(_ marks: Marks, functions: Set<String>, callsMax: Int = 128) {
        self.marks = marks
        self.functions = functions
        self.callsMax = callsMax
    }

    /// Whether there was a call.
    public var hasCalls: Bool { callCount > 0 }

    /// Reads more of the answer.
    /// - Parameter text: whole characters.
    /// - Returns: what it adds, in order; often nothing.
    public mutating func append(_ text: String) -> [Event] {
        held += Array(text.utf8)
        while advance() {}
        return takeEvents()
    }

    /// Ends the answer.
    /// - Returns: what had to wait for its end.
    public mutating func finish() -> [Event] {
        switch phase {
        case .beginning, .text: emitText(held)
        case .calls(var list, let raw):
            list.finish()
            emit(&list)
            emitText(raw)
        case .afterCalls: emitText(held.drop { $0.isJSONSpace })
        }
        held = []
        phase = .text
        return takeEvents()
    }

    // MARK: Phases

    /// Decides about some of the held bytes.
    /// - Returns: whether it may be called again.
    private mutating func advance() -> Bool {
        switch phase {
        case .beginning: return begin()
        case .text: return readText()
        case .calls(let list, let raw): return readCalls(list, raw)
        case .afterCalls: return readClosing()
        }
    }

    private mutating func begin() -> Bool {
        let rest = held.drop { $0.isJSONSpace }
        guard let first = rest.first else { return false }
        let isKeyword = rest.starts(with: Self.keyword)
        if isKeyword, rest.count > Self.keyword.count, rest[rest.startIndex + 9] == 0x5B {
            beginCalls(isMarked: true, after: held.count - rest.count + Self.keyword.count)
            return true
        }
        if rest.starts(with: marks.opening) {
            beginCalls(isMarked: true, after: held.count - rest.count + marks.opening.count)
            return true
        }
        if first == 0x5B || first == 0x7B {
            beginCalls(isMarked: false, after: held.count - rest.count)
            return true
        }
        let mayBecome = [Self.keyword, marks.opening].contains { $0.starts(with: rest) }
        if mayBecome, rest.count < marks.opening.count, !rest.elementsEqual(marks.opening) {
            return false
        }
        phase = .text
        return true
    }

    /// - Parameters:
    ///   - isMarked: whether what is before them says that they are calls.
    ///   - count: the number of bytes before them, which are text again if they are not calls.
    private mutating func beginCalls(isMarked: Bool, after count: Int) {
        let list = ToolCallList(from: callCount, functions: isMarked ? nil : functions)
        phase = .calls(list, raw: Array(held.prefix(count)))
        held.removeFirst(count)
    }

    private mutating func readText() -> Bool {
        if let place = held.firstRange(of: marks.opening) {
            emitText(held[..<place.lowerBound])
            held.removeFirst(place.lowerBound)
            beginCalls(isMarked: true, after: marks.opening.count)
            return true
        }
        let keptMax = min(held.count, marks.opening.count - 1)
        let kept = (0...keptMax).last { marks.opening.starts(with: held.suffix($0)) } ?? 0
        emitText(held.dropLast(kept))
        held.removeFirst(held.count - kept)
        return false
    }

    private mutating func readCalls(_ list: ToolCallList, _ raw: [UInt8]) -> Bool {
        var (list, raw) = (list, raw)
        for (index, byte) in held.enumerated() {
            let outcome = list.read(byte)
            if outcome == .going {
                if !list.hasCalls { raw.append(byte) }
                continue
            }
            emit(&list)
            held.removeFirst(outcome == .complete ? index + 1 : index)
            if outcome == .malformed {
                // A bound may be reached within a character.
                let tail = held.prefix { $0 & 0xC0 == 0x80 }
                if !list.hasCalls { emitText(raw + tail) }
                held.removeFirst(tail.count)
            }
            phase = outcome == .complete ? .afterCalls : .text
            return true
        }
        held = []
        emit(&list)
        phase = .calls(list, raw: list.hasCalls ? [] : raw)
        return false
    }

    private mutating func readClosing() -> Bool {
        let rest = held.drop { $0.isJSONSpace }
        guard !rest.starts(with: marks.closing) else {
            held.removeFirst(held.count - rest.count + marks.closing.count)
            // More calls may follow; white space before them is not text.
            return true
        }
        guard !marks.closing.starts(with: rest) else { return false }
        let mayOpen = marks.opening.starts(with: rest) && rest.count < marks.opening.count
        guard !mayOpen else { return false }
        if rest.starts(with: marks.opening) {
            // White space between calls is not text.
            beginCalls(isMarked: true, after: held.count - rest.count + marks.opening.count)
        } else {
            phase = .text
        }
        return true
    }

    // MARK: Events

    private mutating func emitText(_ bytes: some Collection<UInt8>) {
        guard !bytes.isEmpty else { return }
        let text = String(decoding: bytes, as: UTF8.self)
        if case .text(let before)? = events.last {
            events[events.count - 1] = .text(before + text)
        } else {
            events.append(.text(text))
        }
    }

    private mutating func emit(_ list: inout ToolCallList) {
        for event in list.takeEvents() {
            switch event {
            case .call(let index, _), .arguments(let index, _):
                callCount = max(callCount, index + 1)
                if index < callsMax { events.append(event) }
            case .text: break
            }
        }
    }

    private mutating func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }
}

extension UInt8 {
    /// White space of JSON (RFC 8259, section 2).
    var isJSONSpace: Bool {
        self == 0x20 || (0x09...0x0D).contains(self) && self != 0x0B && self != 0x0C
    }
}
