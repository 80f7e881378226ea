// OpenAI's API: its routes, who may use them, and its errors. OpenAIProtocol has the bodies.

import ChatProtocol
import ChatStore
import EventLoop
import HTTPProtocol
import OpenAIProtocol

extension Router {
    /// Handles a request of OpenAI's API; never throws, since every error has a response.
    func answerOpenAI(_ match: HTTPRoute.Match, _ request: Request) async -> Outcome {
        do {
            let signedIn = try await requireKey(request, for: match.route)
            switch match.route {
            case .openAIModel:
                return .response(try model(match.parameters[0], request))
            case .openAIChatCompletions:
                return try await completeChat(request, signedIn)
            case .openAICompletions:
                return try await completeText(request, signedIn)
            case .openAIResponses:
                return try await createResponse(request, signedIn)
            case .openAIResponse where request.head.method == .delete:
                return .response(
                    try await deleteResponse(match.parameters[0], request, signedIn)
                )
            case .openAIResponse:
                return .response(try await response(match.parameters[0], request, signedIn))
            default: return .response(modelList(request))
            }
        } catch {
            return .response(openAIRefusal(error, request))
        }
    }

    /// The response to a failed request.
    func openAIRefusal(_ error: any Error, _ request: Request) -> Response {
        let shown: APIError
        if let error = error as? APIError {
            shown = error
        } else {
            let told = server.wireError(error, in: request.id)
            server.metrics.requests.refused(told.code)
            shown = APIError(told)
        }
        var response = Response.json(shown, status: HTTPStatus(shown.status))
        if let seconds = shown.retryAfter {
            response.head.headers.add(.retryAfter, "\(Int(seconds.rounded(.up)))")
        }
        // OpenAI's clients repeat requests with these statuses otherwise.
        if [408, 409, 429].contains(shown.status) || shown.status >= 500 {
            response.head.headers.add("x-should-retry", "\(shown.mayBeRepeated)")
        }
        if shown.status == 401 { response.head.headers.add(.wwwAuthenticate, "Bearer") }
        return response.withID(of: request)
    }

    /// The sign-in of a request: only the header counts, so that no page of another site can use a
    /// browser's cookie.
    private func requireKey(_ request: Request, for route: HTTPRoute) async throws -> SignedIn {
        guard request.head.headers[.authorization] != nil else {
            throw WireError(
                .unauthenticated,
                "send an API key with the scope complete: Authorization: Bearer KEY"
            )
        }
        return try await requireSignedIn(request, for: route)
    }

    // MARK: Models

    private func modelList(_ request: Request) -> Response {
        let models = server.board.names.compactMap(listedModel)
        return Response.json(ModelList(models)).withID(of: request)
    }

    private func model(_ name: String, _ request: Request) throws(APIError) -> Response {
        guard let model = listedModel(name) else { throw APIError.noModel(name) }
        return Response.json(model).withID(of: request)
    }

    /// A model that is ready, or becomes ready when it is used; nil for others.
    private func listedModel(_ name: String) -> ListedModel? {
        let board = server.board
        guard let contextLength = board.contextLength(of: name) else { return nil }
        return ListedModel(
            id: name,
            created: server.startedAt.milliseconds / 1000,
            contextLength: contextLength
        )
    }

    /// How long a request waits for a model in standby to be loaded.
    private static let standbyWaitMax = Duration.seconds(120)
    private static let standbyPause = Duration.milliseconds(100)

    /// Waits for a model in standby, which is loaded; throws unless the model is ready to answer
    /// then.
    func requireReady(_ name: String) async throws {
        let end = server.loop.now + Self.standbyWaitMax
        var isAwaited = false
        while server.loop.now < end, !server.isDraining {
            if server.board.standbyLength(of: name) != nil { isAwaited = true }
            guard isAwaited, server.board.isWaiting(for: name) else { break }
            server.dispatcher.request(name)
            try await server.loop.sleep(for: Self.standbyPause)
        }
        switch server.board[name] {
        case .ready?: break
        case .fetching?, .loading?, .standby?, .leaving?:
            throw APIError(503, .server, "the model is being loaded", retryAfter: 5)
        case .unloading?, .unloaded?:
            throw APIError(503, .server, "the model is not loaded: an administrator can load it")
        case .failed?: throw APIError(503, .server, "the model could not be loaded")
        case nil: throw APIError.noModel(name)
        }
    }
}

extension Response {
    /// The response with the request's name in the server's log.
    func withID(of request: Request) -> Response {
        var response = self
        response.head.headers.add("x-request-id", "\(request.id)")
        return response
    }
}
