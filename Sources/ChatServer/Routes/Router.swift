// Dispatches requests by path. One table; all other paths are the page's files.

import ChatProtocol
import ChatStore
import FoundationEssentials
package import HTTPProtocol
import Networking

/// A complete request.
struct Request {
    /// For log lines.
    let id: RequestID
    let head: HTTPRequestHead
    /// The decoded path; nil if it is malformed.
    let path: [String]?
    /// The route of `path`; nil for the page's files.
    let match: HTTPRoute.Match?
    let body: [UInt8]
    private let peerAddress: SocketAddress?
    /// The body, if it is read while it arrives.
    var upload: UploadedBody?
    /// Says when the client closes its connection before it has the response.
    var departure: ClientDeparture?

    init(
        id: RequestID,
        head: HTTPRequestHead,
        body: [UInt8],
        peer: SocketAddress?,
        upload: UploadedBody? = nil
    ) {
        self.id = id
        self.head = head
        path = head.pathSegments
        match = path.flatMap(HTTPRoute.match)
        self.body = body
        peerAddress = peer
        self.upload = upload
    }

    /// The connection's peer address, without the port.
    var peer: String? { peerAddress?.host }

    /// Parses a JSON body.
    /// - Throws: `WireError.badRequest` if it is invalid, or lacks the content type of JSON: a form
    ///   on another site cannot set that.
    func json<Body: Decodable>(as type: Body.Type) throws(WireError) -> Body {
        let mediaType = head.headers[.contentType]?.split(separator: ";").first ?? ""
        guard mediaType.trimmingPrefix(" ").lowercased() == "application/json" else {
            throw WireError(.badRequest, "Content-Type must be application/json")
        }
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(body)) else {
            throw WireError(.badRequest, "the body is not the JSON object that this route takes")
        }
        return body
    }
}

/// A complete response.
package struct Response {
    package var head: HTTPResponseHead
    package var body: [UInt8] = []

    init(_ head: HTTPResponseHead, body: [UInt8]) {
        self.head = head
        self.body = body
    }

    init(_ status: HTTPStatus, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        head = HTTPResponseHead(status, headers: headers)
        self.body = body
    }

    /// A JSON response that must not be cached.
    static func json(_ value: some Encodable, status: HTTPStatus = .ok) -> Response {
        Response(
            status,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: WireEncoding.text(value)
        )
    }

    /// An error response.
    static func error(_ error: WireError) -> Response {
        var response = json(ErrorBody(error: error), status: HTTPStatus(error.code.httpStatus))
        if let seconds = error.retryAfter {
            response.head.headers.add(.retryAfter, "\(Int(seconds.rounded(.up)))")
        }
        return response
    }
}

/// The result of a request.
enum Outcome {
    case response(Response)
    /// A body of any length; each piece is made when the client has read the previous one. If that
    /// throws, the connection is closed: the client sees that the body is incomplete.
    case stream(HTTPResponseHead, _ next: () async throws -> [UInt8]?)
    /// The connection becomes a WebSocket.
    case webSocket(WebSocketClient)
}

/// The client of a new WebSocket.
struct WebSocketClient {
    /// Nil if the first frame authenticates it.
    let signedIn: SignedIn?
    /// The client's address, also behind a trusted proxy; nil if unknown.
    let address: String?
    /// The trace that the handshake names; nil for none.
    let traceCaller: TraceCaller?
}

/// Handles requests.
struct Router {
    let server: Server
    let page: PageFiles

    /// Handles a request; never throws, since every error has a response.
    func outcome(of request: Request) async -> Outcome {
        if let outcome = outcomeFromMemory(of: request) { return outcome }
        guard let match = request.match else { return .response(Response(.notFound)) }
        do {
            return try await answer(match, request)
        } catch {
            return .response(refusal(error, request))
        }
    }

    /// The outcome of a request that needs nothing but memory: a file of the page, a probe, or a
    /// refusal; nil for others.
    func outcomeFromMemory(of request: Request) -> Outcome? {
        let host = request.head.headers[.host]
        guard request.match?.route.isForProbes == true || server.hostNames.contains(host) else {
            return .response(.misdirected(to: host ?? ""))
        }
        // A request to the server as a whole; only OPTIONS has this target.
        if request.head.target == "*" { return .response(.options(HTTPMethod.served)) }
        guard let path = request.path else {
            let error = WireError(.badRequest, "the path is malformed")
            let isOpenAI = request.head.target.hasPrefix("/v1/")
            return .response(isOpenAI ? openAIRefusal(error, request) : refusal(error, request))
        }
        let match = request.match
        if match == nil, path.first == "api" || path.first == "v1" {
            let error = WireError(.notFound, "there is no such route")
            let isOpenAI = path.first == "v1"
            return .response(isOpenAI ? openAIRefusal(error, request) : refusal(error, request))
        }
        let method = request.head.method
        let methods = match?.route.methods ?? HTTPMethod.reading
        if method == .options { return .response(.options(methods)) }
        guard methods.contains(method) else {
            return .response(.refusal(of: method, allowing: methods))
        }
        switch match?.route {
        case nil: return .response(page.answer(path, request.head))
        case .liveness?, .readiness?: return .response(probe(match?.route))
        default: return nil
        }
    }

    /// Handles a request with a supported method.
    private func answer(_ match: HTTPRoute.Match, _ request: Request) async throws -> Outcome {
        let parameters = match.parameters
        switch match.route {
        case .webSocket:
            guard !server.isDraining else {
                throw WireError(.unavailable, "the server is shutting down", retryAfter: 1)
            }
            return .webSocket(try await webSocketClient(request))
        case .liveness, .readiness: return .response(probe(match.route))
        case .metrics: return .response(try await metrics(request))
        case .session: return .response(try await session(request))
        case .signUp: return .response(try await signUp(request))
        case .deviceAuthorization:
            return .response(await answeringGrant(request) { try await authorizeDevice(request) })
        case .token: return .response(await answeringGrant(request) { try await token(request) })
        case .openIDStart:
            return .response(try await signingIn(request) { try await startOpenID(request) })
        case .openIDCallback:
            return .response(try await signingIn(request) { try await finishOpenID(request) })
        case .passwordReset: return .response(try await resetPassword(request))
        case .conversationExport: return try await export(parameters[0], request)
        case .transferExport: return try await exportMany(request)
        case .transferImport: return .response(try await importFile(request))
        case .receipt:
            return .response(try await receipt(parameters[0], parameters[1], request))
        case .shared: return .response(try await shared(parameters[0], request))
        case .openAIModels, .openAIModel, .openAIChatCompletions, .openAICompletions,
            .openAIResponses, .openAIResponse:
            return await answerOpenAI(match, request)
        }
    }

    private func probe(_ route: HTTPRoute?) -> Response {
        route == .liveness ? .health(isGood: true, "ok") : readiness()
    }

    private func readiness() -> Response {
        // First: PostgreSQL ends if its log has no space.
        guard !server.store.isDiskFull else {
            return .health(isGood: false, "the database's disk is full")
        }
        guard server.store.isReady else {
            return .health(isGood: false, "the database is unavailable")
        }
        guard !server.isDraining else {
            return .health(isGood: false, "the server is shutting down")
        }
        guard server.board.canAnswer else {
            let isWaiting = server.board.isWaiting
            return .health(
                isGood: false,
                isWaiting ? "the model is being loaded" : "no model could be loaded"
            )
        }
        return .health(isGood: true, "ready")
    }
}

extension Response {
    fileprivate static func health(isGood: Bool, _ text: String) -> Response {
        Response(
            HTTPResponseHead(
                isGood ? .ok : .serviceUnavailable,
                headers: healthHeaders,
                encodedHeaders: encodedHealthHeaders
            ),
            body: Array("\(text)\n".utf8)
        )
    }

    private static let healthHeaders: HTTPHeaders = [
        .contentType: "text/plain; charset=utf-8", .cacheControl: "no-store",
    ]
    private static let encodedHealthHeaders = EncodedFields(healthHeaders)
}
