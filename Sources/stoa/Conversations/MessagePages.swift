// Reads a conversation's messages, page by page from the newest.

import ChatClient
import ChatProtocol

enum MessagePages {
    private static let pageLimit = 200

    /// The newest messages of the branch that the user sees, oldest first, and whether there are
    /// older ones.
    /// - Throws: a refusal of the server.
    static func newest(
        _ limit: Int,
        of conversation: ConversationID,
        _ client: ChatClient
    ) async throws(ChatClientError) -> (messages: [Message], hasMore: Bool) {
        var messages: [Message] = []
        var hasMore = true
        while hasMore, messages.count < limit {
            let page = try await page(
                min(pageLimit, limit - messages.count),
                before: messages.first,
                of: conversation,
                client
            )
            messages = page.messages + messages
            hasMore = page.more
        }
        return (messages, hasMore)
    }

    /// The messages before `message` of the same branch, back to the one with an id; nil if there
    /// is none with that id.
    /// - Throws: a refusal of the server.
    static func since(
        _ id: MessageID,
        before message: Message?,
        of conversation: ConversationID,
        _ client: ChatClient
    ) async throws(ChatClientError) -> [Message]? {
        var messages: [Message] = []
        while true {
            let page = try await page(
                pageLimit,
                before: messages.first ?? message,
                of: conversation,
                client
            )
            messages = page.messages + messages
            if let place = messages.firstIndex(where: { $0.id == id }) {
                return Array(messages[place...])
            }
            if !page.more || page.messages.isEmpty { return nil }
        }
    }

    private static func page(
        _ limit: Int,
        before message: Message?,
        of conversation: ConversationID,
        _ client: ChatClient
    ) async throws(ChatClientError) -> MessageListReply {
        let request = MessageListRequest(
            conversation: conversation,
            before: message?.id,
            limit: limit
        )
        return try await client.deliver(.messageList, request)
    }
}
