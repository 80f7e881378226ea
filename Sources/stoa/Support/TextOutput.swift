// Text of others on its way to standard output: as it is to a program, and to a terminal without what that
// would obey.

/// One stream of text for standard output. Pieces may end anywhere, also within a character.
package struct TextOutput {
    private var sanitizer: TerminalSanitizer?
    /// The bytes of a character that has not come whole.
    private var rest: [UInt8] = []

    /// - Parameter isTerminal: whether a terminal shows it.
    package init(isTerminal: Bool) {
        sanitizer = isTerminal ? TerminalSanitizer() : nil
    }

    /// A stream for this program's own standard output.
    init() { self.init(isTerminal: Terminal.isOutput) }

    /// Writes a piece of text.
    mutating func write(_ piece: String) { write(Array(piece.utf8)) }

    /// Writes a piece of text in UTF-8.
    mutating func write(_ piece: [UInt8]) { StandardStreams.write(shown(piece)) }

    /// What is written of a piece.
    package mutating func shown(_ piece: [UInt8]) -> [UInt8] {
        guard sanitizer != nil else { return piece }
        let bytes = rest + piece
        let end = Self.endOfCharacters(bytes)
        rest = Array(bytes[end...])
        let text = String(decoding: bytes[..<end], as: UTF8.self)
        return Array((sanitizer?.append(text) ?? text).utf8)
    }

    /// Where a character begins that is not whole; the end where there is none.
    private static func endOfCharacters(_ bytes: [UInt8]) -> Int {
        for (distance, byte) in zip(1...3, bytes.reversed()) where byte & 0xC0 != 0x80 {
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > distance ? bytes.count - distance : bytes.count
        }
        return bytes.count
    }
}
