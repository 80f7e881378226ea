// Loads the chat template of a model folder.

import Checkpoints
import JSONText

extension ChatTemplate {
    /// Loads the template of the model in `folder`: chat_template.jinja, otherwise `chat_template`
    /// of tokenizer_config.json, otherwise the built-in one of the tokenizer's family. That of a GGUF
    /// file is in its metadata.
    ///
    /// - Parameters:
    ///   - folder: The model folder.
    ///   - tokenizer: The tokenizer of the same folder.
    /// - Returns: The template.
    /// - Throws: `TokenizerError` if a file is damaged, the template has an unsupported construct,
    ///   or there is none.
    public static func load(
        folder: String,
        tokenizer: Tokenizer
    ) throws(TokenizerError) -> ChatTemplate {
        if let gguf = try GGUFFile.opened(folder) {
            return try ChatTemplate(gguf, tokenizer: tokenizer)
        }
        let path = "\(folder)/tokenizer_config.json"
        let configuration = try optional { () throws(TokenizerError) in
            try JSONValue(readingFile: path)
        }
        let file = try optional { () throws(TokenizerError) in
            try text(ofFile: "\(folder)/chat_template.jinja")
        }
        let source: String
        var sourcePath = path
        if let file {
            source = file
            sourcePath = "\(folder)/chat_template.jinja"
        } else if let listed = try configuration.flatMap({ (value) throws(TokenizerError) in
            try template(listedIn: value["chat_template"], path: path)
        }) {
            source = listed
        } else if let builtIn = BuiltInTemplate(tokenizer) {
            source = builtIn.rawValue
            sourcePath = "the built-in template"
        } else {
            throw .noTemplate(folder: folder)
        }
        let end = tokenizer.token("<|endoftext|>") == nil ? "" : "<|endoftext|>"
        return try ChatTemplate(
            source,
            tokenizer: tokenizer,
            bosToken: tokenText(configuration?["bos_token"]) ?? "",
            eosToken: tokenText(configuration?["eos_token"]) ?? end,
            path: sourcePath
        )
    }

    /// The value of `chat_template`: a text, or a list of named ones, of which "default" is used.
    private static func template(
        listedIn value: JSONValue?,
        path: String
    ) throws(TokenizerError) -> String? {
        switch value {
        case nil, .null: return nil
        case .string(let source): return source
        case .array(let list):
            let standard = list.first { $0["name"]?.string == "default" }
            if let source = standard?["template"]?.string { return source }
            throw .malformed(path: path, reason: "chat_template has no default")
        case .some(let value):
            throw .malformed(path: path, reason: "chat_template is \(value.kindName)")
        }
    }

    /// The text of `bos_token` or `eos_token`, which is a string or an added token's object.
    private static func tokenText(_ value: JSONValue?) -> String? {
        value?.string ?? value?["content"]?.string
    }

    private static func text(ofFile path: String) throws(TokenizerError) -> String {
        do throws(CheckpointError) {
            let file = try MappedFile(path: path)
            let byteCountMax = TemplateParser.sourceByteCountMax
            guard file.bytes.count <= byteCountMax else {
                throw .unsupported(
                    path: path,
                    what: "a template of",
                    found: "\(file.bytes.count) bytes",
                    supported: "a template of \(byteCountMax) bytes at most"
                )
            }
            return String(decoding: file.contents, as: UTF8.self)
        } catch {
            throw .file(error)
        }
    }

    /// The result of `read`; nil if the file does not exist.
    private static func optional<Value>(
        _ read: () throws(TokenizerError) -> Value
    ) throws(TokenizerError) -> Value? {
        do throws(TokenizerError) {
            return try read()
        } catch {
            if case .file(.missingFile) = error { return nil }
            throw error
        }
    }
}
