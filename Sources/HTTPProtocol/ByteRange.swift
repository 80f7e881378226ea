// Range requests, RFC 9110 section 14: one range of bytes. Several at once may be ignored, and are: who
// asks for them gets the whole, and no multipart answer that costs more than it.

/// What a request's `Range` asks for, of a body whose length is known.
public enum ByteRange: Sendable, Hashable {
    /// Everything: there is no range, or none that is followed.
    case whole
    /// These bytes, at least one.
    case part(Range<Int>)
    /// Bytes that are not there: answer 416.
    case unsatisfiable

    /// Reads a `Range` field. What breaks the grammar, of another unit, or more than one range is as if
    /// it was not sent.
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

    /// Reads "first-last", "first-" or "-length"; nil where it is none of them.
    private init?(one text: ArraySlice<UInt8>, length: Int) {
        guard let dash = text.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let (before, after) = (text[..<dash], text[(dash + 1)...])
        if before.isEmpty {
            guard let suffix = Self.number(after) else { return nil }
            // The last bytes of nothing are nothing, which no range can say.
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

    /// The value of digits and nothing else; one that no length can reach is brought down.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.allSatisfy(CharacterClass.isDigit) else { return nil }
        return Int(String(decoding: digits, as: UTF8.self)) ?? .max
    }
}
