// Size limits for JSON texts.

/// Limits for a text that is parsed as a whole.
public struct JSONLimits: Sendable {
    /// Maximum size of the text in bytes. The largest tokenizer.json of a Phi model has 16 MB.
    public var byteCountMax: Int
    /// Maximum nesting of arrays and objects. Bounds the parser's recursion.
    public var depthMax: Int
    /// Maximum number of values, nested ones included. Bounds their memory, which is much more than
    /// the text's. The largest tokenizer.json of a Phi model has 0.8 million.
    public var valueCountMax: Int

    /// Default limits, which every file of a model folder stays within.
    public init(
        byteCountMax: Int = 128 << 20,
        depthMax: Int = 64,
        valueCountMax: Int = 4 << 20
    ) {
        self.byteCountMax = byteCountMax
        self.depthMax = depthMax
        self.valueCountMax = valueCountMax
    }
}

/// Limits for a text that is read from a stream.
public struct JSONReaderLimits: Sendable {
    /// Maximum nesting of the text. Each level takes one byte and no recursion.
    public var depthMax: Int
    /// Maximum length of a string in bytes.
    public var stringByteCountMax: Int
    /// Maximum length of a number in bytes.
    public var numberByteCountMax: Int

    /// Default limits, which exports of other systems stay within.
    public init(
        depthMax: Int = 200_000,
        stringByteCountMax: Int = 16 << 20,
        numberByteCountMax: Int = 64
    ) {
        self.depthMax = depthMax
        self.stringByteCountMax = stringByteCountMax
        self.numberByteCountMax = numberByteCountMax
    }
}

/// Limits for one element of such a text; an element that exceeds them is skipped.
public struct JSONElementLimits: Sendable {
    /// Maximum size of an element's text in bytes.
    public var byteCountMax: Int
    /// Maximum number of values in an element. Bounds its memory.
    public var valueCountMax: Int
    /// Maximum nesting inside an element; messages that contain their replies do not count.
    public var depthMax: Int

    /// Default limits, which exports of other systems stay within.
    public init(
        byteCountMax: Int = 64 << 20,
        valueCountMax: Int = 1_000_000,
        depthMax: Int = 64
    ) {
        self.byteCountMax = byteCountMax
        self.valueCountMax = valueCountMax
        self.depthMax = depthMax
    }
}
