// Which names a shell may complete. A shell does not only split a list of words: bash's compgen -W also
// executes $(…) in it, and a title may be another user's.

package import ChatProtocol

package enum CompletionName {
    /// ASCII characters, besides letters, digits and spaces, that no shell interprets.
    private static let harmless = Set("-_.,:+@/%=".utf8)

    /// Whether every shell takes a name as it is.
    package static func isHarmless(_ name: String) -> Bool {
        // zsh replaces =ls by the path of that program.
        guard let first = name.utf8.first, !"-=".utf8.contains(first) else { return false }
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

    /// A name as a shell's script needs it.
    /// - Parameters:
    ///   - name: a harmless name.
    ///   - shell: the shell; nil if it is none of these.
    /// - Returns: what the script takes for that name.
    package static func escaped(_ name: String, for shell: CompletionShell?) -> String {
        switch shell {
        // compgen splits its words as the shell does; readline quotes what remains.
        case .bash: name.replacing(" ", with: #"\ "#)
        // Its _describe takes what follows a colon for a description.
        case .zsh: name.replacing(":", with: #"\:"#)
        case .fish, nil: name
        }
    }
}

/// A shell that ArgumentParser makes a completion script for, by its name in SAP_SHELL.
package enum CompletionShell: String, Sendable {
    case bash, zsh, fish
}
