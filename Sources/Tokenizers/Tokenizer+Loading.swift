// Reads tokenizer.json. Everything in the file is either supported or refused by name.

import Checkpoints
public import JSONText

extension Tokenizer {
    /// The tokenizer of the model in `folder`, from its tokenizer.json, without one from
    /// `tiktokenFileName`, or from a GGUF file, where `Checkpoint.open` takes one.
    ///
    /// - Throws: `TokenizerError` if the file is missing, damaged, or has unsupported components.
    public static func load(folder: String) throws(TokenizerError) -> Tokenizer {
        if let gguf = try GGUFFile.opened(folder) { return try Tokenizer(gguf) }
        let path = "\(folder)/tokenizer.json"
        let json: JSONValue
        do throws(TokenizerError) {
            json = try JSONValue(readingFile: path)
        } catch {
            if case .file(.missingFile) = error, let tiktoken = try loadTiktoken(folder: folder) {
                return tiktoken
            }
            throw error
        }
        return try Tokenizer(json, path: path)
    }

    /// Creates the tokenizer that `json`, the content of a tokenizer.json, describes.
    ///
    /// `post_processor` is ignored: it adds tokens like `<s>` to plain texts, but prompts get
    /// theirs from the chat template.
    /// - Parameters:
    ///   - json: The content.
    ///   - path: The file in error messages.
    /// - Throws: `TokenizerError` if something is missing, invalid or unsupported.
    public init(_ json: JSONValue, path: String) throws(TokenizerError) {
        guard json.object != nil else {
            throw .malformed(path: path, reason: "it is \(json.kindName)")
        }
        normalizer = try Normalizer(json["normalizer"], path: path)
        preTokenizer = try PreTokenizer(json["pre_tokenizer"], path: path)
        decoderRules = try DecoderRules(json["decoder"], path: path)
        let isByteLevel = if case .byteLevel = preTokenizer { true } else { false }
        model = try BytePairModel(json["model"], isByteLevel: isByteLevel, path: path)
        var added: [AddedToken] = []
        for value in json["added_tokens"]?.array ?? [] {
            added.append(
                try AddedToken(value, isTextNormalized: !normalizer.steps.isEmpty, path: path)
            )
        }
        finder = AddedTokenFinder(added)
        whiteSpaceFinder = AddedTokenFinder(whiteSpaceOf: added)
        pieces = TokenPieces(model.vocabulary, added, decoderRules)
        try checkAddedTokens(path: path)
    }

    /// Refuses a file in which merging of plain text could give an added token, since `.asText`
    /// guarantees that it cannot.
    func checkAddedTokens(path: String) throws(TokenizerError) {
        let added = addedTokens
        guard added.count == finder.tokens.count else {
            throw .malformed(path: path, reason: "two added tokens have the same id")
        }
        let products = Set(model.merges.products.filter(added.contains))
        for token in finder.tokens {
            if let id = model.vocabulary.token(token.content.utf8), id != token.id {
                throw .malformed(path: path, reason: "\(token.content) has two ids")
            }
            if products.contains(token.id) || model.canStart(with: token.id) {
                throw .malformed(
                    path: path,
                    reason: "the added token \(token.content) can come out of plain text"
                )
            }
        }
    }
}

extension GGUFFile {
    /// `open`, with the error as a tokenizer's.
    static func opened(_ path: String) throws(TokenizerError) -> GGUFFile? {
        do throws(CheckpointError) { return try open(path) } catch { throw .file(error) }
    }
}

extension JSONValue {
    /// The content of the file at `path`.
    init(readingFile path: String) throws(TokenizerError) {
        let file: MappedFile
        do throws(CheckpointError) {
            file = try MappedFile(path: path)
        } catch {
            throw .file(error)
        }
        do throws(JSONError) {
            try self.init(parsing: file.bytes.bindMemory(to: UInt8.self).span)
        } catch {
            throw .file(.malformedJSON(path: path, error))
        }
    }
}
