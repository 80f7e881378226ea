// A shared conversation, for readers without an account.

import ChatCore
import ChatProtocol
import ChatStore
import HTTPProtocol

extension Router {
    /// `GET /api/v1/shared/TOKEN?before=ID`.
    func shared(_ token: String, _ request: Request) async throws -> Response {
        let share = try await server.store.shares.open(tokenHash: Token(text: token).hash)
        var before: MessageID?
        if let text = request.head.queryValue("before") {
            before = MessageID(text)
            if before == nil { throw WireError.noSuchMessage }
        }
        var page = try await server.store.shares.page(of: share, before: before, limit: 200).page
        // The text of running answers is in memory, as far as this node has received it.
        for answer in server.hub.growing(share.conversation, have: [:]) {
            guard let index = page.messages.firstIndex(where: { $0.id == answer.message }),
                !page.messages[index].state.isFinal
            else { continue }
            page.messages[index].text = answer.text
        }
        return .json(page)
    }
}
