// Parses typed lines.

package import ChatProtocol

/// A line of `stoa chat`: a message, or a command that starts with a slash.
package enum ChatInput: Hashable, Sendable {
    /// A message to send.
    case message(String)
    /// An empty line.
    case nothing
    /// Show the list of conversations.
    case list
    /// Open the conversation with that number in the list.
    case open(Int)
    /// Open the conversation with that name.
    case openNamed(String)
    /// Open a conversation, which is not typed but chosen.
    case openID(ConversationID)
    /// Search messages; nil shows more results of the last search.
    case search(String?)
    /// Open the message with that number in the last search.
    case found(Int)
    /// Create a conversation.
    case new(title: String?)
    /// Set the system prompt, or show it.
    case system(String?)
    /// Show the prompts of the libraries.
    case prompts
    /// Show the prompt with that number in the last list.
    case prompt(Int)
    /// Use the prompt with that number as the system prompt.
    case usePrompt(Int)
    /// Add a user to the conversation.
    case invite(String)
    /// Stop the running answer.
    case stop
    /// Edit the last question.
    case edit(String)
    /// Regenerate the last answer.
    case regenerate
    /// Continue an answer that ended early.
    case proceed
    /// Show where the conversation branches.
    case branches
    /// Show the sibling with that number at the last branching point.
    case branch(Int)
    /// Show the newest branch.
    case newest
    /// Copy the branch to a new conversation.
    case fork(title: String?)
    /// Delete the last question and its descendants.
    case delete
    /// Change the model that answers, or show the models.
    case model(String?)
    /// Change the title.
    case title(String)
    /// Pin the conversation in the user's list, or undo that.
    case pin(Bool)
    /// Create a link to read the conversation.
    case share
    /// Change generation settings, or show them.
    case settings(String?)
    /// Write the conversation to a file.
    case export(String)
    /// Show the receipt of the last answer, or write it to a file.
    case receipt(String?)
    /// Show the user's token usage.
    case usage
    /// Show the commands.
    case help
    /// Quit.
    case quit
    /// Not a valid command; the text says why.
    case wrong(String)

    /// Parses a line.
    package init(_ line: String) {
        guard line.contains(where: { !$0.isWhitespace }) else {
            self = .nothing
            return
        }
        guard line.hasPrefix("/"), !line.hasPrefix("//") else {
            self = .message(line.hasPrefix("//") ? String(line.dropFirst()) : line)
            return
        }
        let parts = line.dropFirst().split(separator: " ", maxSplits: 1)
        let name = parts.first ?? ""
        let rest = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
        guard let command = ChatCommand.named(name) else {
            self = .wrong("unknown command /\(name): /help lists them")
            return
        }
        self =
            command.parse(rest.isEmpty ? nil : String(rest))
            ?? .wrong("write \(command.usage): \(command.help)")
    }
}
