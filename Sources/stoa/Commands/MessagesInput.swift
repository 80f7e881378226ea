// The messages that `stoa generate --messages` reads: a JSON array of {role, content}.

import FoundationEssentials
import TerminalText
package import Tokenizers

/// Reads and validates a conversation.
package enum MessagesInput {
    private static let bytesMax = 16 << 20
    private static let countMax = 10_000
    private static let roles = ["system", "user", "assistant"]

    private struct Entry: Decodable {
        let role: String
        let content: String
    }

    /// The bytes of a file, or of standard input for "-".
    static func read(from file: String) throws(CommandFailure) -> [UInt8] {
        if file == "-" {
            return try StandardInput.readAll(limit: bytesMax, what: "the messages")
        }
        return try InputFile.read(file, limit: bytesMax)
    }

    /// Parses the messages.
    /// - Throws: `CommandFailure` with status 65 and one line that says what is wrong.
    package static func parse(_ bytes: [UInt8]) throws(CommandFailure) -> [ChatMessage] {
        guard bytes.count <= bytesMax else {
            throw CommandFailure(.dataError, "the messages are longer than \(bytesMax) bytes")
        }
        guard let entries = try? JSONDecoder().decode([Entry].self, from: Data(bytes)) else {
            throw CommandFailure(
                .dataError,
                #"the messages are not a JSON array of {"role": TEXT, "content": TEXT}"#
            )
        }
        guard !entries.isEmpty, entries.count <= countMax else {
            throw CommandFailure(.dataError, "there must be 1 to \(countMax) messages")
        }
        if let wrong = entries.first(where: { !roles.contains($0.role) }) {
            throw CommandFailure(
                .dataError,
                "the role “\(TerminalSanitizer.clean(wrong.role))” is not one of "
                    + roles.joined(separator: ", ")
            )
        }
        return entries.map { ChatMessage(role: $0.role, content: $0.content) }
    }
}
