// `logprobs` of a chat completion's choice and of a response's text.
// https://platform.openai.com/docs/api-reference/chat/object

import ChatCore

/// The object `logprobs` of a choice.
struct ChatLogprobs: Encodable {
    let tokens: [AnswerToken]

    private enum Key: String, CodingKey { case content, refusal }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(tokens.map { TokenEntry(token: $0) }, forKey: .content)
        try container.encodeNil(forKey: .refusal)
    }
}

/// A token with its probability and those of the likeliest ones at its place.
struct TokenEntry: Encodable {
    let token: AnswerToken

    private enum Key: String, CodingKey {
        case token, logprob, bytes
        case top = "top_logprobs"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try Self.encode(token.token, to: &container)
        var top = container.nestedUnkeyedContainer(forKey: .top)
        for rated in token.top {
            var entry = top.nestedContainer(keyedBy: Key.self)
            try Self.encode(rated, to: &entry)
        }
    }

    private static func encode(
        _ rated: AnswerToken.Rated,
        to entry: inout KeyedEncodingContainer<Key>
    ) throws {
        try entry.encode(rated.text, forKey: .token)
        try entry.encode(rated.logprob, forKey: .logprob)
        try entry.encode(rated.bytes, forKey: .bytes)
    }
}

extension AnswerToken.Rated {
    /// The token's text, in which a part of a character is U+FFFD.
    var text: String { String(decoding: bytes, as: UTF8.self) }
}
