// Strings in JSON: those without escapes are copied at once, others byte by byte.

/// Parses string literals.
enum JSONString {
    /// The string whose opening quote is at `start`, and the offset after its closing quote.
    static func parse(
        _ bytes: Span<UInt8>,
        from start: Int
    ) throws(JSONError) -> (String, end: Int) {
        let first = start + 1
        var end = first
        while end < bytes.count {
            switch bytes[end] {
            case UInt8(ascii: "\""):
                return (try text(bytes.extracting(first..<end), at: first), end + 1)
            case UInt8(ascii: "\\"):
                return try parseEscaped(bytes, from: first)
            case 0..<0x20:
                throw JSONError(.controlCharacter, at: end)
            default:
                end += 1
            }
        }
        throw JSONError(.unexpectedEnd, at: end)
    }

    /// Like `parse`, for a literal with escapes; `start` is the offset after the quote.
    private static func parseEscaped(
        _ bytes: Span<UInt8>,
        from start: Int
    ) throws(JSONError) -> (String, end: Int) {
        var unescaped: [UInt8] = []
        var offset = start
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                return (try text(unescaped.span, at: start), offset + 1)
            case UInt8(ascii: "\\"):
                let (scalar, end) = try escape(bytes, at: offset)
                unescaped.append(
                    contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
                )
                offset = end
            case 0..<0x20:
                throw JSONError(.controlCharacter, at: offset)
            case let byte:
                unescaped.append(byte)
                offset += 1
            }
        }
        throw JSONError(.unexpectedEnd, at: offset)
    }

    private static func text(_ bytes: Span<UInt8>, at start: Int) throws(JSONError) -> String {
        do {
            return String(copying: try UTF8Span(validating: bytes))
        } catch {
            throw JSONError(.invalidUTF8, at: start + error.byteOffsets.lowerBound)
        }
    }

    /// The scalar of the escape whose backslash is at `offset`, and the offset after it.
    private static func escape(
        _ bytes: Span<UInt8>,
        at offset: Int
    ) throws(JSONError) -> (Unicode.Scalar, end: Int) {
        guard offset + 1 < bytes.count else { throw JSONError(.unexpectedEnd, at: offset + 1) }
        let byte = bytes[offset + 1]
        if byte == UInt8(ascii: "u") { return try unicodeEscape(bytes, at: offset) }
        guard let scalar = JSONEscape.scalar(byte) else {
            throw JSONError(.malformedEscape, at: offset)
        }
        return (scalar, offset + 2)
    }

    /// `\uXXXX`, or a surrogate pair of two of them.
    private static func unicodeEscape(
        _ bytes: Span<UInt8>,
        at offset: Int
    ) throws(JSONError) -> (Unicode.Scalar, end: Int) {
        let unit = try codeUnit(bytes, at: offset)
        if let scalar = Unicode.Scalar(unit) { return (scalar, offset + 6) }
        let low = try codeUnit(bytes, at: offset + 6)
        guard let scalar = JSONEscape.scalar(lead: unit, trail: low) else {
            throw JSONError(.malformedEscape, at: offset)
        }
        return (scalar, offset + 12)
    }

    /// The UTF-16 code unit of the `\uXXXX` at `offset`.
    private static func codeUnit(
        _ bytes: Span<UInt8>,
        at offset: Int
    ) throws(JSONError) -> UInt16 {
        guard offset + 6 <= bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
        guard bytes[offset] == UInt8(ascii: "\\"), bytes[offset + 1] == UInt8(ascii: "u") else {
            throw JSONError(.malformedEscape, at: offset)
        }
        var value: UInt16 = 0
        for position in offset + 2..<offset + 6 {
            guard let digit = JSONEscape.hexDigit(bytes[position]) else {
                throw JSONError(.malformedEscape, at: offset)
            }
            value = value << 4 | digit
        }
        return value
    }
}
