// The demo model with the template and the tokens of tools of Phi-4-mini, which it was not trained on: it
// answers nonsense, and is told of tools and continues calls as that model is.

import FoundationEssentials

/// Makes folders of the model.
enum ToolModel {
    /// The tokens of tools; they take the places of the last tokens of the vocabulary.
    private static let tokens = [
        "<|tool|>", "<|/tool|>", "<|tool_call|>", "<|/tool_call|>", "<|tool_response|>",
    ]
    private static let firstID = 4086

    private static let template =
        "{% for message in messages %}{% if message['role'] == 'system' and 'tools' in message and "
        + "message['tools'] is not none %}{{ '<|' + message['role'] + '|>' + message['content'] + "
        + "'<|tool|>' + message['tools'] + '<|/tool|>' + '<|end|>' }}{% else %}{{ '<|' + "
        + "message['role'] + '|>' + message['content'] + '<|end|>' }}{% endif %}{% endfor %}"
        + "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% else %}{{ eos_token }}{% endif %}"

    /// Makes a folder, and returns its path.
    static func make(in folder: String, as name: String) throws -> String {
        let path = try EndToEnd.WithServersOfTheirOwn.TheModels.copyDemo(to: "\(folder)/\(name)")
        let file = URL(filePath: "\(path)/tokenizer.json")
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        try Data(withTokens(text).utf8).write(to: file)
        try Data(template.utf8).write(to: URL(filePath: "\(path)/chat_template.jinja"))
        return path
    }

    /// The tokenizer's file, a line for each value, with the tokens instead of the last ones, and
    /// without the merges that made those.
    private static func withTokens(_ text: String) -> String {
        var lines = text.split(separator: "\n").map(String.init)
        for (index, token) in tokens.enumerated() {
            let suffix = "\": \(firstID + index)"
            let place = lines.firstIndex { $0.hasSuffix(suffix) || $0.hasSuffix("\(suffix),") }
            guard let place else { continue }
            lines[place] = "      \"\(token)\(suffix)\(lines[place].hasSuffix(",") ? "," : "")"
        }
        // A merge has four lines; the last one is followed by three closing lines.
        let mergeEnd = lines.count - 3
        lines.removeSubrange((mergeEnd - 4 * tokens.count)..<mergeEnd)
        lines[mergeEnd - 4 * tokens.count - 1] = "      ]"
        let added = tokens.enumerated().map { index, token in
            "{\"id\": \(firstID + index), \"content\": \"\(token)\", \"single_word\": false, "
                + "\"lstrip\": false, \"rstrip\": true, \"normalized\": false, \"special\": false},"
        }
        let place = lines.firstIndex { $0.contains("\"added_tokens\"") } ?? 0
        lines.insert(contentsOf: added, at: place + 1)
        return lines.joined(separator: "\n")
    }
}
