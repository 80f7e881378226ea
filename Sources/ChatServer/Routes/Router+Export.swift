// A conversation as a file: the branch that is shown, in Markdown or JSON.

import ChatProtocol
import ChatStore
import FoundationEssentials
import HTTPProtocol

extension Router {
    /// `GET /api/v1/conversations/ID/export?format=markdown|json`.
    func export(_ id: String, _ request: Request) async throws -> Response {
        let signedIn = try await requireSignedIn(request, for: .conversationExport)
        guard let id = ConversationID(id) else {
            throw WireError(.notFound, "there is no such conversation")
        }
        let conversation = try await server.store.conversation(id, for: signedIn.user.id)
        let messages = try await server.store.messages(
            of: id,
            before: nil,
            limit: Int(Int32.max),
            for: signedIn.user.id
        ).messages
        switch request.head.queryValue("format") ?? "markdown" {
        case "markdown":
            return file(
                "\(id).md",
                "text/markdown; charset=utf-8",
                Array(markdown(conversation, messages).utf8)
            )
        case "json":
            return file(
                "\(id).json",
                "application/json",
                WireEncoding.text(
                    ConversationSnapshot(
                        conversation: conversation,
                        messages: messages,
                        more: false
                    )
                )
            )
        default:
            throw WireError(.badRequest, "format must be markdown or json")
        }
    }

    private func file(_ name: String, _ type: String, _ bytes: [UInt8]) -> Response {
        Response(
            .ok,
            headers: [
                .contentType: type,
                .cacheControl: "no-store",
                "Content-Disposition": "attachment; filename=\"stoa-\(name)\"",
            ],
            body: bytes
        )
    }

    private func markdown(_ conversation: Conversation, _ messages: [Message]) -> String {
        var text = "# \(conversation.title.isEmpty ? "Conversation" : conversation.title)\n"
        text += "\nModel: \(conversation.model). Begun: \(conversation.createdAt).\n"
        if let prompt = conversation.systemPrompt, !prompt.isEmpty {
            text += "\n> System prompt: " + prompt.replacing("\n", with: "\n> ") + "\n"
        }
        for message in messages {
            let speaker = message.author?.name ?? (message.role == .user ? "someone" : "Phi")
            text += "\n## \(speaker), \(message.createdAt)\n\n\(message.text)\n"
            if message.state == .failed || message.state == .stopped {
                text += "\n*(\(message.state.rawValue))*\n"
            }
        }
        return text
    }
}
