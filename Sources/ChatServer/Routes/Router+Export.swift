// Exports, streamed: one conversation, or everything of a user, a team or the server.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import HTTPProtocol
import Transfers

extension Router {
    /// `GET /api/v1/conversations/ID/export?format=stoa|markdown|html|text|openai|sharegpt|json`.
    func export(_ id: String, _ request: Request) async throws -> Outcome {
        let signedIn = try await requireSignedIn(request, for: .conversationExport)
        guard let id = ConversationID(id) else {
            throw WireError(.notFound, "there is no such conversation")
        }
        let format = request.head.queryValue("format") ?? TransferFormat.markdown.rawValue
        if format == "json" { return .response(try await snapshot(id, for: signedIn.user)) }
        return try await export(
            .conversation(id),
            as: format,
            called: "\(id)",
            after: nil,
            signedIn,
            request
        )
    }

    /// `GET /api/v1/export?scope=me|team:ID|all&format=…&after=ID`.
    func exportMany(_ request: Request) async throws -> Outcome {
        let signedIn = try await requireSignedIn(request, for: .transferExport)
        let scope = try scope(request.head.queryValue("scope") ?? "me", signedIn.user)
        var after: ConversationID?
        if let text = request.head.queryValue("after") {
            guard let id = ConversationID(text) else {
                throw WireError(.badRequest, "after must be the id of a conversation")
            }
            after = id
        }
        return try await export(
            scope,
            as: request.head.queryValue("format") ?? TransferFormat.stoa.rawValue,
            called: "export",
            after: after,
            signedIn,
            request
        )
    }

    private func scope(_ text: String, _ user: User) throws(WireError) -> TransferScope {
        if text == "me" { return .user(user.id) }
        switch TransferScope(text) {
        case .team(let id): return .team(id)
        case .everything: return .everything
        case .conversation, .user, nil:
            throw WireError(.badRequest, "scope must be me, team:ID or all")
        }
    }

    private func export(
        _ scope: TransferScope,
        as name: String,
        called file: String,
        after: ConversationID?,
        _ signedIn: SignedIn,
        _ request: Request
    ) async throws -> Outcome {
        guard let format = TransferFormat(rawValue: name) else {
            let names = TransferFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw WireError(.badRequest, "format must be one of \(names)")
        }
        if case .everything = scope { try requireAdministrator(signedIn) }
        try server.rates.take(.transfer, of: signedIn.user.id)
        // Checked before the head is sent, so that an error gets its status.
        try await server.store.transfers.requireExport(of: scope, by: .user(signedIn.user.id))
        let export = TransferExport(
            of: scope,
            from: server.store.transfers,
            for: .user(signedIn.user.id),
            after: after
        )
        let stream = ExportStream(export, as: format, for: signedIn.user.id)
        let head = HTTPResponseHead(
            .ok,
            headers: attachment("\(file).\(format.fileExtension)", format.mediaType)
        )
        var checked = server.loop.now
        return .stream(head) {
            // If the sign-in ends during an export, the export ends.
            if server.loop.now - checked > .seconds(1) {
                guard try await self.signedIn(request)?.user.id == signedIn.user.id else {
                    throw WireError(.unauthenticated, "the sign-in has ended")
                }
                checked = server.loop.now
            }
            return try await stream.next()
        }
    }

    /// Throws unless the user is an administrator of the server, and a key has that scope.
    func requireAdministrator(_ signedIn: SignedIn) throws(WireError) {
        let credential = signedIn.credential
        let permission = Permission.decide(
            .transferEverything,
            isAdministrator: credential.isAdministrator && credential.scopes.contains(.administer)
        )
        if let refusal = permission.refusal { throw refusal }
    }

    /// The newest branch as protocol objects, as clients receive it.
    private func snapshot(_ id: ConversationID, for user: User) async throws -> Response {
        let conversation = try await server.store.conversations.conversation(id, for: user.id)
        let page = try await server.store.messages.page(
            of: id,
            before: nil,
            limit: Self.snapshotMessagesMax,
            for: user.id
        )
        let snapshot = ConversationSnapshot(
            conversation: conversation,
            messages: page.messages,
            more: page.more
        )
        return Response(
            .ok,
            headers: attachment("\(id).json", "application/json"),
            body: DirectionMarks.escaped(inJSON: WireEncoding.text(snapshot))
        )
    }

    private static var snapshotMessagesMax: Int { 10_000 }

    /// The file name contains no text from users: an id, and a fixed extension.
    private func attachment(_ name: String, _ type: String) -> HTTPHeaders {
        [
            .contentType: type,
            .cacheControl: "no-store",
            "Content-Disposition": "attachment; filename=\"stoa-\(name)\"",
            "X-Content-Type-Options": "nosniff",
        ]
    }
}
