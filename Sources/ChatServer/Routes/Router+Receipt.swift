// An answer's receipt, which is stored with it.

import ChatProtocol
import ChatStore
import HTTPProtocol

extension Router {
    /// `GET /api/v1/conversations/ID/messages/ID/receipt`.
    func receipt(
        _ conversation: String,
        _ message: String,
        _ request: Request
    ) async throws -> Response {
        let signedIn = try await requireSignedIn(request, for: .receipt)
        guard let conversation = ConversationID(conversation), let message = MessageID(message)
        else {
            throw WireError(.notFound, "there is no such message")
        }
        let receipt = try await server.store.context.receipt(
            of: message,
            in: conversation,
            for: signedIn.user.id
        )
        guard let receipt else { throw WireError(.notFound, "the message has no receipt") }
        return Response(
            .ok,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: Array(receipt.utf8)
        )
    }
}
