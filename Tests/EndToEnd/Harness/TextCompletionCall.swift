// Requests of OpenAI's API for text completions.

import FoundationEssentials
import HTTPProtocol

/// A body of `POST /v1/completions`.
struct TextCompletionBody: Encodable {
    /// A prompt, or several.
    enum Prompt: Encodable {
        case text(String)
        case texts([String])
        case tokens([Int])

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .texts(let texts): try container.encode(texts)
            case .tokens(let tokens): try container.encode(tokens)
            }
        }
    }

    var model: String
    var prompt: Prompt
    var temperature: Double? = 0
    var maxTokens: Int?
    var n: Int?
    var echo: Bool?
    var logprobs: Int?
    var stream: Bool?

    enum CodingKeys: String, CodingKey {
        case model, prompt, temperature, n, echo, logprobs, stream
        case maxTokens = "max_tokens"
    }
}

/// A reply, or a chunk of one.
struct TextCompletionReply: Decodable {
    struct Choice: Decodable {
        struct Logprobs: Decodable {
            var tokens: [String]
            var offsets: [Int]
            enum CodingKeys: String, CodingKey {
                case tokens
                case offsets = "text_offset"
            }
        }
        var index: Int
        var text: String
        var finishReason: String?
        var logprobs: Logprobs?
        enum CodingKeys: String, CodingKey {
            case index, text, logprobs
            case finishReason = "finish_reason"
        }
    }

    var id: String
    var choices: [Choice]
    var usage: CompletionReply.Tokens?

    /// The texts of the choices.
    var texts: [String] { choices.map(\.text) }
}

extension StoaServer {
    static let textCompletionPath = "/v1/completions"

    /// The answer to a request for a text completion.
    func complete(_ body: TextCompletionBody, _ headers: HTTPHeaders) throws -> HTTPAnswer {
        try post(Self.textCompletionPath, body, headers: headers)
    }

    /// The chunks of a streamed text completion.
    func stream(
        _ body: TextCompletionBody,
        _ headers: HTTPHeaders
    ) throws -> [TextCompletionReply] {
        var body = body
        body.stream = true
        let bytes = try JSONEncoder().encode(body)
        let path = Self.textCompletionPath
        let stream = try CompletionStreamReader(bytes, of: path, to: port, headers)
        var chunks: [TextCompletionReply] = []
        while let data = try stream.next(), data != "[DONE]" {
            chunks.append(
                try JSONDecoder().decode(TextCompletionReply.self, from: Data(data.utf8))
            )
        }
        return chunks
    }
}
