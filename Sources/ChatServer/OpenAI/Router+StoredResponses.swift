// `GET` and `DELETE /v1/responses/ID`: stored responses.

import ChatCore
import ChatProtocol
import ChatStore
import HTTPProtocol
import OpenAIProtocol

extension Router {
    /// `GET /v1/responses/ID`.
    func response(
        _ name: String,
        _ request: Request,
        _ signedIn: SignedIn
    ) async throws -> Response {
        let stored = try await stored(name, for: signedIn)
        guard stored.isOfRequest || signedIn.credential.scopes.contains(.read) else {
            throw WireError(.forbidden, "the API key needs the scope read too, for conversations")
        }
        let answer = stored.answer
        let head = ResponseObject.Head(
            answer: answer.id,
            created: answer.createdAt.milliseconds / 1000,
            model: stored.model,
            instructions: stored.systemPrompt.isEmpty ? nil : stored.systemPrompt,
            previous: stored.previous,
            settings: stored.settings,
            format: stored.options.format,
            tools: stored.options.tools,
            isStored: true
        )
        var piece = AnswerPiece(answer.text)
        if stored.options.topLogprobs != nil {
            piece.tokens = try await server.store.runs.answerTokens(
                of: answer.id,
                in: stored.conversation,
                from: 0
            )
        }
        let object = ResponseObject(head, piece, ResponseObject.State(answer))
        return Response.json(object).withID(of: request)
    }

    /// `DELETE /v1/responses/ID`: later requests cannot refer to the response any more.
    func deleteResponse(
        _ name: String,
        _ request: Request,
        _ signedIn: SignedIn
    ) async throws -> Response {
        let stored = try await stored(name, for: signedIn)
        guard stored.isOfRequest else {
            throw WireError(.forbidden, "it is a message of a conversation: delete it there")
        }
        guard stored.answer.state.isFinal else {
            throw APIError(
                409,
                .invalidRequest,
                "the response has not ended: wait for its end",
                code: "conflict"
            )
        }
        let emptied = try await server.store.messages.deleteResponse(
            stored.answer.id,
            in: stored.conversation,
            of: signedIn.user.id
        )
        if emptied { server.forgetPages(of: [stored.conversation]) }
        return Response.json(DeletedResponse(stored.answer.id)).withID(of: request)
    }

    /// A stored response.
    /// - Throws: `APIError` if there is none with this name.
    private func stored(_ name: String, for signedIn: SignedIn) async throws -> ContinuedAnswer {
        let missing = APIError.noResponse(name, parameter: nil)
        guard let id = MessageID(responseID: name) else { throw missing }
        do {
            return try await server.store.messages.continued(id, for: signedIn.user.id)
        } catch let error as WireError where error.code == .notFound {
            throw missing
        }
    }
}

extension ResponseObject.State {
    /// The state of a stored answer.
    fileprivate init(_ answer: Message) {
        switch answer.state {
        case .queued: self = .queued
        case .streaming: self = .inProgress
        case .complete, .stopped, .failed:
            let end = AnswerEnd(answer)
            do throws(APIError) {
                self = .ended(try end.completionEnd(), end.usage.map { TokenUsage($0) })
            } catch {
                self = .failed(error)
            }
        }
    }
}
