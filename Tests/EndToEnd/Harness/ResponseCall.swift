// Requests of OpenAI's API for responses.

import FoundationEssentials
import HTTPProtocol

/// A body of `POST /v1/responses`.
struct ResponseBody: Codable {
    var model = "demo"
    var input: String
    var instructions: String?
    var previous: String?
    var store: Bool?
    var stream: Bool?
    var temperature: Double? = 0
    var maxTokens: Int?
    var include: [String]?
    var topLogprobs: Int?

    enum CodingKeys: String, CodingKey {
        case model, input, instructions, store, stream, temperature, include
        case topLogprobs = "top_logprobs"
        case previous = "previous_response_id"
        case maxTokens = "max_output_tokens"
    }

    init(_ input: String, after previous: String? = nil) {
        self.input = input
        self.previous = previous
    }
}

/// A response.
struct ResponseReply: Decodable {
    struct Item: Decodable {
        var id: String
        var status: String
        var content: [Part]
    }

    struct Part: Decodable {
        var text: String
        var logprobs: [CompletionReply.Logprobs.Token]
    }

    struct Tokens: Decodable {
        var input: Int
        var output: Int
        enum CodingKeys: String, CodingKey {
            case input = "input_tokens"
            case output = "output_tokens"
        }
    }

    struct Details: Decodable { var reason: String }

    var id: String
    var status: String
    var model: String
    var instructions: String?
    var previous: String?
    var store: Bool
    var output: [Item]
    var usage: Tokens?
    var incompleteDetails: Details?

    enum CodingKeys: String, CodingKey {
        case id, status, model, instructions, store, output, usage
        case previous = "previous_response_id"
        case incompleteDetails = "incomplete_details"
    }

    /// The text of its message.
    var text: String? { output.first?.content.first?.text }
}

/// An event of a streamed response.
struct ResponseEvent: Decodable {
    var type: String
    var number: Int
    var delta: String?
    var response: ResponseReply?

    enum CodingKeys: String, CodingKey {
        case type, delta, response
        case number = "sequence_number"
    }
}

extension StoaServer {
    static let responsesPath = "/v1/responses"

    /// The answer to a request for a response.
    func respond(_ body: ResponseBody, _ headers: HTTPHeaders) throws -> HTTPAnswer {
        try post(Self.responsesPath, body, headers: headers)
    }

    /// The events of a streamed response.
    func streamResponse(_ body: ResponseBody, _ headers: HTTPHeaders) throws -> [ResponseEvent] {
        var body = body
        body.stream = true
        let stream = try CompletionStreamReader(
            JSONEncoder().encode(body),
            of: Self.responsesPath,
            to: port,
            headers
        )
        var events: [ResponseEvent] = []
        while let data = try stream.next() {
            events.append(try JSONDecoder().decode(ResponseEvent.self, from: Data(data.utf8)))
        }
        return events
    }
}
