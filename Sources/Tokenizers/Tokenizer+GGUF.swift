// Reads the tokenizer of a GGUF file. Its metadata name the tokens and their kinds; the rest follows
// from the two kinds of vocabularies of this family: "llama", SentencePiece's, of Phi-3, and "gpt2",
// of bytes, of Phi-4. As tokenizer.json describes them, and as llama.cpp does.

import Checkpoints

extension Tokenizer {
    /// Creates the tokenizer of `gguf`.
    /// - Throws: `TokenizerError` if something is missing, invalid or unsupported.
    init(_ gguf: GGUFFile) throws(TokenizerError) {
        let path = gguf.file.path
        let file = try read { () throws(CheckpointError) in
            try GGUFVocabulary(gguf.metadata)
        }
        guard file.tokens.count <= Vocabulary.tokenMax else {
            throw .malformed(path: path, reason: "it has \(file.tokens.count) tokens")
        }
        defer { extendLifetime(gguf.file) }
        let bytes = gguf.file.bytes
        let added = try file.addedTokens(path: path)
        let vocabulary = try Vocabulary(file.plainTokens, in: bytes, path: path)
        switch file.model {
        case "llama":
            let prepends = try read { () throws(CheckpointError) in
                try gguf.metadata.bool("tokenizer.ggml.add_space_prefix", default: true)
            }
            normalizer = Normalizer(wordStarts: prepends)
            preTokenizer = .none
            decoderRules = .byteFallback(
                replacements: [(MergeTable.wordStart, [UInt8(ascii: " ")])],
                leadingSpacesDropped: prepends ? 1 : 0
            )
            model = try BytePairModel(
                vocabulary,
                try MergeTable(vocabulary, scores: file.scores(path: path)),
                isByteLevel: false,
                path: path
            )
        case "gpt2":
            normalizer = Normalizer()
            preTokenizer = .byteLevel(try file.pattern(path: path))
            decoderRules = .byteLevel
            model = try BytePairModel(
                vocabulary,
                try MergeTable(file.merges(path: path), in: bytes, vocabulary, path: path),
                isByteLevel: true,
                path: path
            )
        default:
            throw .unsupported(path: path, part: "tokenizer.ggml.model", found: file.model)
        }
        finder = AddedTokenFinder(added)
        whiteSpaceFinder = AddedTokenFinder(whiteSpaceOf: added)
        pieces = TokenPieces(model.vocabulary, added, decoderRules)
        try checkAddedTokens(path: path)
    }
}

/// The part of a GGUF file's metadata that describes its tokens.
private struct GGUFVocabulary {
    /// The values of `tokenizer.ggml.token_type`.
    private enum Kind: UInt32 {
        case normal = 1
        case unknown, control, userDefined, unused, byte
    }

    private let metadata: GGUFMetadata
    /// "llama" or "gpt2".
    let model: String
    /// The range of each token's text in the file.
    let tokens: [Range<Int>]
    private let kinds: [UInt32]

    init(_ metadata: GGUFMetadata) throws(CheckpointError) {
        self.metadata = metadata
        let missing = { (key: String) -> CheckpointError in
            .missingSetting(path: metadata.path, key: key)
        }
        guard let model = try metadata.string("tokenizer.ggml.model") else {
            throw missing("tokenizer.ggml.model")
        }
        guard let tokens = try metadata.strings("tokenizer.ggml.tokens") else {
            throw missing("tokenizer.ggml.tokens")
        }
        guard let kinds = try metadata.words("tokenizer.ggml.token_type", .integers) else {
            throw missing("tokenizer.ggml.token_type")
        }
        guard kinds.count == tokens.count else {
            throw metadata.invalid("tokenizer.ggml.token_type", "is not of as many tokens")
        }
        self.model = model
        self.tokens = tokens
        self.kinds = kinds
    }

    /// The tokens that plain text can become, with their ids.
    var plainTokens: [(id: TokenID, text: Range<Int>)] {
        tokens.indices.lazy.filter {
            kinds[$0] == Kind.normal.rawValue || kinds[$0] == Kind.byte.rawValue
        }.map { (TokenID($0), tokens[$0]) }
    }

    /// The tokens that only the template writes.
    func addedTokens(path: String) throws(TokenizerError) -> [AddedToken] {
        var added: [AddedToken] = []
        let isPhi4 = tokens.contains { metadata.file.bytes[$0].elementsEqual("<|im_sep|>".utf8) }
        for (id, text) in tokens.enumerated() {
            guard let kind = Kind(rawValue: kinds[id]) else {
                throw .malformed(path: path, reason: "token \(id) is of the kind \(kinds[id])")
            }
            guard [.unknown, .control, .userDefined].contains(kind), !text.isEmpty else { continue }
            let content = String(decoding: metadata.file.bytes[text], as: UTF8.self)
            // Older files call rows without a token unknown ones.
            guard kind != .unknown || content != "[PAD\(id)]" else { continue }
            let strips = strips(content, isPhi4: isPhi4)
            added.append(
                AddedToken(
                    id: TokenID(id),
                    content: content,
                    stripsLeft: strips.left,
                    stripsRight: strips.right,
                    isSpecial: kind != .userDefined
                )
            )
        }
        return added
    }

    /// The sides on which a token takes white space, which no key says: those of phi-4 do on both, those
    /// of the others on the right, but for a few. (llama.cpp does it only for models with “Phi-3” in their
    /// name.)
    private func strips(_ content: String, isPhi4: Bool) -> (left: Bool, right: Bool) {
        let keepers = ["<unk>", "<s>", "<|endoftext|>", "<|endofprompt|>"]
        return (isPhi4, isPhi4 || !keepers.contains(content))
    }

    /// The score of each token; higher ones are merged first.
    func scores(path: String) throws(TokenizerError) -> [Float] {
        let words = try read { () throws(CheckpointError) in
            try metadata.words("tokenizer.ggml.scores", .floats)
        }
        guard let words, words.count == tokens.count else {
            throw .malformed(path: path, reason: "tokenizer.ggml.scores is not of as many tokens")
        }
        return words.map { Float(bitPattern: $0) }
    }

    /// The ranges of the merges "a b".
    func merges(path: String) throws(TokenizerError) -> [Range<Int>] {
        let merges = try read { () throws(CheckpointError) in
            try metadata.strings("tokenizer.ggml.merges")
        }
        guard let merges else {
            throw .malformed(path: path, reason: "it has no tokenizer.ggml.merges")
        }
        return merges
    }

    /// The pattern that `tokenizer.ggml.pre` names.
    func pattern(path: String) throws(TokenizerError) -> WordPattern {
        let name = try read { () throws(CheckpointError) in
            try metadata.string("tokenizer.ggml.pre")
        }
        switch name {
        case "gpt-4o", "llama4": return .o200k
        case "dbrx", "smaug-bpe", "llama3", "llama-v3", "llama-bpe": return .cl100k
        case "gpt-2", "phi-2": return .gpt2
        default:
            throw .unsupported(path: path, part: "tokenizer.ggml.pre", found: name ?? "without it")
        }
    }
}

/// The result of `part`, whose error becomes a tokenizer's.
private func read<Value>(
    _ part: () throws(CheckpointError) -> Value
) throws(TokenizerError) -> Value {
    do throws(CheckpointError) { return try part() } catch { throw .file(error) }
}
