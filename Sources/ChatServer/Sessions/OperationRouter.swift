// Which handler answers which operation. Each is registered beside its handler, in the session's
// extension for its part of the protocol.

import ChatCore
import ChatProtocol
import ChatStore

/// Requests of which each waits for those before it in the same queue.
enum RequestQueue: Hashable {
    /// Changes of the tree: a client means each to come after those that it requested before.
    case changes
    /// The watches and unwatches of a conversation. What its subscriber is sent afterwards goes on from
    /// the reply to the last watch.
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
        addConversations()
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

    /// Registers the handler of an operation. Its reply is sent once it returns.
    /// - Parameters:
    ///   - operation: the operation.
    ///   - queue: requests in the same queue are answered one after the other; nil for those that wait
    ///     for nothing.
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

    /// Registers the handler of an operation that keeps its reply under the request's key.
    mutating func handle<Request, Reply>(
        _ operation: Operation<Request, Reply>,
        in queue: RequestQueue? = nil,
        _ handler: @escaping @Sendable (ClientSession, Request) async throws -> Committed<Reply>
    ) {
        respond(to: operation, in: { _ in queue }) { session, request, id in
            session.grant(id, try await handler(session, request))
        }
    }

    /// Registers the handler of an operation that sends the reply itself.
    /// - Parameters:
    ///   - operation: the operation.
    ///   - queue: as of `handle`, by the request.
    ///   - handler: takes the request and the client's number for it.
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

    /// The queue in which a request waits; nil if it waits for nothing.
    func queue(of request: ClientRequest) -> RequestQueue? {
        routes[request.operation.name]?.queue(request)
    }

    /// Answers a request that the session's credential allows.
    /// - Throws: `WireError`, and what the database throws.
    func answer(_ request: ClientRequest, for session: ClientSession) async throws {
        guard let route = routes[request.operation.name] else { throw Self.noHandler }
        try await route.answer(session, request)
    }

    /// Only for an operation that was declared and not registered, which a test finds.
    private static var noHandler: WireError {
        WireError(.unknownOp, "this server does not have the operation")
    }
}
