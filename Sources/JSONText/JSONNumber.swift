// Numbers in JSON. Integers stay exact: offsets in a safetensors header may exceed 2^53.

/// Parses number literals.
enum JSONNumber {
    /// The number that starts at `start`, and the offset after it.
    static func parse(
        _ bytes: Span<UInt8>,
        from start: Int
    ) throws(JSONError) -> (JSONValue, end: Int) {
        var offset = start
        if bytes[offset] == UInt8(ascii: "-") { offset += 1 }
        let firstDigit = offset
        try skipDigits(bytes, &offset)
        if bytes[firstDigit] == UInt8(ascii: "0"), offset > firstDigit + 1 {
            throw JSONError(.malformedNumber, at: start)
        }
        var isInteger = true
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
            isInteger = false
            offset += 1
            try skipDigits(bytes, &offset)
        }
        if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            offset += 1
            if offset < bytes.count,
                bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-")
            {
                offset += 1
            }
            try skipDigits(bytes, &offset)
        }
        return (try value(bytes.extracting(start..<offset), isInteger, at: start), offset)
    }

    /// Skips one or more digits.
    private static func skipDigits(
        _ bytes: Span<UInt8>,
        _ offset: inout Int
    ) throws(JSONError) {
        let start = offset
        while offset < bytes.count,
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset])
        {
            offset += 1
        }
        guard offset > start else {
            throw JSONError(offset < bytes.count ? .malformedNumber : .unexpectedEnd, at: offset)
        }
    }

    private static func value(
        _ literal: Span<UInt8>,
        _ isInteger: Bool,
        at start: Int
    ) throws(JSONError) -> JSONValue {
        if isInteger, let integer = integer(literal) { return .integer(integer) }
        guard let ascii = try? UTF8Span(validating: literal),
            let number = Double(String(copying: ascii)), number.isFinite
        else {
            throw JSONError(.numberOutOfRange, at: start)
        }
        return .number(number)
    }

    /// The integer, or nil if it needs more than 64 bits.
    private static func integer(_ literal: Span<UInt8>) -> Int? {
        let isNegative = literal[0] == UInt8(ascii: "-")
        var value = 0
        for index in (isNegative ? 1 : 0)..<literal.count {
            let digit = Int(literal[index] - UInt8(ascii: "0"))
            let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carried) =
                isNegative
                ? shifted.subtractingReportingOverflow(digit)
                : shifted.addingReportingOverflow(digit)
            if overflow || carried { return nil }
            value = sum
        }
        return value
    }
}
