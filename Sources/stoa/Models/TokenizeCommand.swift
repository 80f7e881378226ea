// `stoa model tokenize`.

import ArgumentParser
import Checkpoints
import JSONText
import Tokenizers

/// Texts to token ids.
struct TokenizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokenize",
        abstract: "Turn texts into token ids, line by line.",
        discussion: """
            A line is a JSON string, its answer an array of ids. Nothing is added in front or \
            behind. \(JSONLines.help)
            """
    )

    @Argument(help: "The model's folder; only its tokenizer.json is read.")
    var folder: String

    @Flag(help: "Take special tokens in a text for what they are, instead of for plain characters.")
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
