// Values of a YAML document, in the order in which they are written.

/// A value of a YAML document.
indirect enum YAML: Sendable, Equatable {
    case bool(Bool)
    case integer(Int)
    case text(String)
    case list([YAML])
    case map([Member])

    /// A key of a map with its value.
    struct Member: Sendable, Equatable {
        let key: String
        let value: YAML
    }

    /// The lines of the value, as a document.
    var lines: [String] {
        switch self {
        case .bool(let value): ["\(value)"]
        case .integer(let value): ["\(value)"]
        case .text(let text): [Self.scalar(text)]
        case .list(let elements) where elements.isEmpty: ["[]"]
        case .map(let members) where members.isEmpty: ["{}"]
        case .list(let elements):
            elements.flatMap { element in
                element.lines.enumerated().map { ($0 == 0 ? "- " : "  ") + $1 }
            }
        case .map(let members): members.flatMap(Self.lines)
        }
    }

    private static func lines(of member: Member) -> [String] {
        let (key, lines) = (scalar(member.key), member.value.lines)
        return switch member.value {
        case .list(let elements) where !elements.isEmpty: ["\(key):"] + lines.map { "  " + $0 }
        case .map(let members) where !members.isEmpty: ["\(key):"] + lines.map { "  " + $0 }
        default: ["\(key): \(lines[0])"]
        }
    }

    /// A string on one line: as it is if it is plain words, otherwise between single quotes.
    private static func scalar(_ text: String) -> String {
        let isPlain =
            text.utf8.first.map { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A } == true
            && text.utf8.last != 0x20
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: " _-./,;()".utf8.contains(byte)
                }
            }
        let words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
        guard isPlain, !words.contains(text.lowercased()) else {
            return "'\(text.replacing("'", with: "''").replacing("\n", with: " "))'"
        }
        return text
    }
}

extension YAML: ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
    ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    init(stringLiteral text: String) { self = .text(text) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(integerLiteral value: Int) { self = .integer(value) }
    init(arrayLiteral elements: YAML...) { self = .list(elements) }
    init(dictionaryLiteral members: (String, YAML)...) {
        self = .map(members.map { Member(key: $0, value: $1) })
    }

    /// A map with more members; nil adds none.
    func adding(_ key: String, _ value: YAML?) -> YAML {
        guard case .map(let members) = self, let value else { return self }
        return .map(members + [Member(key: key, value: value)])
    }
}
