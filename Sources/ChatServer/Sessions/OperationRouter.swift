// Maps operations to their handlers. Each is registered beside its handler, in the session's
// extension for its part of the protocol.

import ChatCore
import ChatProtocol
import ChatStore

/// A serial queue of requests: each waits for the earlier ones in the same queue.
enum RequestQueue: Hashable {
    /// Changes of the tree: each applies to the result of the client's earlier requests.
    case changes
    /// The watches and unwatches of a conversation. Later events continue from the reply to the
    /// last watch.
    case watches(ConversationID)
}

/// The handlers of all operations, by name.
package struct OperationRouter: Sendable {
    private struct Route: Sendable {
        let queue: @Sendable (ClientRequest) -> RequestQueue?
        let answer: @Sendable (ClientSession, ClientRequest) async throws -> Void
    }

    /// The router of every session.
    package static let shared = OperationRouter()

    private var routes: [String: Route] = [:]
    /// Operations that have a handler, in the order of registration; a test compares them with the
    /// protocol's.
    package private(set) var names: [String] = []

    private init() {
        addConnections()
        addModels()
        addEngines()
        addConversations()
        addFolders()
        addLifeCycle()
        addMessages()
        addTree()
        addSearch()
        addPrompts()
        addTeams()
        addShares()
        addUsage()
        addAccount()
        addUsers()
        addAdministration()
        addServerTeams()
    }

    // MARK: Registering

    /// Registers the handler of an operation. The reply is sent once the handler returns.
    /// - Parameters:
    ///   - operation: the operation.
    ///   - queue: requests in the same queue are answered one after the other; nil for requests
    ///     that need not wait.
    ///   - handler: returns the reply.
    mutating func handle<Request, Reply>(
        _ operation: Operation<Request, Reply>,
        in queue: RequestQueue? = nil,
        _ handler: @escaping @Sendable (ClientSession, Request) async throws -> Reply
    ) {
        respond(to: operation, in: { _ in queue }) { session, request, id in
            session.grant(id, try await handler(session, request))
        }
    }

    /// Registers the handler of an operation that stores its reply under the request's key.
    mutating func handle<Request, Reply>(
        _ operation: Operation<Request, Reply>,
        in queue: RequestQueue? = nil,
        _ handler: @escaping @Sendable (ClientSession, Request) async throws -> Committed<Reply>
    ) {
        respond(to: operation, in: { _ in queue }) { session, request, id in
            session.grant(id, try await handler(session, request))
        }
    }

    /// Registers the handler of an operation that sends its reply itself.
    /// - Parameters:
    ///   - operation: the operation.
    ///   - queue: as in `handle`, depending on the request.
    ///   - handler: receives the request and the client's number for it.
    mutating func respond<Request, Reply>(
        to operation: Operation<Request, Reply>,
        in queue: @escaping @Sendable (Request) -> RequestQueue? = { _ in nil },
        _ handler: @escaping @Sendable (ClientSession, Request, Int64) async throws -> Void
    ) {
        names.append(operation.name)
        routes[operation.name] = Route(
            queue: { $0.body(of: operation).flatMap(queue) },
            answer: { session, request in
                guard let body = request.body(of: operation) else { throw Self.noHandler }
                try await handler(session, body, request.id)
            }
        )
    }

    // MARK: Answering

    /// The queue in which a request waits; nil if it need not wait.
    func queue(of request: ClientRequest) -> RequestQueue? {
        routes[request.operation.name]?.queue(request)
    }

    /// Answers a request that the session's credential allows.
    /// - Throws: `WireError`, and database errors.
    func answer(_ request: ClientRequest, for session: ClientSession) async throws {
        guard let route = routes[request.operation.name] else { throw Self.noHandler }
        try await route.answer(session, request)
    }

    /// The error for an operation that was declared and not registered, which a test detects.
    private static var noHandler: WireError {
        WireError(.unknownOp, "this server does not have the operation")
    }
}
