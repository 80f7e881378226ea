// Imports of a file; a file in our own format is read while it arrives.

import ChatProtocol
import ChatStore
import EventLoop
import HTTPProtocol
import Transfers

/// The reply to an import.
struct ImportReply: Encodable {
    /// What was imported; in a dry run, what would be.
    let report: TransferReport
    /// Why the import ended early; what the report contains stays imported.
    var error: WireError?
}

extension Router {
    /// The maximum length of a body that is read while it arrives, in bytes; nil if the request's
    /// body is not read so.
    static func uploadLimit(of head: HTTPRequestHead, _ settings: ServerSettings) -> Int? {
        guard head.method == .post, let path = head.pathSegments else { return nil }
        switch HTTPRoute.match(path)?.route {
        case .transferImport: return settings.importBytes
        // The route itself refuses longer bodies, with an error of OpenAI's API.
        case .openAIChatCompletions, .openAICompletions, .openAIResponses: return 1 << 40
        default: return nil
        }
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
            into: server.store.transfers,
            as: owner,
            isDryRun: isDryRun,
            limits: limits,
            defaultModel: server.board.defaultName ?? ""
        )
        let lists = server.hub.lists
        load.onConversation = { members in for member in members { lists.changed(member) } }
        let requireSignIn = signInCheck(of: signedIn, request)
        var start: [UInt8]? = try await beginning(of: upload)
        let isOurs = start?.starts(with: RecordReader.beginning) == true
        let next: () async throws -> [UInt8]? = {
            try await requireSignIn()
            guard let bytes = start else { return try await upload.next() }
            start = nil
            return bytes
        }
        if isOurs { return reply(try await ImportRun(into: load).run(bytes: next)) }
        guard let importer = owner.user else {
            throw WireError(
                .badRequest,
                "files of other systems are imported into your own account: use scope=me"
            )
        }
        let result = try await server.foreignImports.run(
            for: importer.id,
            into: load,
            conversationsMax: limits.conversations,
            requireSignIn: requireSignIn,
            next
        )
        return reply(result)
    }

    /// Enough of a file to detect its format; less only if the file is shorter.
    private func beginning(of upload: UploadedBody) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < RecordReader.beginning.count, let more = try await upload.next() {
            bytes += more
        }
        return bytes
    }

    /// Returns a function that checks, at most once a second, whether the sign-in is still valid,
    /// and throws if not.
    private func signInCheck(
        of signedIn: SignedIn,
        _ request: Request
    ) -> () async throws -> Void {
        var checked = server.loop.now
        return {
            guard server.loop.now - checked > .seconds(1) else { return }
            guard try await self.signedIn(request)?.user.id == signedIn.user.id else {
                throw WireError(.unauthenticated, "the sign-in has ended")
            }
            checked = server.loop.now
        }
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
