// The character classes of RFC 9110 section 5.6 and RFC 3986 as functions on bytes.

/// The character classes of HTTP's grammar.
package enum CharacterClass {
    /// A letter or digit of ASCII.
    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }

    /// `tchar` of RFC 9110 section 5.6.2: methods, field names and other tokens.
    package static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
            UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
            UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: isAlphanumeric(byte)
        }
    }

    /// Whether `text` is a token: at least one `tchar` and nothing else.
    static func isToken(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isToken)
    }

    /// A byte of a field value, RFC 9110 section 5.5: visible characters, space, tab and bytes
    /// above ASCII, but no other control characters.
    static func isFieldValue(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t")
    }

    /// Whether all of `bytes` are those of a field value.
    static func areFieldValue(_ bytes: Span<UInt8>) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var index = 0
            while bytes.count - index >= 8 {
                let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                // The high bit of a byte below 0x20, and of 0x7F; also that of some others, but only
                // if there is one of those.
                let below = (word &- 0x2020_2020_2020_2020) & ~word
                let deletes = ((word ^ 0x7F7F_7F7F_7F7F_7F7F) &- 0x0101_0101_0101_0101) & ~word
                if (below | deletes) & 0x8080_8080_8080_8080 != 0 { break }
                index += 8
            }
            return bytes[index...].allSatisfy(isFieldValue)
        }
    }

    /// A byte of a request target: visible ASCII except `#`, which starts a fragment and is never
    /// sent.
    static func isTarget(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#")
    }

    /// `unreserved` and `sub-delims` of RFC 3986: a host name without its percent escapes.
    static func isHostName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
            UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"),
            UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: ";"), UInt8(ascii: "="):
            true
        default: isAlphanumeric(byte)
        }
    }

    /// A decimal digit.
    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Optional white space around a value: space or tab.
    package static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    /// The value of a hexadecimal digit, or nil.
    static func hexadecimalValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// `bytes` without the white space at both ends.
    static func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes
    where Bytes.SubSequence == Bytes {
        guard let first = bytes.firstIndex(where: { !isBlank($0) }),
            let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return bytes[bytes.endIndex...] }
        return bytes[first...last]
    }

    /// A byte of ASCII in lower case.
    static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
