// The `model` of a tokenizer file: byte-pair encoding over bytes (Phi-4), or over characters with
// byte fallback (Phi-3).

import Checkpoints
import JSONText

/// Vocabulary, merges and initial symbols.
struct BytePairModel: Sendable {
    let vocabulary: Vocabulary
    let merges: MergeTable
    /// The token of each byte: that of its character in the byte alphabet, or that of "<0x0A>".
    private var byteTokens: [TokenID] = []
    /// Whether the initial symbols are bytes, not characters.
    private let isByteLevel: Bool

    /// Reads `model`; `isByteLevel` comes from the pre-tokenizer.
    init(_ value: JSONValue?, isByteLevel: Bool, path: String) throws(TokenizerError) {
        guard let value, value["type"]?.string ?? "BPE" == "BPE" else {
            let type = value?["type"]?.string ?? "without a type"
            throw .unsupported(path: path, part: "the model", found: type)
        }
        try Self.refuseOptions(value, path: path)
        guard let members = value["vocab"]?.object, let list = value["merges"]?.array else {
            throw .malformed(path: path, reason: "the model has no vocab or no merges")
        }
        if !isByteLevel, value["byte_fallback"]?.bool != true {
            throw .unsupported(path: path, part: "a model of characters", found: "without bytes")
        }
        let vocabulary = try Vocabulary(members, path: path)
        try self.init(
            vocabulary,
            try MergeTable(list, vocabulary, path: path),
            isByteLevel: isByteLevel,
            path: path
        )
    }

    /// Creates a model; the vocabulary must have a token for each byte.
    init(
        _ vocabulary: Vocabulary,
        _ merges: MergeTable,
        isByteLevel: Bool,
        path: String
    ) throws(TokenizerError) {
        self.vocabulary = vocabulary
        self.merges = merges
        self.isByteLevel = isByteLevel
        for byte in UInt8.min ... .max {
            let text = isByteLevel ? String(ByteAlphabet.scalars[Int(byte)]) : Self.hexText(byte)
            guard let token = vocabulary.token(text.utf8) else {
                throw .malformed(path: path, reason: "the vocabulary has no \"\(text)\"")
            }
            byteTokens.append(token)
        }
    }

    /// Appends the initial symbols of `word`.
    ///
    /// All bytes have a token, so `unk_token` and `fuse_unk` are never needed.
    func appendSymbols(of word: Span<UInt8>, to symbols: inout [TokenID]) {
        guard !isByteLevel else {
            for index in 0..<word.count { symbols.append(byteTokens[Int(word[index])]) }
            return
        }
        var start = 0
        while start < word.count {
            var end = start + 1
            while end < word.count, word[end] & 0xC0 == 0x80 { end += 1 }
            if let token = vocabulary.token(word.extracting(start..<end)) {
                symbols.append(token)
            } else {
                for index in start..<end { symbols.append(byteTokens[Int(word[index])]) }
            }
            start = end
        }
    }

    /// Whether `token` can be an initial symbol.
    func canStart(with token: TokenID) -> Bool {
        if byteTokens.contains(token) { return true }
        return !isByteLevel && vocabulary.text(token)?.unicodeScalars.count == 1
    }

    /// "<0x0A>" for 10.
    static func hexText(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return "<0x\(digits.count < 2 ? "0" : "")\(digits)>"
    }

    private static func refuseOptions(
        _ value: JSONValue,
        path: String
    ) throws(TokenizerError) {
        for option in ["continuing_subword_prefix", "end_of_word_suffix"]
        where value[option]?.string?.isEmpty == false {
            throw .unsupported(path: path, part: "the model's", found: option)
        }
        if value["ignore_merges"]?.bool == true {
            throw .unsupported(path: path, part: "the model's", found: "ignore_merges")
        }
        if let dropout = value["dropout"]?.double, dropout != 0 {
            throw .unsupported(path: path, part: "the model's", found: "dropout")
        }
    }
}
