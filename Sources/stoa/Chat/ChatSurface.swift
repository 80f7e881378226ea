// What a chat needs of a terminal: `stoa chat` draws lines that scroll away, `stoa tui` a full screen.

import ChatClient
import ChatProtocol
import TerminalText

/// Shows a conversation, and takes what is typed. Used on the event loop.
protocol ChatSurface: AnyObject {
    /// The keys, and the text that is typed.
    var keyboard: ChatKeyboard { get }

    /// Takes the terminal.
    func start()
    /// Gives the terminal back.
    func stop()
    /// Shows another conversation from now on.
    /// - Parameters:
    ///   - user: the reader.
    ///   - unread: how many of its last messages of others are new.
    func open(user: UserID, unread: Int)
    /// Shows changes of the open conversation.
    func show(_ changes: [ConversationView.Change], _ view: ConversationView)
    /// Shows who is typing.
    func show(typing names: [String])
    /// Shows that there is no connection; nil for nothing.
    func show(connection text: String?)
    /// Shows the user's list.
    func show(list: [Conversation])
    /// Shows a message that the user has sent.
    func said(_ text: String, by name: String)
    /// A message that the user has sent was refused.
    func unsent(_ text: String)
    /// Shows a note of the program.
    func note(_ text: SafeText)
}

/// What completes a text.
package enum TextCompletion: Hashable, Sendable {
    case none
    /// Replace so many characters before the cursor.
    case replace(Int, String)
    /// Several are possible.
    case choices([String])
}
