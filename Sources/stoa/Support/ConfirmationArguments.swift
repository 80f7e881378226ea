// The question before something that cannot be undone.

import ArgumentParser

/// `--yes`, and the question that is asked without it.
struct ConfirmationArguments: ParsableArguments {
    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    /// Asks whether to go on, unless that was answered on the command line.
    /// - Parameter question: such as "Delete the account ann?".
    /// - Throws: `ValidationError` where there is no terminal to ask, `CommandFailure` where the answer
    ///   is not yes.
    func confirm(_ question: String) throws {
        if yes { return }
        guard Terminal.isInput else {
            throw ValidationError("this cannot be undone: confirm with --yes")
        }
        StandardStreams.writeError("\(TerminalSanitizer.clean(question)) [y/N] ")
        guard ["y", "yes"].contains(readLine(strippingNewline: true)?.lowercased()) else {
            throw CommandFailure(.interrupted, "nothing was changed")
        }
    }
}
