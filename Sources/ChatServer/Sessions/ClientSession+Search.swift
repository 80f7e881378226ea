// The operation that finds messages.

import ChatProtocol
import ChatStore

extension OperationRouter {
    mutating func addSearch() {
        handle(.search) { try await $0.search($1) }
    }
}

extension ClientSession {
    func search(_ request: SearchRequest) async throws -> SearchReply {
        try Limits.check(request.query, "query", atMost: 1000)
        try Limits.check(request.author, "author", atMost: 1000)
        try Limits.check(request.tag, "tag", atMost: 256)
        guard (1...100).contains(request.limit ?? 20) else {
            throw WireError(.badRequest, "limit must be 1 to 100")
        }
        return try await server.store.search.page(request, for: user.id, limit: request.limit ?? 20)
    }
}
