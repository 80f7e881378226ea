// What can go wrong with a remote engine. Each case has a sentence for the user whose answer it was,
// which names no host, and one for the administrator.

/// Why a request to a remote engine failed.
public enum EngineFault: Error, Sendable, Hashable {
    /// What an engine was awaited for.
    public enum Wait: Sendable, Hashable {
        case connection
        case firstToken
        case nextToken
    }

    /// What was too large.
    public enum Part: String, Sendable, Hashable {
        case line = "a line"
        case event = "an event"
        case answer = "an answer"
        case document = "a document"
    }

    /// No connection, or it broke; the text is the cause.
    case unreachable(String)
    /// Nothing arrived in time.
    case silent(Wait, seconds: Int)
    /// 401 or 403.
    case unauthorized(status: Int)
    /// 404: another base URL, or no such model.
    case notFound(String)
    /// 429, or 503 with `Retry-After`: it works, and has no room now.
    case busy(status: Int, retryAfter: Int?)
    /// 3xx: redirects are not followed.
    case redirected(status: Int)
    /// Another 4xx: it does not accept the request; the text is its message.
    case refused(status: Int, String)
    /// 5xx; the text is its message.
    case failed(status: Int, String)
    /// A message in the stream instead of an answer; the text is its message.
    case reported(String)
    /// It gave the answer up.
    case aborted
    /// The stream ended before the answer.
    case cut
    /// What it sent is not what its API defines.
    case malformed(String)
    /// It sent more than it may.
    case tooLarge(Part, byteLimit: Int)
    /// Its API cannot continue an answer that has begun.
    case cannotContinue
    /// Its API takes no token ids, of which the prompt consists.
    case cannotTakeTokens
    /// Its API has no presence and frequency penalties, and no biases of tokens.
    case cannotAdjustLogits
    /// Its API has no limit of thinking parts.
    case cannotLimitThinking
    /// Its API cannot hold the form that the answer must have.
    case cannotHoldForm
    /// Its answer has not the form that the request asked for.
    case withoutForm
    /// No engine of the model takes requests; the seconds are how long the answer waited.
    case noneAvailable(seconds: Int)

    /// Whether another engine, or the same one later, may answer the same request.
    public var isWorthAnotherTry: Bool {
        switch self {
        case .refused, .withoutForm, .noneAvailable: false
        default: true
        }
    }

    /// Whether the request is at fault, and not the engine.
    public var blamesRequest: Bool {
        switch self {
        case .refused, .cannotContinue, .cannotTakeTokens, .cannotAdjustLogits,
            .cannotLimitThinking, .cannotHoldForm, .withoutForm, .noneAvailable:
            true
        default: false
        }
    }

    /// A sentence for the user.
    public var userText: String {
        switch self {
        case .unreachable, .unauthorized, .notFound, .redirected:
            "the machine that computes this model's answers cannot be reached: "
                + "ask again in a moment, or choose another model"
        case .silent(.nextToken, _):
            "the machine that computes this model's answers stopped in the middle of this one: "
                + "ask again, or choose another model"
        case .silent:
            "the machine that computes this model's answers does not respond: "
                + "ask again in a moment, or choose another model"
        case .busy, .noneAvailable:
            "the machines that compute this model's answers are busy or out of reach: "
                + "ask again in a moment, or choose another model"
        case .refused:
            "the machine that computes this model's answers refused this question: "
                + "ask in other words, shorten the conversation, or choose another model"
        case .failed, .reported, .aborted, .cut, .malformed, .tooLarge:
            "the machine that computes this model's answers failed at this one: "
                + "ask again, or choose another model"
        case .cannotContinue:
            "the machine that computed this answer is gone, and no other one can continue it: "
                + "ask again for a new answer"
        case .cannotTakeTokens:
            "the machine that computes this model's answers takes no prompts without a chat "
                + "template: choose another model"
        case .cannotAdjustLogits:
            "the machine that computes this model's answers supports no penalties and biases: "
                + "leave them out, or choose another model"
        case .cannotLimitThinking:
            "the machine that computes this model's answers cannot limit what it thinks: "
                + "leave the limit out, or choose another model"
        case .cannotHoldForm:
            "the machine that computes this model's answers cannot give them a form: "
                + "leave the form out, or choose another model"
        case .withoutForm:
            "the machine that computes this model's answers gave one without the requested form: "
                + "ask again, or choose another model"
        }
    }
}

extension EngineFault: CustomStringConvertible {
    /// What happened and what an administrator can do.
    public var description: String {
        switch self {
        case .unreachable(let cause):
            "no connection: \(cause); check the address, and whether the engine runs"
        case .silent(let wait, let seconds):
            "no \(wait.noun) within \(seconds) s; check its load, or allow more seconds"
        case .unauthorized(let status):
            "it refuses the key (\(status)); check key-file or key-env of this engine"
        case .notFound(let message):
            "not found (404): \(message); check the base URL, and the model's name there"
        case .busy(let status, let seconds):
            "it is busy (\(status)\(seconds.map { ", retry after \($0) s" } ?? "")); "
                + "lower its slots here, or raise its limit there"
        case .redirected(let status):
            "it redirects (\(status)), which is not followed; name the address that it redirects to"
        case .refused(let status, let message):
            "it refuses the request (\(status)): \(message)"
        case .failed(let status, let message):
            "it failed (\(status)): \(message); its log says why"
        case .reported(let message):
            "it failed while answering: \(message); its log says why"
        case .aborted:
            "it gave the answer up; its log says why"
        case .cut:
            "the connection ended in the middle of an answer; its log says why"
        case .malformed(let what):
            "it does not speak OpenAI's API: \(what); check the base URL"
        case .tooLarge(let part, let limit):
            "it sent \(part.rawValue) of more than \(limit) bytes; check what runs at the base URL"
        case .cannotContinue:
            "its API cannot continue an answer; give it a tokenizer folder, or use an engine that "
                + "takes token ids"
        case .cannotTakeTokens:
            "its API takes no token ids; give it a tokenizer folder, and use vLLM, SGLang or "
                + "llama-server"
        case .cannotAdjustLogits:
            "its API has no presence and frequency penalties, and no biases; use an engine that "
                + "has them"
        case .cannotLimitThinking:
            "its API has no limit of thinking parts; use vLLM, llama-server or Stoa, without a "
                + "tokenizer folder, or leave the model out of --model-thinking"
        case .cannotHoldForm:
            "its API does not hold this form of answers; use vLLM, SGLang or llama-server"
        case .withoutForm:
            "its answer does not have the requested form; check its version"
        case .noneAvailable(let seconds):
            "no engine of this model took the request within \(seconds) s; earlier lines say why each did not"
        }
    }
}

extension EngineFault.Wait {
    fileprivate var noun: String {
        switch self {
        case .connection: "connection"
        case .firstToken: "first token"
        case .nextToken: "next token"
        }
    }
}
