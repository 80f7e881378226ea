// The one name that tokenizer, model and sampler share.

/// The number of a token: a row of the embedding, in 0 ..< vocabulary count.
public typealias TokenID = Int32
