// The code in a document.

import Foundation

/// A document in Markdown.
struct MarkdownFile {
    /// The fenced Swift blocks, in order.
    let swiftBlocks: [String]

    /// Reads the file at `path`.
    init(path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        var blocks: [String] = []
        var block: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let lines = block, line == "```" {
                blocks.append(lines.joined(separator: "\n") + "\n")
                block = nil
            } else if block != nil {
                block?.append(line)
            } else if line == "```swift" {
                block = []
            }
        }
        swiftBlocks = blocks
    }
}
