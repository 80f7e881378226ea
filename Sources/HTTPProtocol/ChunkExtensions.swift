// Chunk extensions, RFC 9112 section 7.1.1: `*( BWS ";" BWS chunk-ext-name [ BWS "=" BWS
// chunk-ext-val ] )`. All are skipped, but must be valid, so that no other reader can parse the
// line differently.

/// The grammar of a chunk's extensions.
enum ChunkExtensions {
    /// Whether `bytes`, the rest of the line after the size, are valid extensions or empty.
    static func isValid(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            guard skip(UInt8(ascii: ";"), in: &rest), skipToken(in: &rest) else { return false }
            var value = rest
            if skip(UInt8(ascii: "="), in: &value) {
                guard skipToken(in: &value) || skipQuotedString(in: &value) else { return false }
                rest = value
            }
        }
        return true
    }

    /// Skips `mark` and the blanks around it; false if there is none.
    private static func skip(_ mark: UInt8, in rest: inout ArraySlice<UInt8>) -> Bool {
        let marked = rest.drop(while: CharacterClass.isBlank)
        guard marked.first == mark else { return false }
        rest = marked.dropFirst().drop(while: CharacterClass.isBlank)
        return true
    }

    private static func skipToken(in rest: inout ArraySlice<UInt8>) -> Bool {
        let following = rest.drop(while: CharacterClass.isToken)
        defer { rest = following }
        return following.startIndex > rest.startIndex
    }

    /// `quoted-string` of RFC 9110 section 5.6.4.
    private static func skipQuotedString(in rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.popFirst() == UInt8(ascii: "\"") else { return false }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(), CharacterClass.isFieldValue(escaped)
                else { return false }
            default:
                guard CharacterClass.isFieldValue(byte) else { return false }
            }
        }
        return false
    }
}
