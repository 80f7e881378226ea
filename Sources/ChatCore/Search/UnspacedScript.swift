// Characters that are indexed in pairs: those of scripts without spaces between words.

/// The characters that the index stores in pairs, not in words: of scripts written without spaces
/// (Chinese, Japanese, Thai, Lao, Khmer, Burmese, Tibetan), of Hangul, whose words take endings,
/// and symbols such as emoji.
///
/// Must match `unspaced` in the schema's function `search_words`.
public enum UnspacedScript {
    private static let ranges: [ClosedRange<UInt32>] = [
        0x0E00...0x109F, 0x1100...0x11FF, 0x1780...0x17FF, 0x1950...0x19FF, 0x1A20...0x1AAF,
        0x2190...0x2BFF, 0x2E80...0x2FDF, 0x3005...0xA4CF, 0xA960...0xA97F, 0xAA60...0xAADF,
        0xAC00...0xD7FF, 0xF900...0xFAFF, 0x1B000...0x1B2FF, 0x1F000...0x1FAFF,
        0x20000...0x3FFFF,
    ]

    /// Whether a character is one of them.
    public static func contains(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x0E00 && ranges.contains { $0.contains(scalar.value) }
    }
}
