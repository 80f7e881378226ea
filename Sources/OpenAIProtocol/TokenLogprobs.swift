// `logprobs` of a chat completion's choice.
// https://platform.openai.com/docs/api-reference/chat/object

import ChatCore

/// The object `logprobs`.
struct ChatLogprobs: Encodable {
    let tokens: [AnswerToken]

    private enum Key: String, CodingKey {
        case content, refusal, token, logprob, bytes
        case top = "top_logprobs"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        var content = container.nestedUnkeyedContainer(forKey: .content)
        for token in tokens {
            var entry = content.nestedContainer(keyedBy: Key.self)
            try Self.encode(token.token, to: &entry)
            var top = entry.nestedUnkeyedContainer(forKey: .top)
            for rated in token.top {
                var entry = top.nestedContainer(keyedBy: Key.self)
                try Self.encode(rated, to: &entry)
            }
        }
        try container.encodeNil(forKey: .refusal)
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
