// Imports: a file, read while it arrives.

import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials
import HTTPProtocol
import Transfers

/// What an import answers with.
struct ImportReply: Encodable {
    /// What was done; in a dry run, what would be.
    let report: TransferReport
    /// Why it ended early; what the report tells of stays.
    var error: WireError?
}

extension Router {
    /// Whether a request's body is read while it arrives.
    static func takesUpload(_ head: HTTPRequestHead) -> Bool {
        guard head.method == .post, let path = head.pathSegments else { return false }
        return HTTPRoute.match(path)?.route == .transferImport
    }

    /// `POST /api/v1/import?dry_run=true&scope=me|all`.
    func importFile(_ request: Request) async throws -> Response {
        let signedIn = try await requireSignedIn(request, for: .transferImport)
        guard let upload = request.upload else {
            throw WireError(.badRequest, "the body is missing")
        }
        let owner = try owner(request.head.queryValue("scope") ?? "me", signedIn)
        let isDryRun = try flag(request.head.queryValue("dry_run"))
        try server.rates.take(.transfer, of: signedIn.user.id)
        var limits = ImportLimits()
        limits.conversations = server.settings.importConversations
        let load = TransferImport(
            into: server.store,
            as: owner,
            isDryRun: isDryRun,
            limits: limits,
            defaultModel: server.board.defaultName ?? ""
        )
        let lists = server.hub.lists
        load.onConversation = { members in for member in members { lists.changed(member) } }
        let reader = RecordReader()
        var run = ImportRun(reader, into: load)
        var checked = server.loop.now
        let result = try await run.run {
            if server.loop.now - checked > .seconds(1) {
                guard try await self.signedIn(request)?.user.id == signedIn.user.id else {
                    throw WireError(.unauthenticated, "the sign-in has ended")
                }
                checked = server.loop.now
            }
            return try await upload.next()
        }
        return reply(result)
    }

    private func reply(_ result: ImportRun.Result) -> Response {
        guard let failure = result.failure else {
            return .json(ImportReply(report: result.report))
        }
        var error = WireError(.badRequest, failure.description)
        if case .limitExceeded = failure { error.code = .limitExceeded }
        return .json(
            ImportReply(report: result.report, error: error),
            status: HTTPStatus(error.code.httpStatus)
        )
    }

    private func owner(_ scope: String, _ signedIn: SignedIn) throws(WireError) -> ImportOwner {
        switch scope {
        case "me": return .user(signedIn.user)
        case "all":
            try requireAdministrator(signedIn)
            return .everything(Actor(signedIn.user))
        default: throw WireError(.badRequest, "scope must be me or all")
        }
    }

    private func flag(_ text: String?) throws(WireError) -> Bool {
        switch text {
        case nil, "false", "0": return false
        case "true", "1", "": return true
        default: throw WireError(.badRequest, "dry_run must be true or false")
        }
    }
}
