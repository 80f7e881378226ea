// The text of a message on the command line, with files.

import ArgumentParser

/// Words or standard input, and files.
struct QuestionArguments: ParsableArguments {
    /// The server has a limit of its own, which is lower.
    private static let bytesMax = 16 << 20

    @Option(
        name: [.customShort("f"), .long],
        help: ArgumentHelp("Append a text file; - is standard input.", valueName: "FILE")
    )
    var file: [String] = []

    /// The text of the message.
    /// - Parameter words: the words of the command line; without any, standard input is the text.
    /// - Returns: the text, with the files after it.
    /// - Throws: `CommandFailure` if a file cannot be read, or there is no text.
    func text(_ words: [String]) throws(CommandFailure) -> String {
        var text = words.joined(separator: " ")
        if text.isEmpty, file.isEmpty {
            guard !Terminal.isInput else {
                throw CommandFailure(.usage, "a text is missing: give it, or pipe it in")
            }
            text = try Self.decode(
                StandardInput.readAll(limit: Self.bytesMax, what: "the text"),
                "standard input"
            )
        }
        for name in file {
            let bytes =
                name == "-"
                ? try StandardInput.readAll(limit: Self.bytesMax, what: "standard input")
                : try InputFile.read(name, limit: Self.bytesMax)
            let content = try Self.decode(bytes, name)
            text += (text.isEmpty ? "" : "\n\n") + TextAttachment.text(content, name: name)
        }
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw CommandFailure(.dataError, "the text is empty")
        }
        return text
    }

    private static func decode(_ bytes: [UInt8], _ name: String) throws(CommandFailure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(.dataError, "\(name) is not text in UTF-8")
        }
        return text
    }
}

/// A text file in a message.
package enum TextAttachment {
    /// The file's name and its content in a code block.
    /// - Parameters:
    ///   - content: the file's text.
    ///   - name: its path; "-" has no name.
    /// - Returns: Markdown.
    package static func text(_ content: String, name: String) -> String {
        // The fence must be longer than any in the content (CommonMark, section 4.5).
        var run = 0
        var longest = 2
        for character in content.utf8 {
            run = character == UInt8(ascii: "`") ? run + 1 : 0
            longest = max(longest, run)
        }
        let fence = String(repeating: "`", count: longest + 1)
        let last = name.split(separator: "/").last.map(String.init) ?? name
        let dot = last.lastIndex(of: ".")
        let language = dot.map { String(last[last.index(after: $0)...]) } ?? ""
        let head = name == "-" ? "" : "\(last):\n"
        let end = content.hasSuffix("\n") ? "" : "\n"
        return "\(head)\(fence)\(name == "-" ? "" : language)\n\(content)\(end)\(fence)"
    }
}
