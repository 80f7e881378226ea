// What requests for answers have in common: their body, the stored turn, and the response, whole or
// as a stream.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import HTTPProtocol
import Logging
import OpenAIProtocol

extension Router {
    /// Maximum length of a request, in bytes: several times the longest context's text.
    static let completionBytesMax = 4 << 20

    /// How long the response's head waits for the first text: an answer that fails at once gets an
    /// HTTP status that says so.
    private static let headDelayMax = Duration.seconds(2)

    // MARK: The request

    /// Reads a body of JSON, no further than its limit.
    /// - Throws: `WireError` if it is no JSON or too long, or the server is shutting down.
    func wholeBody(of request: Request) async throws -> [UInt8] {
        guard !server.isDraining else {
            throw WireError(.unavailable, "the server is shutting down", retryAfter: 1)
        }
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

    /// Stores the turn of a request in a conversation of its own, once for each key.
    /// - Parameters:
    ///   - call: the request.
    ///   - turn: its turn.
    ///   - earlier: the messages of the conversation that the turn extends, if it extends one.
    /// - Returns: the stored turn.
    /// - Throws: `APIError`, `WireError`.
    func accept(
        _ call: CompletionCall,
        _ turn: RequestedTurn,
        after earlier: [RequestedTurn.Earlier] = []
    ) async throws -> AcceptedCompletion {
        let (key, user) = (call.key, call.user)
        if key.isNamed,
            let stored = try await server.store.messages.reply(to: turn, key: key.text, of: user.id)
        {
            return AcceptedCompletion(stored, of: turn)
        }
        try server.rates.take(.question, of: user.id)
        try await requireReady(turn.model)
        let needed = try await require(turn, of: call)
        let ids = RequestedTurn.IDs(for: turn)
        let (tokens, counted) = try await count(turn, as: ids, by: user, after: earlier)
        let answerCount = turn.questions.count * turn.answerCount
        let committed = try await server.storeTurn(of: user, answerCount: answerCount) { limits in
            var limits = limits
            // A budget may shorten the answer, but not so far that it cannot have its form.
            limits.answerTokensMin = max(limits.answerTokensMin, needed)
            return try await server.store.messages.send(
                turn,
                as: ids,
                // A client that named no key cannot repeat its request.
                key: key.isNamed ? key.text : nil,
                promptTokens: tokens,
                beginning: try beginning(of: turn),
                by: user,
                limits: limits
            )
        }
        server.tellTurn(committed, in: committed.value.conversation, counted: counted)
        var accepted = AcceptedCompletion(committed.value, of: turn)
        if turn.place == nil { accepted.storedUpTo = committed.events.last?.n }
        return accepted
    }

    /// Counts the tokens of a turn's prompts.
    /// - Returns: those of each question's prompt; and the prompt, if it is the one that a run of
    ///   the turn is given.
    /// - Throws: `WireError.contextExceeded` if one does not fit.
    private func count(
        _ turn: RequestedTurn,
        as ids: RequestedTurn.IDs,
        by user: User,
        after earlier: [RequestedTurn.Earlier]
    ) async throws -> ([Int], CountedPrompt?) {
        let longest = server.settings.maxTokens
        if turn.options.rawPrompts.isEmpty {
            let prompt = turn.prompt(ids, of: user, after: earlier, longest: longest)
            let counted = try await server.dispatcher.count(prompt, for: turn.model)
            return ([counted.prompt.tokens.count], turn.place == nil ? counted : nil)
        }
        let counts = try await server.dispatcher.tokenCounts(
            of: Array(zip(turn.options.rawPrompts, turn.questions)),
            maxNewTokens: turn.settings.maxTokens ?? longest,
            for: turn.model
        )
        return (counts, nil)
    }

    // MARK: The response

    /// Returns the answers of a stored turn, whole or as a stream.
    func answer(
        _ call: CompletionCall,
        _ accepted: AcceptedCompletion,
        by writer: any ReplyWriter
    ) async throws -> Outcome {
        server.logger.debug(
            "completion accepted",
            metadata: [
                "request": "\(call.request.id)", "message": "\(accepted.answer.id)",
                "user": "\(call.user.id)", "end_user": "\(call.completion.endUser ?? "")",
            ]
        )
        let answers = AnswerGroup(
            accepted.answers.map {
                AnswerReader(
                    $0,
                    for: call.user.id,
                    isRepeatable: call.key.isNamed,
                    wantsTokens: call.completion.options.topLogprobs != nil,
                    storedUpTo: accepted.storedUpTo,
                    server: server
                )
            },
            for: call.signedIn,
            server: server
        )
        call.request.departure?.notify { answers.clientLeft() }
        do {
            try await answers.begin()
            let headers = headers(of: accepted, call)
            guard call.completion.isStreamed else {
                return .response(try await whole(answers, accepted, writer, headers))
            }
            let first = try await answers.read(within: Self.headDelayMax)
            answers.headIsSent()
            let stream = CompletionStream(
                answers,
                answersPerPrompt: accepted.answersPerPrompt,
                writer,
                first: first
            )
            var streamed = headers
            streamed.add(.contentType, EventStream.mediaType)
            // Proxies must not collect the stream.
            streamed.add("X-Accel-Buffering", "no")
            return .stream(HTTPResponseHead(.ok, headers: streamed)) { await stream.next() }
        } catch {
            answers.end()
            throw error
        }
    }

    private func whole(
        _ answers: AnswerGroup,
        _ accepted: AcceptedCompletion,
        _ writer: any ReplyWriter,
        _ headers: HTTPHeaders
    ) async throws -> Response {
        let body = writer.whole(
            try await answers.readAll(),
            answers.usage(answersPerPrompt: accepted.answersPerPrompt)
        )
        var response = Response(.ok, headers: headers, body: body)
        response.head.headers.add(.contentType, "application/json")
        return response
    }

    /// The headers of a successful response.
    private func headers(of accepted: AcceptedCompletion, _ call: CompletionCall) -> HTTPHeaders {
        let conversation = accepted.answer.conversation
        let receipts = accepted.answers.map {
            "/api/v1/conversations/\(conversation)/messages/\($0.id)/receipt"
        }
        var headers: HTTPHeaders = [.cacheControl: "no-store"]
        headers.add("x-request-id", "\(call.request.id)")
        headers.add("stoa-receipt", receipts.joined(separator: ", "))
        if accepted.isInConversation { headers.add("stoa-conversation", "\(conversation)") }
        headers.addLimits(
            requests: server.rates.state(of: .question, of: call.user.id),
            tokens: accepted.allowance
        )
        return headers
    }
}

extension RequestedTurn {
    /// The prompt of the turn, to count its tokens.
    /// - Parameters:
    ///   - ids: the ids of its messages.
    ///   - user: who asks.
    ///   - earlier: the messages of the conversation that the turn extends.
    ///   - longest: the length of the answer if the request does not limit it, in tokens.
    /// - Returns: the prompt.
    fileprivate func prompt(
        _ ids: IDs,
        of user: User,
        after earlier: [Earlier],
        longest: Int
    ) -> PromptRequest {
        PromptRequest(
            systemPrompt: systemPrompt,
            systemPromptVersion: SystemPromptVersion(scope: .conversation, version: 1),
            tools: options.tools?.definitions,
            policy: .refuse,
            branch: earlier.map { promptMessage($0, nil, by: user) }
                + branch(ids, question: 0, by: user),
            firstMessage: ids.history.first ?? ids.questions.first,
            maxNewTokens: settings.maxTokens ?? longest
        )
    }
}
