// `stoa model detokenize`.

import ArgumentParser
import Checkpoints
import Tokenizers

/// Converts token ids to text.
struct DetokenizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "detokenize",
        abstract: "Convert token IDs to text, line by line.",
        discussion: """
            Input: an array of token IDs; output: a string. Unknown IDs are skipped. \
            \(JSONLines.help)
            """
    )

    @Argument(help: "\(ModelArgument.help) Only its tokenizer is read.")
    var folder: String

    @Flag(help: "Include special tokens in the text.")
    var keepSpecial = false

    func run() throws {
        let tokenizer = try ModelFolder(folder).tokenizer()
        try JSONLines.answer { line throws(LineError) in
            tokenizer.decode(try line.tokens(), keepSpecial: keepSpecial)
        }
    }
}
