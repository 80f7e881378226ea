// Which names a shell may complete. A shell does not only split a list of words: bash's compgen -W also
// executes $(…) in it, and a title may be another user's.

package import ChatProtocol

package enum CompletionName {
    /// ASCII characters, besides letters, digits and spaces, that no shell interprets.
    private static let harmless = Set("-_.,:+@/%=".utf8)

    /// Whether every shell takes a name as it is.
    package static func isHarmless(_ name: String) -> Bool {
        guard !name.isEmpty, !name.hasPrefix("-") else { return false }
        return name.utf8.allSatisfy { byte in
            byte >= 0x80 || harmless.contains(byte) || byte == UInt8(ascii: " ")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
    }

    /// What completes a conversation: its title, or its id if a shell could take the title for more.
    package static func of(_ conversation: Conversation) -> String {
        isHarmless(conversation.title) ? conversation.title : "\(conversation.id)"
    }

    /// A name as bash's script needs it: what bash completes it writes into the line without quotes,
    /// so the spaces are escaped, once more for compgen, which takes one level away.
    package static func escapedForBash(_ name: String) -> String {
        name.replacing(" ", with: #"\\\ "#)
    }
}
