// `POST /v1/chat/completions`: stores the turn, and returns its answer whole or as a stream.

import ChatCore
import ChatProtocol
import ChatStore
import Digests
import EventLoop
import FoundationEssentials
import HTTPProtocol
import Logging
import OpenAIProtocol

/// A request of OpenAI's API whose turn is stored.
struct AcceptedCompletion {
    /// The stored turn.
    let turn: MessageSendReply
    /// The model.
    let model: String
    /// Whether the turn is in a conversation of the user, rather than in one of the request's own.
    let isInConversation: Bool
}

extension Router {
    /// Maximum length of a request, in bytes: several times the longest context's text.
    static let completionBytesMax = 4 << 20

    /// How long the response's head waits for the first text: an answer that fails at once gets an
    /// HTTP status that says so.
    private static let headDelayMax = Duration.seconds(2)

    func completeChat(_ request: Request, _ signedIn: SignedIn) async throws -> Outcome {
        guard !server.isDraining else {
            throw WireError(.unavailable, "the server is shutting down", retryAfter: 1)
        }
        let completion = try ChatCompletionRequest(reading: await wholeBody(of: request))
        let key = try Self.idempotencyKey(of: request)
        try server.requireRoom(for: signedIn.user.id)
        let place = try CompletionPlace(
            header: request.head.headers["stoa-conversation"],
            store: completion.store
        )
        let accepted =
            switch place {
            case .ownConversation: try await accept(completion, key, signedIn)
            case .newConversation: try await accept(completion, in: nil, key.text, signedIn)
            case .conversation(let id): try await accept(completion, in: id, key.text, signedIn)
            }
        server.logger.debug(
            "completion accepted",
            metadata: [
                "request": "\(request.id)", "message": "\(accepted.turn.answer.id)",
                "user": "\(signedIn.user.id)", "end_user": "\(completion.endUser ?? "")",
            ]
        )
        let reader = AnswerReader(
            accepted.turn.answer,
            for: signedIn,
            isRepeatable: key.isNamed,
            server: server
        )
        request.departure.notify { reader.clientLeft() }
        do {
            try await reader.begin()
            let headers = headers(of: accepted, for: signedIn.user.id, request)
            let head = CompletionHead(
                id: "chatcmpl-\(accepted.turn.answer.id)",
                created: accepted.turn.answer.createdAt.milliseconds / 1000,
                model: accepted.model
            )
            guard completion.isStreamed else {
                return .response(try await whole(head, reader, headers))
            }
            let first = try await reader.next(within: Self.headDelayMax)
            if case .end(let end) = first { _ = try end.completionEnd() }
            reader.headIsSent()
            let stream = CompletionStream(
                head,
                reader,
                first: first,
                includesUsage: completion.includesUsage
            )
            var streamed = headers
            streamed.add(.contentType, EventStream.mediaType)
            // Proxies must not collect the stream.
            streamed.add("X-Accel-Buffering", "no")
            return .stream(HTTPResponseHead(.ok, headers: streamed)) { await stream.next() }
        } catch {
            reader.end()
            throw error
        }
    }

    private func whole(
        _ head: CompletionHead,
        _ reader: AnswerReader,
        _ headers: HTTPHeaders
    ) async throws -> Response {
        let end = try await reader.waitForEnd()
        let completion = ChatCompletion(
            head,
            text: reader.text,
            end: try end.completionEnd(),
            usage: end.usage.map { TokenUsage($0) }
        )
        var response = Response(.ok, headers: headers, body: WireEncoding.text(completion))
        response.head.headers.add(.contentType, "application/json")
        return response
    }

    // MARK: The request

    /// Reads a body of JSON, no further than its limit.
    private func wholeBody(of request: Request) async throws -> [UInt8] {
        let mediaType = request.head.headers[.contentType]?.split(separator: ";").first ?? ""
        guard mediaType.trimmingPrefix(" ").lowercased() == "application/json" else {
            throw WireError(.badRequest, "Content-Type must be application/json")
        }
        let tooLong = WireError(
            .limitExceeded,
            "the body is longer than \(Self.completionBytesMax) bytes"
        )
        guard let upload = request.upload else { throw WireError(.badRequest, "there is no body") }
        let announced = request.head.headers[.contentLength].flatMap { Int($0) } ?? 0
        guard announced <= Self.completionBytesMax else { throw tooLong }
        var body: [UInt8] = []
        while let bytes = try await upload.next() {
            guard body.count + bytes.count <= Self.completionBytesMax else { throw tooLong }
            body += bytes
        }
        return body
    }

    /// The key by which a repeated request is recognized; one of our own if the client sends none.
    /// Keys longer than the database's are hashed.
    private static func idempotencyKey(
        of request: Request
    ) throws -> (text: String, isNamed: Bool) {
        guard let name = request.head.headers["Idempotency-Key"] else {
            return (UUID().uuidString, false)
        }
        guard (1...255).contains(name.utf8.count) else {
            throw WireError(.badRequest, "Idempotency-Key must be 1 to 255 bytes long")
        }
        return (name.utf8.count <= 64 ? name : SHA256.digest(of: name).hexadecimal, true)
    }

    /// Stores the turn of a request in a conversation of its own, once for each key.
    private func accept(
        _ completion: ChatCompletionRequest,
        _ key: (text: String, isNamed: Bool),
        _ signedIn: SignedIn
    ) async throws -> AcceptedCompletion {
        let user = signedIn.user
        let turn = RequestedTurn(completion)
        if key.isNamed,
            let stored = try await server.store.messages.reply(to: turn, key: key.text, of: user.id)
        {
            return AcceptedCompletion(turn: stored, model: turn.model, isInConversation: false)
        }
        try server.rates.take(.question, of: user.id)
        try requireReady(turn.model)
        let tokens = try await server.dispatcher.tokenCount(
            of: turn.prompt(of: user, longest: server.settings.maxTokens),
            for: turn.model
        )
        let committed = try await server.storeTurn(of: user) { limits in
            try await server.store.messages.send(
                turn,
                key: key.text,
                promptTokens: tokens,
                by: user,
                limits: limits
            )
        }
        server.tellTurn(committed, in: committed.value.answer.conversation)
        return AcceptedCompletion(
            turn: committed.value,
            model: turn.model,
            isInConversation: false
        )
    }

    // MARK: The response

    /// The headers of a successful response.
    private func headers(
        of accepted: AcceptedCompletion,
        for user: UserID,
        _ request: Request
    ) -> HTTPHeaders {
        let answer = accepted.turn.answer
        var headers: HTTPHeaders = [.cacheControl: "no-store"]
        headers.add("x-request-id", "\(request.id)")
        headers.add(
            "stoa-receipt",
            "/api/v1/conversations/\(answer.conversation)/messages/\(answer.id)/receipt"
        )
        if accepted.isInConversation {
            headers.add("stoa-conversation", "\(answer.conversation)")
        }
        headers.addLimits(
            requests: server.rates.state(of: .question, of: user),
            tokens: accepted.turn.allowance
        )
        return headers
    }
}

extension RequestedTurn {
    /// The turn of a request.
    fileprivate init(_ request: ChatCompletionRequest) {
        self.init(
            model: request.model,
            systemPrompt: request.system ?? "",
            history: request.history.map { Earlier(role: $0.role, text: $0.text) },
            question: request.question,
            settings: request.settings
        )
    }

    /// The prompt of the turn, to count its tokens.
    /// - Parameters:
    ///   - user: who asks.
    ///   - longest: the length of the answer if the request does not limit it, in tokens.
    /// - Returns: the prompt.
    fileprivate func prompt(of user: User, longest: Int) -> PromptRequest {
        let messages = history + [Earlier(role: .user, text: question)]
        return PromptRequest(
            systemPrompt: systemPrompt,
            policy: .refuse,
            branch: messages.map { message in
                PromptMessage(
                    id: nil,
                    role: message.role.rawValue,
                    text: message.text,
                    author: message.role == .user ? user.name : nil
                )
            },
            maxNewTokens: settings.maxTokens ?? longest
        )
    }
}
