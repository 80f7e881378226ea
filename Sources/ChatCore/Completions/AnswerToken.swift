// The tokens of an answer with their probabilities, as they are stored for requests that want them.

/// A token of an answer.
public struct AnswerToken: Sendable, Hashable {
    /// A token and the natural logarithm of its probability.
    public struct Rated: Sendable, Hashable {
        /// The token's bytes; those of one token may be a part of a character.
        public var bytes: [UInt8]
        /// The logarithm.
        public var logprob: Float

        /// Creates a rated token.
        public init(bytes: [UInt8], logprob: Float) {
            self.bytes = bytes
            self.logprob = logprob
        }
    }

    /// Where the text begins that the token came with, in UTF-8 bytes of the answer. Several tokens
    /// come together if they make one character, or if a stop string might begin with them.
    public var at: Int
    /// The token.
    public var token: Rated
    /// The likeliest tokens at its place, likeliest first.
    public var top: [Rated]

    /// Creates a token.
    public init(at: Int, token: Rated, top: [Rated]) {
        self.at = at
        self.token = token
        self.top = top
    }
}

// Many are stored, so the form is short: `[at, [logprob, [byte, …]], [[logprob, [byte, …]], …]]`.

extension AnswerToken.Rated: Codable {
    /// Reads the stored form.
    /// - Throws: `DecodingError` if it is malformed.
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        logprob = try container.decode(Float.self)
        bytes = try container.decode([UInt8].self)
    }

    /// Writes the stored form.
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(logprob)
        try container.encode(bytes)
    }
}

extension AnswerToken: Codable {
    /// Reads the stored form.
    /// - Throws: `DecodingError` if it is malformed.
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        at = try container.decode(Int.self)
        token = try container.decode(Rated.self)
        top = try container.decode([Rated].self)
    }

    /// Writes the stored form.
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(at)
        try container.encode(token)
        try container.encode(top)
    }
}
