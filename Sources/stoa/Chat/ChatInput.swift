// Parses typed lines.

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
        /open N         open number N of the list
        /search WORDS   search messages: words, "phrases", by:NAME, since:DAY, until:DAY, here
        /found N        open result N of the search, on its branch
        /new [TITLE]    start a conversation
        /system [TEXT]  set or show the system prompt
        /prompts        list the prompts of your library and the team's
        /prompts N      show prompt N; /prompts use N makes it the system prompt
        /invite NAME    add a teammate to this conversation
        /stop           stop the running answer (also Ctrl-C)
        /edit TEXT      edit your last question
        /regenerate     regenerate the last answer
        /continue       continue the last answer, if it ended too early
        /branch [N]     list the versions of a message, or show version N (or newest)
        /fork [TITLE]   copy this branch to a new conversation
        /delete         delete your last question and everything below it
        /usage          show your token usage and limits
        /quit           quit (also Ctrl-D)
        Other lines are sent as messages; for one that begins with a slash, write //.
        """

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
        case ("open", let number?):
            Int(number).map { .open($0) } ?? .wrong("/open needs a number of /list")
        case ("open", nil): .wrong("/open needs a number of /list")
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
        case ("regenerate", nil): .regenerate
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
