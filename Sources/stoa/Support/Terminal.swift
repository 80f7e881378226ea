// The terminal that the program was started from.

import Glibc

enum Terminal {
    /// Whether a person types standard input.
    static var isInput: Bool { isatty(STDIN_FILENO) == 1 }

    /// Whether a person reads standard output.
    static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether a person reads standard error.
    static var isError: Bool { isatty(STDERR_FILENO) == 1 }

    /// Turns the echo of typed characters on or off, for passwords; nothing happens where standard
    /// input is no terminal.
    static func setEcho(_ isOn: Bool) {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
        let echo = tcflag_t(ECHO)
        settings.c_lflag = isOn ? settings.c_lflag | echo : settings.c_lflag & ~echo
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }
}
