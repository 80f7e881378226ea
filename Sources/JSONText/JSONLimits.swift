// How much of a JSON text is taken: going beyond refuses what is too large.

/// The bounds of a text that is parsed as a whole.
public struct JSONLimits: Sendable {
    /// The longest text, in bytes. The largest tokenizer.json of a Phi model has 16 MB.
    public var byteCountMax: Int
    /// The deepest nesting of arrays and objects. Bounds the parser's recursion.
    public var depthMax: Int
    /// The most values, with all that stand in others. Bounds the memory that they take, which is
    /// much more than the text's. The largest tokenizer.json of a Phi model has 0.8 million.
    public var valueCountMax: Int

    /// Limits that every file of a model folder keeps.
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

/// The bounds of a text that is read from a stream.
public struct JSONReaderLimits: Sendable {
    /// The deepest nesting of the text. It costs a byte a level, not a call.
    public var depthMax: Int
    /// The longest string, in bytes.
    public var stringByteCountMax: Int
    /// The longest number, in bytes.
    public var numberByteCountMax: Int

    /// Limits that the exports of other systems keep.
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

/// How large one element of such a text may be; going beyond leaves that element out.
public struct JSONElementLimits: Sendable {
    /// The most bytes of the text of one element.
    public var byteCountMax: Int
    /// The most values of one element, which bounds the memory that it takes.
    public var valueCountMax: Int
    /// The deepest nesting inside an element; messages that hold their replies do not count.
    public var depthMax: Int

    /// Limits that the exports of other systems keep.
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
