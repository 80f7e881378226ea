// Token names.

public import Checkpoints

extension Tokenizer {
    /// The text of `token` in the file, the inverse of `token(_:)`: "<|end|>", or an entry of the
    /// vocabulary such as "▁house", which is not what the token decodes to. Nil for ids without one.
    public func name(of token: TokenID) -> String? {
        finder.tokens.last { $0.id == token }?.content ?? model.vocabulary.text(token)
    }
}
