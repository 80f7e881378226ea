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
    /// Show the user's token usage.
    case usage
    /// Show the commands.
    case help
    /// Quit.
    case quit
    /// Not a valid command; the text says why.
    case wrong(String)

    /// The text of `/help`.
    package static let helpText = """
        /list           show your conversations
        /open N         open number N of the list, or the conversation with that title
        /search WORDS   search messages: words, "phrases", by:NAME, since:DAY, until:DAY, here
        /found N        open result N of the search, on its branch
        /new [TITLE]    start a conversation
        /system [TEXT]  set or show the system prompt
        /model [NAME]   list the models, or choose the one that answers here
        /title TEXT     change the title of this conversation
        /pin, /unpin    put this conversation first in your list, or back
        /share          create a link with which anyone can read this conversation
        /prompts        list the prompts of your library and the team's
        /prompts N      show prompt N; /prompts use N makes it the system prompt
        /invite NAME    add a teammate to this conversation
        /stop           stop the running answer (also Ctrl-C)
        /edit TEXT      edit your last question
        /regenerate     regenerate the last answer (also /retry)
        /continue       continue the last answer, if it ended too early
        /branch [N]     list the versions of a message, or show version N (or newest)
        /fork [TITLE]   copy this branch to a new conversation
        /delete         delete your last question and everything below it
        /usage          show your token usage and limits
        /quit           quit (also Ctrl-D)
        Other lines are sent as messages; for one that begins with a slash, write //.
        Alt-Enter or a \\ at the end begins a new line; Ctrl-X Ctrl-E opens $EDITOR.
        """

    /// The names of the commands, without the slash.
    package static let commandNames = [
        "branch", "continue", "delete", "edit", "fork", "found", "help", "invite", "list", "model",
        "new", "open", "pin", "prompts", "quit", "regenerate", "retry", "search", "share", "stop",
        "system", "title", "unpin", "usage",
    ]

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
        let rest = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
        self = Self.command(parts.first ?? "", rest.isEmpty ? nil : String(rest))
    }

    private static func command(_ name: Substring, _ rest: String?) -> ChatInput {
        switch (name, rest) {
        case ("list", nil): .list
        case ("open", let name?): Int(name).map { .open($0) } ?? .openNamed(name)
        case ("open", nil): .wrong("/open needs a number of /list, or a title")
        case ("model", let name): .model(name)
        case ("title", let text?): .title(text)
        case ("title", nil): .wrong("/title needs a text")
        case ("pin", nil): .pin(true)
        case ("unpin", nil): .pin(false)
        case ("share", nil): .share
        case ("search", let text): .search(text)
        case ("found", let number?):
            Int(number).map { .found($0) } ?? .wrong("/found needs a number of /search")
        case ("found", nil): .wrong("/found needs a number of /search")
        case ("new", let title): .new(title: title)
        case ("system", let text): .system(text)
        case ("prompts", nil): .prompts
        case ("prompts", let rest?): promptCommand(rest)
        case ("invite", let name?): .invite(name)
        case ("invite", nil): .wrong("/invite needs a name")
        case ("stop", nil): .stop
        case ("edit", let text?): .edit(text)
        case ("edit", nil): .wrong("/edit needs the new text")
        case ("regenerate", nil), ("retry", nil): .regenerate
        case ("continue", nil): .proceed
        case ("branch", nil): .branches
        case ("branch", "newest"): .newest
        case ("branch", let number?):
            Int(number).map { .branch($0) } ?? .wrong("/branch needs a number, or newest")
        case ("fork", let title): .fork(title: title)
        case ("delete", nil): .delete
        case ("usage", nil): .usage
        case ("help", nil): .help
        case ("quit", nil), ("exit", nil): .quit
        default: .wrong("unknown command /\(name): /help lists them")
        }
    }

    private static func promptCommand(_ rest: String) -> ChatInput {
        let words = rest.split(separator: " ")
        let isUse = words.count == 2 && words[0] == "use"
        guard let number = words.last.flatMap({ Int($0) }), words.count == 1 || isUse else {
            return .wrong("/prompts needs a number of the list, or use and a number")
        }
        return isUse ? .usePrompt(number) : .prompt(number)
    }
}
