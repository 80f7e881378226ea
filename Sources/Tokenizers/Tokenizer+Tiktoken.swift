// Reads the tokenizer of Phi-3-small's folders, which have no tokenizer.json but tiktoken's vocabulary.
// Pattern and special tokens are only in the authors' program, tokenization_phi3_small.py of
// https://huggingface.co/microsoft/Phi-3-small-8k-instruct; so they are here, too.

import Checkpoints
import JSONText

extension Tokenizer {
    /// The name of the vocabulary's file.
    public static let tiktokenFileName = "cl100k_base.tiktoken"

    /// The tokenizer in `folder`; nil if it has no such file.
    /// - Throws: `TokenizerError` if the file is damaged, or of another tokenizer.
    static func loadTiktoken(folder: String) throws(TokenizerError) -> Tokenizer? {
        let path = "\(folder)/\(tiktokenFileName)"
        let file: MappedFile
        do throws(CheckpointError) {
            file = try MappedFile(path: path)
        } catch .missingFile {
            return nil
        } catch {
            throw .file(error)
        }
        defer { extendLifetime(file) }
        try checkTokenizerClass(folder: folder)
        return try Tokenizer(tiktoken: file.bytes.bindMemory(to: UInt8.self).span, path: path)
    }

    /// Creates the tokenizer of the vocabulary `content`, that of the file `path`.
    /// - Throws: `TokenizerError` if it is damaged.
    package init(tiktoken content: Span<UInt8>, path: String) throws(TokenizerError) {
        let file = try TiktokenFile(
            parsing: content,
            rankLimit: Phi3Small.rankLimit,
            path: path
        )
        let vocabulary = try Vocabulary(file, path: path)
        normalizer = Normalizer()
        preTokenizer = .byteLevel(.cl100k)
        decoderRules = .byteLevel
        model = try BytePairModel(
            vocabulary,
            MergeTable(vocabulary, scores: (0..<vocabulary.idLimit).map { -Float($0) }),
            isByteLevel: true,
            path: path
        )
        finder = Phi3Small.finder
        whiteSpaceFinder = nil
        pieces = TokenPieces(vocabulary, finder.tokens, decoderRules)
        try checkMerges(file, path: path)
    }

    /// Refuses a vocabulary with a token that its own bytes are not merged to: tiktoken would take it
    /// for a whole word, merging would not.
    private func checkMerges(_ file: TiktokenFile, path: String) throws(TokenizerError) {
        var merger = PairMerger(model.merges)
        var merged: [TokenID] = []
        for token in file.tokens {
            model.appendSymbols(of: token.bytes.span, to: &merger.symbols)
            merger.mergeSymbols(into: &merged)
            guard merged == [token.rank] else {
                throw .malformed(path: path, reason: "merging does not make token \(token.rank)")
            }
            merged.removeAll(keepingCapacity: true)
        }
    }

    /// Refuses the folder of another model, whose special tokens are not known.
    private static func checkTokenizerClass(folder: String) throws(TokenizerError) {
        let path = "\(folder)/tokenizer_config.json"
        let configuration: JSONValue
        do throws(TokenizerError) {
            configuration = try JSONValue(readingFile: path)
        } catch .file(.missingFile) {
            return
        }
        if let name = configuration["tokenizer_class"]?.string, name != Phi3Small.className {
            throw .unsupported(path: path, part: "tiktoken's file for", found: name)
        }
    }
}

extension Vocabulary {
    /// The tokens of `file`, with their bytes in the byte alphabet.
    fileprivate init(_ file: TiktokenFile, path: String) throws(TokenizerError) {
        let alphabet = ByteAlphabet.scalars.map { Array(String($0).utf8) }
        var texts: [UInt8] = []
        var tokens: [(id: TokenID, text: Range<Int>)] = []
        for token in file.tokens {
            let start = texts.count
            for byte in token.bytes { texts += alphabet[Int(byte)] }
            tokens.append((token.rank, start..<texts.count))
        }
        self = try texts.span.bytes.withUnsafeBytes { (bytes) throws(TokenizerError) in
            try Vocabulary(tokens, in: bytes, path: path)
        }
    }
}

/// What the authors' program adds to cl100k.
enum Phi3Small {
    /// The tokenizer's name in tokenizer_config.json.
    static let className = "Phi3SmallTokenizer"
    /// The first id that is not a rank of the vocabulary.
    static let rankLimit = 100_256

    /// Finds the special tokens.
    static let finder = AddedTokenFinder(specialTokens)

    /// The special tokens, of which the unused ones have names with a number.
    private static let specialTokens: [AddedToken] = {
        let names: [TokenID: String] = [
            100_257: "endoftext", 100_258: "fim_prefix", 100_259: "fim_middle",
            100_260: "fim_suffix", 100_261: "system", 100_262: "user", 100_263: "assistant",
            100_266: "end", 100_276: "endofprompt",
            // These are not in their order.
            100_264: "dummy_id_0", 100_265: "dummy_id_1", 100_256: "dummy_id_2",
        ]
        var unusedCount = 3
        return (TokenID(rankLimit)..<100_352).map { id in
            let name = names[id] ?? "dummy_id_\(unusedCount)"
            if names[id] == nil { unusedCount += 1 }
            return AddedToken(
                id: id,
                content: "<|\(name)|>",
                stripsLeft: false,
                stripsRight: false,
                isSpecial: true
            )
        }
    }()
}
