// Strings and numbers, which may begin in one piece of the stream and end in another.

/// A string that was read to its end, or why it is not kept. The text goes on after either.
enum ReadString {
    case kept(String)
    case tooLong(limit: Int)

    func get(at offset: Int64) throws -> String {
        switch self {
        case .kept(let string): return string
        case .tooLong(let limit):
            throw JSONReaderError(reason: .stringTooLong(limit: limit), offset: offset)
        }
    }
}

extension JSONReader {
    /// The string whose opening quote comes next.
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
                    throw JSONReaderError(reason: .invalidUTF8, offset: start)
                }
                return .kept(string)
            case UInt8(ascii: "\\"):
                add(UTF8.encode(try readEscape()) ?? UTF8.encodedReplacementCharacter)
            case 0..<0x20: throw error(.controlCharacter)
            // A new piece begins here.
            default: break
            }
        }
    }

    /// The scalar that the escape at the backslash means.
    private mutating func readEscape() throws -> Unicode.Scalar {
        bytes.skip()
        guard let byte = try bytes.peek() else { throw error(.unexpectedEnd) }
        guard byte != UInt8(ascii: "u") else {
            bytes.skip()
            return try readUnicodeEscape(try readCodeUnit())
        }
        let scalar: Unicode.Scalar? =
            switch byte {
            case UInt8(ascii: "\""): "\""
            case UInt8(ascii: "\\"): "\\"
            case UInt8(ascii: "/"): "/"
            case UInt8(ascii: "b"): "\u{8}"
            case UInt8(ascii: "f"): "\u{C}"
            case UInt8(ascii: "n"): "\n"
            case UInt8(ascii: "r"): "\r"
            case UInt8(ascii: "t"): "\t"
            default: nil
            }
        guard let scalar else { throw error(.malformedEscape) }
        bytes.skip()
        return scalar
    }

    private mutating func readUnicodeEscape(_ unit: UInt16) throws -> Unicode.Scalar {
        if let scalar = Unicode.Scalar(unit) { return scalar }
        if UTF16.isLeadSurrogate(unit), let low = try bytes.trailSurrogate() {
            let value = 0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00)
            if let scalar = Unicode.Scalar(value) { return scalar }
        }
        loneSurrogateCount += 1
        return "\u{FFFD}"
    }

    /// The UTF-16 code unit whose four digits come next.
    private mutating func readCodeUnit() throws -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = try bytes.peek() else { throw error(.unexpectedEnd) }
            guard let digit = BufferedBytes.hexDigit(byte) else { throw error(.malformedEscape) }
            unit = unit << 4 | digit
            bytes.skip()
        }
        return unit
    }

    // MARK: Numbers

    /// The number that comes next.
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
        guard Self.isNumber(literal), let number = Double(String(decoding: literal, as: UTF8.self))
        else { throw JSONReaderError(reason: .malformedNumber, offset: start) }
        guard number.isFinite else {
            throw JSONReaderError(reason: .numberOutOfRange, offset: start)
        }
        return number
    }

    /// The grammar of section 6.
    private static func isNumber(_ literal: [UInt8]) -> Bool {
        var rest = literal[...]
        func digits() -> Int {
            let count = rest.prefix { (0x30...0x39).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let hasZero = rest.first == UInt8(ascii: "0")
        let whole = digits()
        guard whole > 0, !hasZero || whole == 1 else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard digits() > 0 else { return false }
        }
        if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") {
                rest = rest.dropFirst()
            }
            guard digits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}

extension BufferedBytes {
    static func hexDigit(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    /// The second half of a surrogate pair, where its escape comes next; else nothing is stepped over.
    mutating func trailSurrogate() throws -> UInt16? {
        guard let ahead = try peek(count: 6), ahead[0] == UInt8(ascii: "\\"),
            ahead[1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt16 = 0
        for byte in ahead[2...] {
            guard let digit = Self.hexDigit(byte) else { return nil }
            unit = unit << 4 | digit
        }
        guard UTF16.isTrailSurrogate(unit) else { return nil }
        for _ in 0..<6 { skip() }
        return unit
    }
}
