// Requests of OpenAI's API over a socket of their own: a stream is read event by event, and may be
// left in the middle.

import ChatProtocol
import FoundationEssentials
import HTTPProtocol
import JSONText

/// A message of a request.
struct CompletionMessage: Codable {
    var role: String
    var content: String

    static func user(_ text: String) -> Self { Self(role: "user", content: text) }
    static func assistant(_ text: String) -> Self { Self(role: "assistant", content: text) }
    static func system(_ text: String) -> Self { Self(role: "system", content: text) }
}

/// A function that a model may call.
struct CompletionTool: Codable {
    struct Function: Codable { var name: String }
    var type = "function"
    var function: Function

    init(_ name: String) { function = Function(name: name) }
}

/// A body of `POST /v1/chat/completions`.
struct CompletionBody: Encodable {
    struct StreamOptions: Codable {
        var includeUsage: Bool
        enum CodingKeys: String, CodingKey { case includeUsage = "include_usage" }
    }

    var model = "demo"
    var messages: [CompletionMessage]
    var temperature: Double? = 0
    var seed: Int?
    var stop: [String]?
    var maxTokens: Int?
    var stream: Bool?
    var streamOptions: StreamOptions?
    var store: Bool?
    var tools: [CompletionTool]?
    var presencePenalty: Double?
    var frequencyPenalty: Double?
    var logitBias: [String: Double]?
    var logprobs: Bool?
    var topLogprobs: Int?
    var n: Int?
    var responseFormat: ResponseFormat?

    /// `response_format`.
    struct ResponseFormat: Encodable {
        struct Schema: Encodable {
            var name = "answer"
            var schema: JSONValue
            var strict: Bool? = true
        }
        var type: String
        var schema: Schema?
        enum CodingKeys: String, CodingKey {
            case type
            case schema = "json_schema"
        }
    }

    enum CodingKeys: String, CodingKey {
        case model, messages, temperature, seed, stop, stream, store, tools, logprobs, n
        case topLogprobs = "top_logprobs"
        case responseFormat = "response_format"
        case presencePenalty = "presence_penalty"
        case frequencyPenalty = "frequency_penalty"
        case logitBias = "logit_bias"
        case maxTokens = "max_tokens"
        case streamOptions = "stream_options"
    }

    init(_ messages: [CompletionMessage]) { self.messages = messages }
    init(_ question: String) { self.init([.user(question)]) }
}

/// A whole reply, or a chunk of one.
struct CompletionReply: Decodable {
    struct Choice: Decodable {
        var index: Int
        var message: Text?
        var delta: Text?
        var logprobs: Logprobs?
        var finishReason: String?
        enum CodingKeys: String, CodingKey {
            case index, message, delta, logprobs
            case finishReason = "finish_reason"
        }
    }

    struct Logprobs: Decodable {
        struct Token: Decodable, Equatable {
            var token: String
            var logprob: Double
            var bytes: [UInt8]
            var top: [Token]?
            enum CodingKeys: String, CodingKey {
                case token, logprob, bytes
                case top = "top_logprobs"
            }
        }
        var content: [Token]
    }

    struct Text: Decodable {
        var role: String?
        var content: String?
        var calls: [Call]?
        enum CodingKeys: String, CodingKey {
            case role, content
            case calls = "tool_calls"
        }
    }

    struct Call: Decodable {
        struct Function: Decodable {
            var name: String?
            var arguments: String?
        }
        var index: Int?
        var id: String?
        var type: String?
        var function: Function
    }

    struct Tokens: Decodable {
        var promptTokens: Int
        var completionTokens: Int
        enum CodingKeys: String, CodingKey {
            case promptTokens = "prompt_tokens"
            case completionTokens = "completion_tokens"
        }
    }

    var id: String?
    var model: String?
    var choices: [Choice]?
    var usage: Tokens?
    var error: CompletionError?

    /// The text of a whole reply.
    var text: String? { choices?.first?.message?.content }
    /// The texts of a whole reply's choices.
    var texts: [String] { (choices ?? []).compactMap { $0.message?.content } }
    /// The tokens of its first choice.
    var tokens: [Logprobs.Token] { choices?.first?.logprobs?.content ?? [] }
}

/// An error.
struct CompletionError: Decodable {
    var message: String
    var type: String
    var param: String?
    var code: String?
}

/// A streamed reply that is being read.
final class CompletionStreamReader {
    private let socket: BlockingSocket
    private var connection = HTTPClientConnection(limits: HTTPLimits(bodyBytesMax: 64 << 20))
    private var buffer: [UInt8] = []
    private var isOver = false
    private let deadline = Deadline(.patience)
    /// The response's head, once it was read.
    private(set) var head: HTTPResponseHead?

    /// Sends a request for a chat completion.
    convenience init(_ body: CompletionBody, to port: UInt16, _ headers: HTTPHeaders) throws {
        var body = body
        body.stream = true
        let bytes = try JSONEncoder().encode(body)
        try self.init(bytes, of: "/v1/chat/completions", to: port, headers)
    }

    /// Sends a request.
    init(_ body: Data, of path: String, to port: UInt16, _ headers: HTTPHeaders) throws {
        socket = try BlockingSocket(port: port)
        var headers = headers
        headers[.contentType] = "application/json"
        let head = HTTPRequestHead(
            .post,
            path,
            host: "127.0.0.1:\(port)",
            headers: headers
        )
        try socket.send(
            connection.send(head, body: Array(body)),
            deadline
        )
    }

    /// The data of the next event, without comments; nil at the end of the stream.
    func next() throws -> String? {
        while true {
            if let end = buffer.firstRange(of: Array("\n\n".utf8)) {
                let event = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
                buffer.removeSubrange(..<end.upperBound)
                let data = event.split(separator: "\n").last { $0.hasPrefix("data: ") }
                if let data { return String(data.dropFirst(6)) }
            } else if isOver {
                return nil
            } else {
                try read()
            }
        }
    }

    /// Reads chunks up to the first text.
    func firstText() throws -> String { try firstChunk().choices?.first?.delta?.content ?? "" }

    /// Reads chunks up to the first one with text.
    func firstChunk() throws -> CompletionReply {
        while let data = try next(), data != "[DONE]" {
            let chunk = try JSONDecoder().decode(CompletionReply.self, from: Data(data.utf8))
            if let error = chunk.error { throw HarnessError("\(error)") }
            if let text = chunk.choices?.first?.delta?.content, !text.isEmpty { return chunk }
        }
        throw HarnessError("a stream without text")
    }

    /// Reads the rest of the stream.
    /// - Returns: the chunks, and whether `[DONE]` was the last event.
    func rest() throws -> (chunks: [CompletionReply], isDone: Bool) {
        var chunks: [CompletionReply] = []
        while let data = try next() {
            if data == "[DONE]" { return (chunks, try next() == nil) }
            chunks.append(try JSONDecoder().decode(CompletionReply.self, from: Data(data.utf8)))
        }
        return (chunks, false)
    }

    private func read() throws {
        while let event = try connection.nextEvent() {
            switch event {
            case .informational: break
            case .response(let head): self.head = head
            case .body(let bytes): buffer += bytes
            case .end, .upgrade: isOver = true
            }
            return
        }
        let bytes = try socket.receive(deadline)
        if bytes.isEmpty {
            connection.receiveEnd()
            if connection.shouldClose { isOver = true }
        } else {
            bytes.withUnsafeBytes { connection.receive($0) }
        }
    }
}

extension [CompletionReply] {
    /// The text of the chunks.
    var text: String { compactMap { $0.choices?.first?.delta?.content }.joined() }
    /// The text of the chunks of one choice.
    func text(of index: Int) -> String {
        compactMap { $0.choices?.first { $0.index == index }?.delta?.content }.joined()
    }
    /// The tokens of the chunks.
    var tokens: [CompletionReply.Logprobs.Token] { flatMap(\.tokens) }
    /// The reason of the last chunk of the answer.
    var finishReason: String? { compactMap { $0.choices?.first?.finishReason }.last }
}

extension StoaServer {
    /// An API key with scopes, of a signed-in user.
    func key(_ scopes: [Scope], of token: String) throws -> HTTPHeaders {
        let peer = try connect(token)
        let made: KeyCreateReply = try peer.call(
            .keyCreate,
            KeyCreateRequest(name: "program", scopes: scopes)
        )
        return [.authorization: "Bearer \(made.secret)"]
    }

    /// The name of its default model, as OpenAI's API lists it.
    func modelName(_ key: HTTPHeaders) throws -> String {
        struct List: Decodable {
            struct Model: Decodable { var id: String }
            var data: [Model]
        }
        let list = try get("/v1/models", headers: key).decode(as: List.self)
        guard let model = list.data.first else { throw HarnessError("no models") }
        return model.id
    }

    /// A whole reply.
    func complete(_ body: CompletionBody, _ headers: HTTPHeaders) throws -> HTTPAnswer {
        try post("/v1/chat/completions", body, headers: headers)
    }
}
