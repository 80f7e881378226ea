// `stoa model tokenize`.

import ArgumentParser
import Checkpoints
import JSONText
import Tokenizers

/// Converts texts to token ids.
struct TokenizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokenize",
        abstract: "Convert text to token IDs, line by line.",
        discussion: """
            Input: a string; output: an array of token IDs, without added special tokens. \
            \(JSONLines.help)
            """
    )

    @Argument(help: "\(ModelArgument.help) Only its tokenizer is read.")
    var folder: String

    @Flag(help: "Parse special tokens in the text instead of reading them as plain text.")
    var parseSpecial = false

    func run() throws {
        let tokenizer = try ModelFolder(folder).tokenizer()
        try JSONLines.answer { line throws(LineError) in
            guard let text = line.string else {
                throw LineError("found \(line.kindName) where a string should be")
            }
            return tokenizer.encode(text, specialTokens: parseSpecial ? .parse : .asText)
        }
    }
}
