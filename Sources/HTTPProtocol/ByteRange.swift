// Range requests, RFC 9110 section 14, with one range of bytes. A server may ignore requests for
// several ranges; this one does and sends the whole body, since a multipart response costs more.

/// The range that a request's `Range` field selects in a body of known length.
public enum ByteRange: Sendable, Hashable {
    /// The whole body: there is no `Range`, or it is ignored.
    case whole
    /// These bytes, at least one.
    case part(Range<Int>)
    /// A range outside of the body: respond with 416.
    case unsatisfiable

    /// Parses a `Range` field. A malformed one, another unit and several ranges are ignored.
    public init(_ value: String?, length: Int) {
        guard let value, let equals = value.firstIndex(of: "="),
            value[..<equals].lowercased() == "bytes"
        else {
            self = .whole
            return
        }
        let ranges = value[value.index(after: equals)...].split(separator: ",")
            .map { CharacterClass.trimmed(Array($0.utf8)[...]) }
            .filter { !$0.isEmpty }
        guard ranges.count == 1, let range = Self(one: ranges[0], length: length) else {
            self = .whole
            return
        }
        self = range
    }

    /// Parses "first-last", "first-" or "-length"; nil if it is none of them.
    private init?(one text: ArraySlice<UInt8>, length: Int) {
        guard let dash = text.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let (before, after) = (text[..<dash], text[(dash + 1)...])
        if before.isEmpty {
            guard let suffix = Self.number(after) else { return nil }
            // An empty body has no last bytes, and a range cannot be empty.
            guard length > 0 else {
                self = suffix > 0 ? .whole : .unsatisfiable
                return
            }
            self = suffix > 0 ? .part(max(0, length - suffix)..<length) : .unsatisfiable
            return
        }
        guard let first = Self.number(before) else { return nil }
        var end = length
        if !after.isEmpty {
            guard let last = Self.number(after), first <= last else { return nil }
            end = min(last, length - 1) + 1
        }
        self = first < length ? .part(first..<end) : .unsatisfiable
    }

    /// The value of digits; numbers beyond any length are clamped.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.allSatisfy(CharacterClass.isDigit) else { return nil }
        return Int(String(decoding: digits, as: UTF8.self)) ?? .max
    }
}
