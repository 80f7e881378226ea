// The tokens of a prompt. MLX keeps them in an `MLXArray`; this type has the part of its interface that
// programs use on prompts.

/// A sequence of token ids.
public struct TokenArray: Sendable, Hashable {
    private let tokens: [Int]

    /// A sequence of `tokens`.
    public init(_ tokens: [Int]) {
        self.tokens = tokens
    }

    /// The number of tokens.
    public var size: Int { tokens.count }

    /// The number of tokens.
    public var count: Int { tokens.count }

    /// One dimension: the number of tokens.
    public var shape: [Int] { [tokens.count] }

    /// The tokens as integers of `type`.
    public func asArray<Element: FixedWidthInteger>(_ type: Element.Type) -> [Element] {
        tokens.map { Element(truncatingIfNeeded: $0) }
    }
}
