// Implements the library's tokenizer protocol with the engine's tokenizer and template.

import Checkpoints
import Foundation
import Inference
import JSONText
import Tokenizers

/// The tokenizer of a loaded model.
struct PhiTokenizer: Tokenizer {
    private let tokenizer: Tokenizers.Tokenizer
    private let template: ChatTemplate
    let bosToken: String?
    let eosToken: String?
    let unknownToken: String?

    /// The tokenizer of `loaded`, which was read from `folder`.
    init(_ loaded: LoadedModel, folder: String) {
        tokenizer = loaded.tokenizer
        template = loaded.template
        let names = TokenNames(folder: folder, tokenizer)
        bosToken = names.begin
        eosToken = names.end
        unknownToken = names.unknown
    }

    func encode(text: String, addSpecialTokens: Bool) -> [Int] {
        tokenizer.encode(text, specialTokens: .parse).map(Int.init)
    }

    func decode(tokens: [Int], skipSpecialTokens: Bool) -> String {
        let ids = tokens.compactMap(TokenID.init(exactly:))
        return tokenizer.decode(ids, keepSpecial: !skipSpecialTokens)
    }

    func convertTokenToId(_ token: String) -> Int? {
        tokenizer.token(token).map(Int.init)
    }

    func convertIdToToken(_ id: Int) -> String? {
        TokenID(exactly: id).flatMap(tokenizer.name(of:))
    }

    func applyChatTemplate(messages: [Message]) throws -> [Int] {
        guard !messages.isEmpty else {
            throw PhiEngineError.invalidInput("there is no message to answer")
        }
        let chat = try messages.enumerated().map { index, message in
            guard let role = message["role"] as? String, let content = message["content"] as? String
            else {
                throw PhiEngineError.invalidInput(
                    "message \(index) is not a role and a content, both texts; models of this "
                        + "family read nothing else"
                )
            }
            return ChatMessage(role: role, content: content)
        }
        return template.encode(chat, addGenerationPrompt: true).tokens.map(Int.init)
    }
}

/// The special tokens named in tokenizer_config.json, or in a GGUF file's metadata.
private struct TokenNames {
    var begin: String?
    var end: String?
    var unknown: String?

    init(folder: String, _ tokenizer: Tokenizers.Tokenizer) {
        if let gguf = (try? GGUFFile.open(folder)) ?? nil {
            let name = { (kind: String) in
                gguf.token("tokenizer.ggml.\(kind)_token_id").flatMap(tokenizer.name(of:))
            }
            begin = name("bos")
            end = name("eos")
            unknown = name("unknown")
            return
        }
        // The model is loaded, so the file exists and is valid, or nothing depends on it.
        guard let data = FileManager.default.contents(atPath: "\(folder)/tokenizer_config.json"),
            let file = try? JSONValue(parsing: Array(data))
        else { return }
        begin = Self.text(file["bos_token"])
        end = Self.text(file["eos_token"])
        unknown = Self.text(file["unk_token"])
    }

    /// A token is its text, or an object with its text as "content".
    private static func text(_ value: JSONValue?) -> String? {
        value?.string ?? value?["content"]?.string
    }
}
