// The stop tokens of a model. No single file has all of them: Phi-4-mini's config.json and
// tokenizer list only <|endoftext|>, a chat turn ends with <|end|>, and only generation_config.json
// lists that; MLX's copy of Phi-3-mini has no generation_config.json.

import JSONText

/// Finds the stop tokens of a model folder.
enum StopTokens {
    /// Tokens that end a turn in the chat formats of this family, whatever the files list.
    static let turnEnds: Set<String> = ["<|end|>", "<|endoftext|>", "<|im_end|>"]

    /// "<|end|>" of Phi-3-small, whose ids are in the authors' program only.
    private static let phi3SmallTurnEnd = TokenID(100_266)

    /// The union of all stop tokens in the files: `eos_token_id` of generation_config.json and
    /// config.json, the tokenizer's `eos_token`, and its special tokens that end a turn.
    static func union(
        config: ConfigurationFile,
        generation: ConfigurationFile?,
        tokenizer: ConfigurationFile?
    ) throws(CheckpointError) -> Set<TokenID> {
        var tokens = try endTokens(config)
        if let generation { try tokens.formUnion(endTokens(generation)) }
        if let tokenizer { try tokens.formUnion(turnEndTokens(tokenizer)) }
        if try tokenizer?.string("tokenizer_class") == "Phi3SmallTokenizer" {
            tokens.insert(phi3SmallTurnEnd)
        }
        return tokens
    }

    /// `eos_token_id`: one id, a list of ids, or null.
    private static func endTokens(
        _ file: ConfigurationFile
    ) throws(CheckpointError) -> Set<TokenID> {
        guard let value = file.value("eos_token_id") else { return [] }
        var tokens: Set<TokenID> = []
        for element in value.array ?? [value] {
            guard let token = element.integer.flatMap(TokenID.init(exactly:)), token >= 0 else {
                throw file.invalid("eos_token_id", "is neither a token's number nor a list of them")
            }
            tokens.insert(token)
        }
        return tokens
    }

    /// Ids of `added_tokens_decoder`, {"32007": {"content": "<|end|>"}}, that end a turn.
    private static func turnEndTokens(
        _ tokenizer: ConfigurationFile
    ) throws(CheckpointError) -> Set<TokenID> {
        guard let added = try tokenizer.object("added_tokens_decoder") else { return [] }
        // The token itself, or an object with its text as "content".
        let end = tokenizer.value("eos_token")
        let endText = end?.string ?? end?["content"]?.string
        var tokens: Set<TokenID> = []
        for (id, description) in added.root {
            guard let text = description["content"]?.string, let token = TokenID(id), token >= 0
            else {
                throw tokenizer.invalid("added_tokens_decoder", "has a malformed entry \"\(id)\"")
            }
            if text == endText || turnEnds.contains(text) { tokens.insert(token) }
        }
        return tokens
    }
}
