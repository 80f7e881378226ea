// Counts a prompt's tokens where no tokenizer is known: the engine applies its own template, and tells
// the number afterwards.

package import ChatCore

/// An upper estimate of a prompt's tokens. The ids are placeholders that only count.
package struct EstimatedEncoding: PromptEncoding {
    /// UTF-8 bytes per token. English has about four, other languages and code fewer.
    private static let bytesPerToken = 3
    /// Tokens of the template for each message, and at the end.
    private static let tokensPerMessage = 4

    package init() {}

    /// Placeholders for the tokens of a text.
    package static func tokens(of text: String) -> [Int32] {
        let count = (text.utf8.count + bytesPerToken - 1) / bytesPerToken
        return [Int32](repeating: 0, count: count)
    }

    /// Placeholders for the tokens of messages and their template.
    package func encode(
        _ messages: [PromptMessage]
    ) -> (tokens: [Int32], messageTokenCounts: [Int]) {
        let counts = messages.map { message in
            [message.text, message.tools ?? "", message.calls ?? ""]
                .reduce(Self.tokensPerMessage) { $0 + Self.tokens(of: $1).count }
        }
        let count = counts.reduce(Self.tokensPerMessage, +)
        return ([Int32](repeating: 0, count: count), counts)
    }

    package var parts: (any PromptPartEncoding)? { nil }
}
