// The chat template of a GGUF file.

import Checkpoints

extension ChatTemplate {
    /// The template in the metadata of `gguf`, otherwise the built-in one of the tokenizer's family.
    /// - Throws: `TokenizerError` if a value is damaged, the template has an unsupported construct, or
    ///   there is none.
    init(_ gguf: GGUFFile, tokenizer: Tokenizer) throws(TokenizerError) {
        let listed: String?
        let begin: String?
        let end: String?
        do throws(CheckpointError) {
            listed = try Self.source(gguf)
            begin = try Self.text(of: "tokenizer.ggml.bos_token_id", gguf, tokenizer)
            end = try Self.text(of: "tokenizer.ggml.eos_token_id", gguf, tokenizer)
        } catch {
            throw .file(error)
        }
        guard let source = listed ?? BuiltInTemplate(tokenizer)?.rawValue else {
            throw .noTemplate(folder: gguf.file.path)
        }
        try self.init(
            source,
            tokenizer: tokenizer,
            bosToken: begin ?? "",
            eosToken: end ?? "",
            path: listed == nil ? "the built-in template" : gguf.file.path
        )
    }

    private static func source(_ gguf: GGUFFile) throws(CheckpointError) -> String? {
        guard let source = try gguf.metadata.string("tokenizer.chat_template") else { return nil }
        let byteCountMax = TemplateParser.sourceByteCountMax
        guard source.utf8.count <= byteCountMax else {
            throw .unsupported(
                path: gguf.file.path,
                what: "a template of",
                found: "\(source.utf8.count) bytes",
                supported: "a template of \(byteCountMax) bytes at most"
            )
        }
        return source
    }

    /// The text of the token whose id is the value of `key`.
    private static func text(
        of key: String,
        _ gguf: GGUFFile,
        _ tokenizer: Tokenizer
    ) throws(CheckpointError) -> String? {
        let id = try gguf.metadata.integer(key, in: -1...Int(UInt32.max), default: -1)
        return TokenID(exactly: id).flatMap(tokenizer.name(of:))
    }
}
