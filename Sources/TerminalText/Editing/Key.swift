// Keys of a terminal (xterm's control sequences, invisible-island.net/xterm/ctlseqs).

/// A key, or a pasted text.
package enum Key: Hashable, Sendable {
    /// A character that was typed.
    case character(Character)
    /// A text that was pasted in one piece (bracketed paste).
    case paste(String)
    /// Control and a letter, in lower case.
    case control(Character)
    /// Alt and a character.
    case alt(Character)
    case enter
    /// Alt and Enter: a line break in the text.
    case altEnter
    case tab
    case backTab
    case backspace
    case delete
    case escape
    case left
    case right
    case up
    case down
    case home
    case end
    case wordLeft
    case wordRight
    case altUp
    case altDown
    case pageUp
    case pageDown
    /// The first mouse button, at a place from 0.
    case click(row: Int, column: Int)
    /// The mouse's wheel.
    case wheel(isUp: Bool)
}

/// Turns the bytes of a terminal into keys. Bytes may arrive in any pieces.
package struct KeyDecoder: Sendable {
    /// A longer sequence is no key.
    private static let sequenceMax = 32
    /// Longer pastes are cut into several.
    private static let pasteMax = 1 << 20

    /// What the next byte belongs to.
    private enum State {
        case text
        /// After ESC.
        case escape
        /// After ESC [, with the bytes so far.
        case control([UInt8])
        /// After ESC O.
        case single
        /// In a paste.
        case paste([UInt8])
    }

    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    private var state = State.text
    /// The bytes of an incomplete character.
    private var partial: [UInt8] = []

    package init() {}

    /// Whether an ESC has arrived alone: it is the key Escape if nothing follows soon.
    package var isWaiting: Bool { if case .escape = state { true } else { false } }

    /// The key for an ESC that nothing followed.
    package mutating func flush() -> Key? {
        guard isWaiting else { return nil }
        state = .text
        return .escape
    }

    /// The keys that the bytes complete.
    package mutating func append(_ bytes: some Sequence<UInt8>) -> [Key] {
        bytes.compactMap { take($0) }
    }

    private mutating func take(_ byte: UInt8) -> Key? {
        switch state {
        case .text: return text(byte)
        case .escape: return afterEscape(byte)
        case .single:
            state = .text
            return Self.key(letter: byte, isWord: false)
        case .control(var bytes):
            guard !(0x40...0x7E).contains(byte) else { return sequence(bytes, byte) }
            bytes.append(byte)
            state = bytes.count < Self.sequenceMax ? .control(bytes) : .text
            return nil
        case .paste(var bytes):
            bytes.append(byte)
            let isEnd = bytes.suffix(Self.pasteEnd.count).elementsEqual(Self.pasteEnd)
            guard isEnd || bytes.count >= Self.pasteMax else {
                // The array moves, so that appending does not copy it.
                state = .paste(bytes)
                return nil
            }
            state = isEnd ? .text : .paste([])
            if isEnd { bytes.removeLast(Self.pasteEnd.count) }
            let text = String(decoding: bytes, as: UTF8.self)
            // Terminals send Return for line ends.
            return .paste(text.replacing("\r\n", with: "\n").replacing("\r", with: "\n"))
        }
    }

    private mutating func text(_ byte: UInt8) -> Key? {
        if byte >= 0x80 {
            partial.append(byte)
            guard let character = String(validating: partial, as: UTF8.self)?.first else {
                if partial.count >= 4 { partial = [] }
                return nil
            }
            partial = []
            return .character(character)
        }
        partial = []
        switch byte {
        case 0x1B:
            state = .escape
            return nil
        // Text that was typed before the terminal's mode changed has line feeds.
        case 0x0D, 0x0A: return .enter
        case 0x09: return .tab
        case 0x08, 0x7F: return .backspace
        case 0x00..<0x20: return .control(Character(Unicode.Scalar(byte | 0x60)))
        default: return .character(Character(Unicode.Scalar(byte)))
        }
    }

    private mutating func afterEscape(_ byte: UInt8) -> Key? {
        state = .text
        switch byte {
        case UInt8(ascii: "["): state = .control([])
        case UInt8(ascii: "O"): state = .single
        case 0x1B: state = .escape
        case 0x0D, 0x0A: return .altEnter
        case 0x7F, 0x08: return .control("w")
        case 0x20..<0x7F: return .alt(Character(Unicode.Scalar(byte)))
        default: break
        }
        return nil
    }

    /// The key of a control sequence.
    private mutating func sequence(_ bytes: [UInt8], _ final: UInt8) -> Key? {
        state = .text
        if bytes.first == UInt8(ascii: "<") { return Self.mouse(bytes.dropFirst(), final) }
        let numbers = String(decoding: bytes, as: UTF8.self).split(separator: ";").map { Int($0) }
        let modifier = (numbers.count > 1 ? numbers[1] : nil) ?? 1
        guard final == UInt8(ascii: "~") || final == UInt8(ascii: "u") else {
            return Self.key(letter: final, isWord: modifier > 2)
        }
        switch (numbers.first ?? nil, final) {
        case (200, _):
            state = .paste([])
            return nil
        case (13, UInt8(ascii: "u")), (27, _): return .altEnter
        case (1, _), (7, _): return .home
        case (3, _): return .delete
        case (4, _), (8, _): return .end
        case (5, _): return .pageUp
        case (6, _): return .pageDown
        default: return nil
        }
    }

    /// The key of a mouse report (xterm's mode 1006): button, column and row from 1.
    private static func mouse(_ bytes: ArraySlice<UInt8>, _ final: UInt8) -> Key? {
        let numbers = String(decoding: bytes, as: UTF8.self).split(separator: ";").map { Int($0) }
        guard final == UInt8(ascii: "M"), numbers.count == 3, let button = numbers[0] else {
            return nil
        }
        switch button {
        case 0:
            guard let column = numbers[1], let row = numbers[2], column > 0, row > 0 else {
                return nil
            }
            return .click(row: row - 1, column: column - 1)
        case 64: return .wheel(isUp: true)
        case 65: return .wheel(isUp: false)
        default: return nil
        }
    }

    private static func key(letter: UInt8, isWord: Bool) -> Key? {
        switch Character(Unicode.Scalar(letter)) {
        case "A": isWord ? .altUp : .up
        case "B": isWord ? .altDown : .down
        case "C": isWord ? .wordRight : .right
        case "D": isWord ? .wordLeft : .left
        case "H": .home
        case "F": .end
        case "Z": .backTab
        case "M": .enter
        default: nil
        }
    }
}
