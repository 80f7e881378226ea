// The program's terminal.

import Glibc

enum Terminal {
    /// Whether standard input is a terminal.
    static var isInput: Bool { isatty(STDIN_FILENO) == 1 }

    /// Whether standard output is a terminal.
    static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether standard error is a terminal.
    static var isError: Bool { isatty(STDERR_FILENO) == 1 }

    /// The size of standard output's terminal, in characters; 80 by 24 if it does not tell.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Turns the echo of typed characters on or off, for passwords; does nothing if standard input
    /// is not a terminal.
    static func setEcho(_ isOn: Bool) {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
        let echo = tcflag_t(ECHO)
        settings.c_lflag = isOn ? settings.c_lflag | echo : settings.c_lflag & ~echo
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }
}
