// Removes from text of other users what a terminal would interpret instead of showing: control
// characters, escape sequences, direction overrides.

import ChatProtocol

/// Removes control sequences from one stream of text, such as an answer.
///
/// A sequence may be split over several parts, so the state lives as long as the stream. Linear time;
/// nothing is buffered.
package struct TerminalSanitizer: Sendable {
    /// The position in a control sequence (ECMA-48, section 5).
    private enum State {
        case text
        /// After ESC, and after its intermediate bytes.
        case escape
        /// In the parameters of a control sequence (CSI).
        case control
        /// In a control string (OSC, DCS, SOS, PM, APC), after `count` dropped characters.
        case string(count: Int)
        /// After an ESC in a control string, which may start its terminator.
        case stringEscape
    }

    /// Maximum characters of a dropped control string; what follows is text again, so that an
    /// unterminated string cannot hide the rest of an answer.
    private static let stringLengthMax = 1024

    private var state = State.text

    /// The start of a stream.
    package init() {}

    /// A complete text with control sequences removed.
    package static func clean(_ text: String) -> String {
        var sanitizer = TerminalSanitizer()
        return sanitizer.append(text)
    }

    /// The next part with control sequences removed. Line feeds and tabs are kept.
    package mutating func append(_ piece: String) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in piece.unicodeScalars where take(scalar) { shown.append(scalar) }
        return String(shown)
    }

    /// Processes one character.
    /// - Returns: whether it is text.
    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        switch (state, scalar.value) {
        case (.string, 0x07), (.string, 0x9C):
            state = .text
            return false
        case (.string, 0x1B):
            state = .stringEscape
            return false
        case (.string(let count), _) where scalar != "\n" && count < Self.stringLengthMax:
            state = .string(count: count + 1)
            return false
        case (.stringEscape, 0x5C):
            state = .text
            return false
        case (.stringEscape, _):
            // An ESC that does not end the string starts a new sequence.
            state = .escape
            return take(scalar)
        case (.escape, 0x20...0x2F), (.control, 0x20...0x3F):
            return false
        case (.escape, 0x30...0x7E):
            state = Self.afterEscape(scalar)
            return false
        case (.control, 0x40...0x7E):
            state = .text
            return false
        default:
            return begin(scalar)
        }
    }

    /// A character outside a sequence: text, or the start of a sequence.
    private mutating func begin(_ scalar: Unicode.Scalar) -> Bool {
        state = .text
        switch scalar.value {
        case 0x09, 0x0A: return true
        case 0x1B: state = .escape
        case 0x9B: state = .control
        case 0x90, 0x98, 0x9D, 0x9E, 0x9F: state = .string(count: 0)
        case 0x00...0x1F, 0x7F...0x9F: break
        // Line and paragraph separators.
        case 0x2028, 0x2029: break
        default: return !DirectionMarks.contains(scalar)
        }
        return false
    }

    private static func afterEscape(_ scalar: Unicode.Scalar) -> State {
        switch scalar {
        case "[": .control
        case "]", "P", "X", "^", "_": .string(count: 0)
        default: .text
        }
    }
}
