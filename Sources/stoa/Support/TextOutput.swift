// Writes text of other users to standard output: unchanged to a pipe, with control sequences removed to a
// terminal.

import TerminalText

/// A text stream to standard output. Parts may end anywhere, also within a character.
package struct TextOutput {
    private var sanitizer: TerminalSanitizer?
    /// The bytes of an incomplete character.
    private var rest: [UInt8] = []

    /// - Parameter isTerminal: whether the output is a terminal.
    package init(isTerminal: Bool) {
        sanitizer = isTerminal ? TerminalSanitizer() : nil
    }

    /// A stream to this program's standard output.
    init() { self.init(isTerminal: Terminal.isOutput) }

    /// Writes a part of the text.
    mutating func write(_ piece: String) { write(Array(piece.utf8)) }

    /// Writes a part of the text in UTF-8.
    mutating func write(_ piece: [UInt8]) { StandardStreams.write(exactly: shown(piece)) }

    /// What is written for a part.
    package mutating func shown(_ piece: [UInt8]) -> [UInt8] {
        guard sanitizer != nil else { return piece }
        let bytes = rest + piece
        let end = Self.endOfCharacters(bytes)
        rest = Array(bytes[end...])
        let text = String(decoding: bytes[..<end], as: UTF8.self)
        return Array((sanitizer?.append(text) ?? text).utf8)
    }

    /// The start of an incomplete last character; the end if there is none.
    private static func endOfCharacters(_ bytes: [UInt8]) -> Int {
        for (distance, byte) in zip(1...3, bytes.reversed()) where byte & 0xC0 != 0x80 {
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > distance ? bytes.count - distance : bytes.count
        }
        return bytes.count
    }
}
