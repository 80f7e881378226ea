// Characters that override the direction of text (UAX #9): a file name that ends in "gnp.exe" after
// U+202E looks as if it ended in "exe.png", and code that contains them can look different from
// what it does (CVE-2021-42574). Without them, direction follows from the letters.

/// Embeddings, overrides and isolates of text direction.
public enum DirectionMarks {
    /// Whether a character is one of U+202A to U+202E, U+2066 to U+2069.
    public static func contains(_ scalar: Unicode.Scalar) -> Bool {
        (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    }

    /// A text without these characters, for display.
    public static func removed(from text: String) -> String {
        guard text.unicodeScalars.contains(where: contains) else { return text }
        var rest = String.UnicodeScalarView()
        rest.append(contentsOf: text.unicodeScalars.lazy.filter { !contains($0) })
        return String(rest)
    }

    /// JSON in UTF-8 with these characters escaped: the value is the same, and the file is shown
    /// without their effect. Complexity: linear.
    public static func escaped(inJSON json: [UInt8]) -> [UInt8] {
        // In UTF-8 all of them are E2 80 AA...AE or E2 81 A6...A9, and in JSON they occur only in
        // strings.
        guard json.contains(0xE2) else { return json }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(json.count)
        var index = 0
        while index < json.count {
            if let code = code(at: index, in: json) {
                escaped += "\\u\(String(code, radix: 16))".utf8
                index += 3
            } else {
                escaped.append(json[index])
                index += 1
            }
        }
        return escaped
    }

    private static func code(at index: Int, in bytes: [UInt8]) -> UInt32? {
        guard bytes[index] == 0xE2, index + 2 < bytes.count else { return nil }
        switch (bytes[index + 1], bytes[index + 2]) {
        case (0x80, let last) where (0xAA...0xAE).contains(last):
            return 0x2000 + UInt32(last) - 0x80
        case (0x81, let last) where (0xA6...0xA9).contains(last):
            return 0x2040 + UInt32(last) - 0x80
        default: return nil
        }
    }
}
