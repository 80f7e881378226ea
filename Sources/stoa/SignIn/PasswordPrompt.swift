// Asks for a name and a password.

import TerminalText

enum PasswordPrompt {
    /// Asks for the user's name.
    /// - Throws: `CommandFailure` if there is no terminal.
    static func userName() throws(CommandFailure) -> String {
        guard Terminal.isInput else {
            throw CommandFailure(.usage, "not signed in: run stoa login, or set STOA_TOKEN")
        }
        StandardStreams.writeError("User: ")
        return readLine(strippingNewline: true) ?? ""
    }

    /// Asks for a password, without echo.
    /// - Parameters:
    ///   - name: the user's name.
    ///   - isInput: whether it is the first line of standard input, which need not be a terminal.
    /// - Returns: the password.
    /// - Throws: `CommandFailure` if there is no terminal.
    static func password(
        of name: String,
        fromInput isInput: Bool
    ) throws(CommandFailure) -> String {
        if isInput { return readLine(strippingNewline: true) ?? "" }
        guard Terminal.isInput else {
            throw CommandFailure(
                .usage,
                "no terminal to ask for the password: use --password-stdin"
            )
        }
        return secret("Password of \(name): ")
    }

    /// Asks for a line, without echo.
    static func secret(_ question: String) -> String {
        StandardStreams.writeError("\(question)")
        Terminal.setEcho(false)
        defer {
            Terminal.setEcho(true)
            StandardStreams.printError("")
        }
        return readLine(strippingNewline: true) ?? ""
    }
}
