// Parses the text after /search, words and filters, and prints results.

package import ChatProtocol
import FoundationEssentials
package import TerminalText

/// A typed search: `tea "with milk" by:ada since:2026-01-31 until:2026-02-28 here`.
package struct SearchLine: Hashable, Sendable {
    /// The words and phrases.
    package var query = ""
    /// The author of the messages.
    package var author: String?
    /// The earliest time.
    package var from: Timestamp?
    /// The latest time: the end of the given day.
    package var to: Timestamp?
    /// The team of the conversations.
    package var team: TeamID?
    /// Whether to search only the open conversation.
    package var isHere = false

    /// An invalid search.
    package struct Mistake: Error, Hashable, Sendable {
        /// A sentence for the user.
        package let sentence: String
    }

    /// Parses a search.
    /// - Parameter text: the text after the command.
    /// - Throws: `Mistake` if a filter is invalid, or the search is empty.
    package init(_ text: String) throws(Mistake) {
        var words: [Substring] = []
        var isQuoted = false
        for word in text.split(separator: " ") {
            let parts = word.split(separator: ":", maxSplits: 1)
            let value = parts.count > 1 ? String(parts[1]) : ""
            switch isQuoted ? "" : parts.first ?? "" {
            case "by" where !value.isEmpty: author = value
            case "since" where !value.isEmpty: from = try Self.day(value)
            case "until" where !value.isEmpty: to = try Self.day(value, isEnd: true)
            case "team" where !value.isEmpty:
                guard let id = TeamID(value) else {
                    throw Mistake(sentence: "team: needs a team's id")
                }
                team = id
            case "here" where parts.count == 1: isHere = true
            default:
                words.append(word)
                if word.count(where: { $0 == "\"" }) % 2 == 1 { isQuoted.toggle() }
            }
        }
        query = words.joined(separator: " ")
        if query.isEmpty {
            throw Mistake(
                sentence: "/search needs words; by:NAME, since:YYYY-MM-DD, until:YYYY-MM-DD, "
                    + "team:ID and here narrow it"
            )
        }
    }

    /// The request.
    /// - Parameter open: the open conversation.
    /// - Returns: the request for the server.
    package func request(open: ConversationID?) -> SearchRequest {
        SearchRequest(
            query: query,
            conversation: isHere ? open : nil,
            team: team,
            author: author,
            from: from,
            to: to
        )
    }

    /// The start or the end of a UTC day.
    private static func day(_ text: String, isEnd: Bool = false) throws(Mistake) -> Timestamp {
        // A day that exists reads back unchanged.
        guard let date = try? Date("\(text)T00:00:00Z", strategy: .iso8601),
            Timestamp(date).description.prefix(10) == text
        else { throw Mistake(sentence: "“\(text)” is not a day such as 2026-01-31") }
        let dayLength: Int64 = 24 * 60 * 60 * 1000
        return Timestamp(milliseconds: Timestamp(date).milliseconds + (isEnd ? dayLength : 0))
    }
}

extension ChatTranscript {
    /// For example "2. Tea · ada · 2026-01-31: how much *milk* goes in"; matches are bold in a
    /// terminal.
    /// - Parameters:
    ///   - result: the result.
    ///   - number: its number, for `/found`; nil for none.
    ///   - isTerminal: whether to print matches in bold.
    /// - Returns: one line.
    package static func searchRow(
        _ result: SearchResult,
        number: Int? = nil,
        isTerminal: Bool
    ) -> SafeText {
        let title = result.title.isEmpty ? "new conversation" : result.title
        let author = result.author?.name ?? (result.role == .assistant ? "answer" : "somebody")
        let day = result.createdAt.description.prefix(10)
        let (start, end): (SafeText, SafeText) =
            isTerminal ? ("\u{1B}[1m", "\u{1B}[0m") : ("*", "*")
        let text: [SafeText] = result.snippet.map { part in
            part.match ? "\(start)\(part.text)\(end)" : "\(part.text)"
        }
        return
            "\(number.map { "\($0). " } ?? "")\(title) · \(author) · \(day): \(text.joined(separator: ""))"
    }
}
