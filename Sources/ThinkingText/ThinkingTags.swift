// The tags around the thinking part of a reasoning model's answer: those of Phi-4-reasoning, -plus
// and -mini-reasoning, DeepSeek-R1 and Qwen.

/// The tags of thinking parts.
public enum ThinkingTags {
    /// The text that a thinking part begins with. It must be the beginning of the answer.
    public static let opening = "<think>"
    /// The text that ends it.
    public static let closing = "</think>"

    /// Whether a byte is white space that may follow the closing tag and belongs to neither part.
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
