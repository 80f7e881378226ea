// Strings and numbers, which may span pieces of the stream.

/// The result of reading a string to its end. The reader can continue in both cases.
enum ReadString {
    case kept(String)
    case tooLong(limit: Int)

    func get(at offset: Int) throws -> String {
        switch self {
        case .kept(let string): return string
        case .tooLong(let limit):
            throw JSONError(.stringTooLong(limit: limit), at: offset)
        }
    }
}

extension JSONReader {
    /// Reads the string whose opening quote is next.
    mutating func readString() throws -> ReadString {
        let start = offset
        bytes.skip()
        var text: [UInt8] = []
        var isTooLong = false
        func add(_ more: some Collection<UInt8>) {
            guard keepsStrings, !isTooLong else { return }
            if text.count + more.count > limits.stringByteCountMax {
                isTooLong = true
                text = []
            } else {
                text += more
            }
        }
        while true {
            let plain = try bytes.takePlain()
            add(plain)
            guard let byte = try bytes.peek() else { throw error(.unexpectedEnd) }
            switch byte {
            case UInt8(ascii: "\""):
                bytes.skip()
                if isTooLong { return .tooLong(limit: limits.stringByteCountMax) }
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw JSONError(.invalidUTF8, at: start)
                }
                return .kept(string)
            case UInt8(ascii: "\\"):
                add(UTF8.encode(try readEscape()) ?? UTF8.encodedReplacementCharacter)
            case 0..<0x20: throw error(.controlCharacter)
            // The end of the piece: the loop continues with the next one.
            default: break
            }
        }
    }

    /// Reads the escape that starts at the backslash.
    private mutating func readEscape() throws -> Unicode.Scalar {
        bytes.skip()
        guard let byte = try bytes.peek() else { throw error(.unexpectedEnd) }
        guard byte != UInt8(ascii: "u") else {
            bytes.skip()
            return try readUnicodeEscape(try readCodeUnit())
        }
        guard let scalar = JSONEscape.scalar(byte) else { throw error(.malformedEscape) }
        bytes.skip()
        return scalar
    }

    private mutating func readUnicodeEscape(_ unit: UInt16) throws -> Unicode.Scalar {
        if let scalar = Unicode.Scalar(unit) { return scalar }
        if UTF16.isLeadSurrogate(unit), let low = try bytes.trailSurrogate(),
            let scalar = JSONEscape.scalar(lead: unit, trail: low)
        {
            return scalar
        }
        loneSurrogateCount += 1
        return "\u{FFFD}"
    }

    /// Reads the four digits of a UTF-16 code unit.
    private mutating func readCodeUnit() throws -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = try bytes.peek() else { throw error(.unexpectedEnd) }
            guard let digit = JSONEscape.hexDigit(byte) else { throw error(.malformedEscape) }
            unit = unit << 4 | digit
            bytes.skip()
        }
        return unit
    }

    // MARK: Numbers

    /// Reads a number.
    mutating func readNumber() throws -> Double {
        let start = offset
        var literal: [UInt8] = []
        while let byte = try bytes.peek() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
                guard literal.count < limits.numberByteCountMax else {
                    throw error(.numberTooLong(limit: limits.numberByteCountMax))
                }
                literal.append(byte)
                bytes.skip()
                continue
            default: break
            }
            break
        }
        return try Self.number(literal.span, at: start)
    }

    /// Parses a whole literal as a number.
    private static func number(_ literal: Span<UInt8>, at start: Int) throws(JSONError) -> Double {
        let number: JSONValue
        let end: Int
        do throws(JSONError) {
            (number, end) = try JSONNumber.parse(literal, from: 0)
        } catch {
            let isTooLarge = error.reason == .numberOutOfRange
            throw JSONError(isTooLarge ? .numberOutOfRange : .malformedNumber, at: start)
        }
        guard end == literal.count, let double = number.double else {
            throw JSONError(.malformedNumber, at: start)
        }
        return double
    }
}

extension BufferedBytes {
    /// Reads the escape of a trail surrogate if it is next; otherwise consumes nothing.
    mutating func trailSurrogate() throws -> UInt16? {
        guard let ahead = try peek(count: 6), ahead[0] == UInt8(ascii: "\\"),
            ahead[1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt16 = 0
        for byte in ahead[2...] {
            guard let digit = JSONEscape.hexDigit(byte) else { return nil }
            unit = unit << 4 | digit
        }
        guard UTF16.isTrailSurrogate(unit) else { return nil }
        for _ in 0..<6 { skip() }
        return unit
    }
}
