// The demo model with tags of thinking parts as tokens. It answers "Tell me a long story." with a story that
// begins with "Once", which is the opening tag here, and in which "First", the closing tag, comes after three
// sentences and more.

import FoundationEssentials

/// Makes folders of the model.
enum ThinkingModel {
    /// What it is asked in tests.
    static let question = "Tell me a long story."
    /// How what it thinks begins and ends.
    static let thinking = (start: " upon a time there was a ", end: "find its owner.\n\n")
    /// How many tokens that has.
    static let thinkingTokens = 85
    /// How its answer begins, and what else is in it. Who asks differs with the system prompt.
    static let answer = (start: "the ", middle: " asked the river")

    /// Tokens that become tags, and the pairs of which they are made.
    private static let tags = [
        (id: 2068, word: "Once", pair: ["On", "ce"], tag: "<think>"),
        (id: 2042, word: "First", pair: ["F", "irst"], tag: "</think>"),
    ]

    /// Makes a folder, and returns its path.
    static func make(in folder: String, as name: String) throws -> String {
        let path = try EndToEnd.WithServersOfTheirOwn.TheModels.copyDemo(to: "\(folder)/\(name)")
        let file = URL(filePath: "\(path)/tokenizer.json")
        var text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        for (id, word, pair, tag) in tags {
            text = text.replacing("\"\(word)\": \(id)", with: "\"\(tag)\": \(id)")
            let merge = "[\n        \"\(pair[0])\",\n        \"\(pair[1])\"\n      ],"
            guard text.contains(merge) else { throw HarnessError("there is no merge to \(word)") }
            text = text.replacing(merge, with: "")
            let start = "\"added_tokens\": ["
            let added =
                "{\"id\": \(id), \"content\": \"\(tag)\", \"single_word\": false, \"lstrip\": false, "
                + "\"rstrip\": false, \"normalized\": false, \"special\": true},"
            text = text.replacing(start, with: start + added)
        }
        try Data(text.utf8).write(to: file)
        return path
    }
}
