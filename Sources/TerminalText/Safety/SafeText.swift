// The only text that commands print: text of others is cleaned when it becomes one, and the compiler
// accepts nothing else.

/// Text for a terminal: printable characters, line feeds, tabs, and escape sequences of this program.
///
/// A literal is this program's text and is kept. What is interpolated into it is cleaned by
/// `TerminalSanitizer`, unless it is a `SafeText` itself: in `"\(name) is now a member"` a name
/// cannot control the terminal.
package struct SafeText: Hashable, Sendable, CustomStringConvertible {
    /// The characters to write.
    package private(set) var text: String

    /// A text of others: control characters, escape sequences and direction overrides are removed.
    package init(cleaning text: String) {
        self.text = TerminalSanitizer.clean(text)
    }

    /// A text that this program made, with its own escape sequences.
    package init(ours text: String) {
        self.text = text
    }

    /// The characters to write.
    package var description: String { text }
    /// Whether there is nothing to write.
    package var isEmpty: Bool { text.isEmpty }

    /// The texts one after the other.
    package static func + (one: SafeText, other: SafeText) -> SafeText {
        SafeText(ours: one.text + other.text)
    }

    /// Appends a text.
    package static func += (one: inout SafeText, other: SafeText) {
        one.text += other.text
    }
}

extension SafeText: ExpressibleByStringInterpolation {
    /// Builds a text from literals and values.
    package struct StringInterpolation: StringInterpolationProtocol {
        var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity)
        }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ safe: SafeText) { text += safe.text }

        package mutating func appendInterpolation(_ value: some Any) {
            text += TerminalSanitizer.clean("\(value)")
        }
    }

    package init(stringLiteral literal: String) {
        text = literal
    }

    package init(stringInterpolation interpolation: StringInterpolation) {
        text = interpolation.text
    }
}

extension Sequence<SafeText> {
    /// The texts with a separator in between.
    package func joined(separator: SafeText) -> SafeText {
        SafeText(ours: map(\.text).joined(separator: separator.text))
    }
}
