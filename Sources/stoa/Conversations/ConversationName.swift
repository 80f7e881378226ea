// How a user names a conversation: by its id, the start of its id, or words of its title.

import ChatClient
package import ChatProtocol

/// The text that names a conversation.
package struct ConversationName: Sendable {
    /// Shorter texts are only searched in titles.
    private static let idPrefixMin = 4
    /// How many conversations of the list are compared.
    private static let countMax = 5000

    private let text: String

    /// A name as it was typed.
    package init(_ text: String) {
        self.text = text
    }

    /// What a name stands for among a user's conversations.
    package enum Match: Equatable {
        case one(ConversationID)
        /// Several are equally near.
        case several([Conversation])
        case none
    }

    /// How near a title is; a nearer kind excludes the farther ones.
    private enum Nearness: Int, CaseIterable {
        case id, title, beginning, part, words, letters
    }

    /// Finds the conversation that the name stands for.
    /// - Parameter conversations: the user's conversations.
    /// - Returns: the nearest one, or all that are equally near.
    package func match(in conversations: [Conversation]) -> Match {
        for nearness in Nearness.allCases {
            let found = conversations.filter { isMatch($0, nearness) }
            if found.count == 1 { return .one(found[0].id) }
            if !found.isEmpty { return .several(found) }
        }
        return .none
    }

    private func isMatch(_ conversation: Conversation, _ nearness: Nearness) -> Bool {
        let title = conversation.title.lowercased()
        let wanted = text.lowercased()
        return switch nearness {
        case .id:
            wanted.count >= Self.idPrefixMin && conversation.id.description.hasPrefix(wanted)
        case .title: title == wanted
        case .beginning: title.hasPrefix(wanted)
        case .part: title.contains(wanted)
        case .words: wanted.split(separator: " ").allSatisfy { title.contains($0) }
        case .letters: Self.isSubsequence(wanted, of: title)
        }
    }

    /// Whether the letters occur in this order, others in between: "dgfx" in "Dragon fixes".
    private static func isSubsequence(_ letters: String, of text: String) -> Bool {
        var rest = text[...]
        for letter in letters where letter != " " {
            guard let place = rest.firstIndex(of: letter) else { return false }
            rest = rest[rest.index(after: place)...]
        }
        return true
    }

    /// Asks the server, unless the name is a whole id.
    /// - Returns: the conversation.
    /// - Throws: `CommandFailure` if there is none or several; a refusal of the server.
    func find(_ client: ChatClient) async throws(CommandFailure) -> ConversationID {
        if let id = ConversationID(text) { return id }
        var all: [Conversation] = []
        var cursor: String?
        repeat {
            let request = ConversationListRequest(cursor: cursor, limit: 200)
            let page: ConversationListReply
            do throws(ChatClientError) {
                page = try await client.deliver(.conversationList, request)
            } catch {
                throw CommandFailure(error)
            }
            all += page.conversations
            cursor = page.cursor
        } while cursor != nil && all.count < Self.countMax
        switch match(in: all) {
        case .one(let id): return id
        case .none:
            throw CommandFailure(.notFound, "no conversation is named “\(text)”")
        case .several(let found):
            let rows = found.prefix(5).map { "\n  \($0.id)  \($0.title)" }.joined()
            let more = found.count > 5 ? "\n  and \(found.count - 5) more" : ""
            throw CommandFailure(
                .notFound,
                "“\(text)” names several conversations:\(rows)\(more)"
            )
        }
    }
}
