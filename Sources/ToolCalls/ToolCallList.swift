// Reads the JSON of calls byte by byte: an array of objects with a name and arguments, or one object.
// Arguments are passed on as they are written.

import JSONText

/// The calls of an answer, as they are read.
struct ToolCallList {
    /// What a byte was.
    enum Outcome {
        /// A part of the calls.
        case going
        /// The last byte of the calls.
        case complete
        /// No part of calls; nothing more is read.
        case malformed
    }

    private enum State {
        /// Before the array, or the object.
        case start
        /// In the array, before an object; it may end if it has none yet.
        case element(isFirst: Bool)
        /// In the array, after an object.
        case separator
        /// In an object, before a key; it may end if it has none yet.
        case key(isFirst: Bool)
        /// In a key, after its quotation mark.
        case insideKey(isEscaped: Bool)
        case colon
        case value(Field)
        /// In a string or container: its depth, and whether it is in a string there.
        case insideValue(Field, depth: Int, isString: Bool, isEscaped: Bool)
        /// In a number, or one of the words of JSON.
        case insideWord(Field)
        /// After a value.
        case next
    }

    /// What a member of a call is.
    private enum Field {
        case name, arguments, function, other
    }

    /// Maximum length of a key and of a name, as they are written.
    private static let wordBytesMax = 256
    private static let depthMax = 64

    private var state = State.start
    private var isArray = false
    /// Whether it is in the object of OpenAI's member `function`.
    private var isNested = false
    private var index: Int
    private let functions: Set<String>?
    private let firstIndex: Int
    /// The key or string that is being read, with its quotation marks.
    private var word: [UInt8] = []
    private var name: String?
    private var hasArguments = false
    /// Arguments that are not in `events` yet.
    private var arguments: [UInt8] = []
    private var events: [ToolCallParser.Event] = []

    /// - Parameters:
    ///   - index: the number of the first call.
    ///   - functions: names of which a call must have one; nil if anything that looks like calls is.
    init(from index: Int, functions: Set<String>?) {
        self.index = index
        firstIndex = index
        self.functions = functions
    }

    /// Whether a call has begun, so that the text is known to be calls.
    var hasCalls: Bool { index > firstIndex || name != nil }

    /// What was read since the last time.
    mutating func takeEvents() -> [ToolCallParser.Event] {
        flushArguments()
        defer { events = [] }
        return events
    }

    /// Ends calls that are not complete.
    mutating func finish() {
        if case .insideValue(.arguments, _, _, _) = state { flushArguments() }
    }

    // MARK: Reading

    /// Reads a byte.
    mutating func read(_ byte: UInt8) -> Outcome {
        switch state {
        case .insideKey, .insideValue, .insideWord: break
        default: if byte.isJSONSpace { return .going }
        }
        switch (state, byte) {
        case (.start, UInt8(ascii: "[")):
            isArray = true
            return go(.element(isFirst: true))
        case (.start, UInt8(ascii: "{")), (.element, UInt8(ascii: "{")):
            return go(.key(isFirst: true))
        case (.element(isFirst: true), UInt8(ascii: "]")): return hasCalls ? .complete : .malformed
        case (.separator, UInt8(ascii: ",")): return go(.element(isFirst: false))
        case (.separator, UInt8(ascii: "]")): return .complete
        case (.key, UInt8(ascii: "\"")):
            word = [byte]
            return go(.insideKey(isEscaped: false))
        case (.key(isFirst: true), UInt8(ascii: "}")), (.next, UInt8(ascii: "}")):
            return endObject()
        case (.insideKey(let isEscaped), _): return readKey(byte, isEscaped)
        case (.next, UInt8(ascii: ",")): return go(.key(isFirst: false))
        case (.value(let field), _): return beginValue(field, byte)
        case (.insideValue(let field, let depth, let isString, let isEscaped), _):
            return readValue(field, byte, depth, isString, isEscaped)
        case (.insideWord(let field), _): return readWord(field, byte)
        default: return readColon(byte)
        }
    }

    private mutating func go(_ next: State) -> Outcome {
        state = next
        return .going
    }

    private mutating func readColon(_ byte: UInt8) -> Outcome {
        guard case .colon = state, byte == UInt8(ascii: ":"), let key = text(of: word) else {
            return .malformed
        }
        let field: Field =
            switch key {
            case "name" where name == nil: .name
            case "arguments" where !hasArguments, "parameters" where !hasArguments: .arguments
            case "function" where !isNested: .function
            default: .other
            }
        if functions != nil, !hasCalls, field == .other, key != "type", key != "id" {
            return .malformed
        }
        return go(.value(field))
    }

    private mutating func readKey(_ byte: UInt8, _ isEscaped: Bool) -> Outcome {
        guard word.count < Self.wordBytesMax else { return .malformed }
        word.append(byte)
        if byte == UInt8(ascii: "\""), !isEscaped { return go(.colon) }
        return go(.insideKey(isEscaped: byte == UInt8(ascii: "\\") && !isEscaped))
    }

    private mutating func beginValue(_ field: Field, _ byte: UInt8) -> Outcome {
        word = []
        switch byte {
        case UInt8(ascii: "{") where field == .function:
            isNested = true
            return go(.key(isFirst: true))
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard field != .name, field != .function else { return .malformed }
            take(byte, of: field)
            return go(.insideValue(field, depth: 1, isString: false, isEscaped: false))
        case UInt8(ascii: "\""):
            word = [byte]
            return go(.insideValue(field, depth: 0, isString: true, isEscaped: false))
        default:
            guard field != .name, field != .function else { return .malformed }
            return readWord(field, byte)
        }
    }

    private mutating func readValue(
        _ field: Field,
        _ byte: UInt8,
        _ depth: Int,
        _ isString: Bool,
        _ isEscaped: Bool
    ) -> Outcome {
        var (depth, isString) = (depth, isString)
        let isInWord = depth == 0
        if isInWord {
            // Only arguments may be as long as the answer.
            guard field == .arguments || word.count < Self.wordBytesMax || field == .other else {
                return .malformed
            }
            if field != .other { word.append(byte) }
        } else {
            take(byte, of: field)
        }
        var escapes = false
        switch byte {
        case UInt8(ascii: "\"") where !isEscaped: isString.toggle()
        case UInt8(ascii: "\\") where isString && !isEscaped: escapes = true
        case UInt8(ascii: "{") where !isString, UInt8(ascii: "[") where !isString: depth += 1
        case UInt8(ascii: "}") where !isString, UInt8(ascii: "]") where !isString: depth -= 1
        default: break
        }
        guard depth <= Self.depthMax else { return .malformed }
        if depth > 0 || isString {
            return go(.insideValue(field, depth: depth, isString: isString, isEscaped: escapes))
        }
        return endValue(field, isWord: isInWord)
    }

    private mutating func readWord(_ field: Field, _ byte: UInt8) -> Outcome {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"):
            state = .next
            return read(byte)
        case _ where byte.isJSONSpace: return go(.next)
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "+"),
            UInt8(ascii: "-"):
            // Arguments that are no object are none.
            return go(.insideWord(field))
        default: return .malformed
        }
    }

    private mutating func endValue(_ field: Field, isWord: Bool) -> Outcome {
        switch field {
        case .name, .function:
            guard let name = text(of: word) else { return .malformed }
            guard begin(name) else { return .malformed }
        case .arguments:
            // OpenAI's own form: the text of the object as a string.
            if isWord {
                guard let text = text(of: word) else { return .malformed }
                arguments += Array(text.utf8)
            }
            hasArguments = true
            flushArguments()
        case .other: break
        }
        return go(.next)
    }

    /// Begins a call.
    /// - Returns: false if it cannot be one.
    private mutating func begin(_ name: String) -> Bool {
        guard self.name == nil else { return true }
        guard !name.isEmpty, functions?.contains(name) ?? true else { return false }
        self.name = name
        events.append(.call(index, name: name))
        flushArguments()
        return true
    }

    private mutating func endObject() -> Outcome {
        if isNested {
            isNested = false
            return go(.next)
        }
        guard name != nil else { return .malformed }
        flushArguments()
        if !hasArguments { events.append(.arguments(index, "{}")) }
        (name, hasArguments) = (nil, false)
        index += 1
        guard isArray else { return .complete }
        return go(.separator)
    }

    // MARK: Parts

    private mutating func take(_ byte: UInt8, of field: Field) {
        if field == .arguments { arguments.append(byte) }
    }

    /// Passes arguments on, once the call has begun.
    private mutating func flushArguments() {
        guard name != nil, !arguments.isEmpty else { return }
        events.append(.arguments(index, String(decoding: arguments, as: UTF8.self)))
        arguments = []
    }

    private func text(of word: [UInt8]) -> String? { (try? JSONValue(parsing: word))?.string }
}
