// The tokens of a prompt. MLX holds them in an array of its own type; here they are numbers in memory,
// with as much of that type's face as programs use on a prompt.

/// A row of token ids.
public struct TokenArray: Sendable, Hashable {
    private let tokens: [Int]

    /// The row of `tokens`.
    public init(_ tokens: [Int]) {
        self.tokens = tokens
    }

    /// The number of tokens.
    public var size: Int { tokens.count }

    /// The number of tokens.
    public var count: Int { tokens.count }

    /// One dimension: the number of tokens.
    public var shape: [Int] { [tokens.count] }

    /// The tokens as integers of the type `type`.
    public func asArray<Element: FixedWidthInteger>(_ type: Element.Type) -> [Element] {
        tokens.map { Element(truncatingIfNeeded: $0) }
    }
}
