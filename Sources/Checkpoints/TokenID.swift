// The token type shared by tokenizer, model and sampler.

/// The id of a token: a row of the embedding, in 0 ..< vocabulary count.
public typealias TokenID = Int32
