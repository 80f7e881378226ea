// A request for an answer, and what became of it.

import ChatProtocol
import ChatStore
import Digests
import FoundationEssentials
import HTTPProtocol
import OpenAIProtocol

/// A request of OpenAI's API for an answer, as it was read.
struct CompletionCall {
    /// What recognizes a repeated request.
    struct Key {
        let text: String
        /// Whether the client named it, so that it may send the request again.
        let isNamed: Bool
    }

    let request: Request
    let signedIn: SignedIn
    let completion: any CompletionRequest
    let key: Key

    /// Who asks.
    var user: User { signedIn.user }

    /// - Throws: `WireError` if the key is malformed.
    init(
        _ request: Request,
        by signedIn: SignedIn,
        _ completion: any CompletionRequest
    ) throws {
        self.request = request
        self.signedIn = signedIn
        self.completion = completion
        key = try Key(request.head.headers["Idempotency-Key"])
    }
}

extension CompletionCall.Key {
    /// The key of a header, or one of our own if the client sends none. Keys longer than the
    /// database's are hashed.
    fileprivate init(_ header: String?) throws(WireError) {
        guard let header else {
            self.init(text: UUID().uuidString, isNamed: false)
            return
        }
        guard (1...255).contains(header.utf8.count) else {
            throw WireError(.badRequest, "Idempotency-Key must be 1 to 255 bytes long")
        }
        self.init(
            text: header.utf8.count <= 64 ? header : SHA256.digest(of: header).hexadecimal,
            isNamed: true
        )
    }
}

/// A request of OpenAI's API whose turn is stored.
struct AcceptedCompletion {
    /// The pending answers; not empty.
    let answers: [Message]
    /// How many of them share a prompt.
    let answersPerPrompt: Int
    /// The limit with the fewest tokens left.
    let allowance: Allowance?
    /// The model.
    let model: String
    /// Whether the turn is in a conversation of the user, rather than in one of the request's own.
    let isInConversation: Bool
    /// The number of the turn's last event, if this request has stored the conversation; else nil.
    var storedUpTo: Int64?

    /// A turn in a conversation of the request's own.
    init(_ stored: RequestedTurnReply, of turn: RequestedTurn) {
        answers = stored.answers
        answersPerPrompt = turn.answerCount
        allowance = stored.allowance
        model = turn.model
        isInConversation = false
    }

    /// A turn in a conversation of the user.
    init(_ stored: MessageSendReply, model: String) {
        answers = [stored.answer]
        answersPerPrompt = 1
        allowance = stored.allowance
        self.model = model
        isInConversation = true
    }

    /// The first answer.
    var answer: Message { answers[0] }

    /// When it was accepted, in seconds since 1970.
    var created: Int64 { answer.createdAt.milliseconds / 1000 }
}
