// The terminal's mode for a line editor: keys one by one, without echo.

import Glibc
import TerminalText

/// Changes the mode of standard input, and restores it. Used on one thread.
final class TerminalMode {
    /// Bracketed paste (xterm's mode 2004) tells pasted text from typed keys.
    private static let pasteOn: SafeText = "\u{1B}[?2004h"
    private static let pasteOff: SafeText = "\u{1B}[?2004l"
    /// The alternate screen (1049), without wrapping at the right margin (7).
    private static let screenOn: SafeText = "\u{1B}[?1049h\u{1B}[?7l"
    private static let screenOff: SafeText = "\u{1B}[?7h\u{1B}[?1049l"
    /// Reports of mouse buttons (1000), in decimal numbers (1006).
    private static let mouseOn: SafeText = "\u{1B}[?1000h\u{1B}[?1006h"
    private static let mouseOff: SafeText = "\u{1B}[?1006l\u{1B}[?1000l"

    private let isFullScreen: Bool
    private let hasMouse: Bool
    private var original: termios?

    /// - Parameters:
    ///   - isFullScreen: whether to take the whole screen, and bring back what stood on it.
    ///   - hasMouse: whether to take clicks and the wheel.
    init(isFullScreen: Bool = false, hasMouse: Bool = false) {
        self.isFullScreen = isFullScreen
        self.hasMouse = hasMouse
    }

    deinit { leave() }

    /// Whether a line editor can be used: both ends are a terminal that moves its cursor.
    static var canEdit: Bool { Terminal.isInput && canMove }

    /// Whether standard output is a terminal that moves its cursor.
    static var canMove: Bool {
        let type = getenv("TERM").map { String(cString: $0) } ?? ""
        return Terminal.isOutput && type != "dumb" && !type.isEmpty
    }

    /// Whether standard output gets styles (no-color.org).
    static var hasStyles: Bool {
        let isOff = getenv("NO_COLOR").map { !String(cString: $0).isEmpty } ?? false
        return canMove && !isOff
    }

    /// The size of the terminal in columns and rows.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(max(size.ws_row, 1)))
    }

    /// Takes keys one by one; Ctrl-C and Ctrl-Z are keys, too.
    func enter() {
        var settings = termios()
        guard original == nil, tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
        original = settings
        settings.c_iflag &= ~tcflag_t(ICRNL | IXON | INLCR)
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
        withUnsafeMutableBytes(of: &settings.c_cc) { characters in
            characters[Int(VINTR)] = 0
            characters[Int(VSUSP)] = 0
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
        let screen = isFullScreen ? Self.screenOn : ""
        StandardStreams.write(screen + Self.pasteOn + (hasMouse ? Self.mouseOn : ""))
    }

    /// Restores the mode.
    func leave() {
        guard var settings = original else { return }
        original = nil
        let screen = isFullScreen ? Self.screenOff : ""
        StandardStreams.write((hasMouse ? Self.mouseOff : "") + Self.pasteOff + screen)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    }
}
