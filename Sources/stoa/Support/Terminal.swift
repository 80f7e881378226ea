// The program's terminal.

import Glibc

enum Terminal {
    /// Whether standard input is a terminal.
    static var isInput: Bool { isatty(STDIN_FILENO) == 1 }

    /// Whether standard output is a terminal.
    static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether standard error is a terminal.
    static var isError: Bool { isatty(STDERR_FILENO) == 1 }

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
