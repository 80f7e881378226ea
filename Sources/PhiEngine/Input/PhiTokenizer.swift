// Implements the library's tokenizer protocol with the engine's tokenizer and template.

import Checkpoints
public import Foundation
import Inference
import JSONText
import Tokenizers

/// Reads the tokenizer and template of a model of this family, as every load does if a program has no
/// tokenizers of its own.
public struct PhiTokenizerLoader: TokenizerLoader {
    /// A loader.
    public init() {}

    /// The tokenizer in the folder or GGUF file `directory`.
    /// - Throws: `PhiEngineError.modelUnusable`.
    public func load(from directory: URL) async throws -> any Tokenizer {
        let folder = directory.path
        do throws(TokenizerError) {
            let tokenizer = try Tokenizers.Tokenizer.load(folder: folder)
            let template = try ChatTemplate.load(folder: folder, tokenizer: tokenizer)
            return PhiTokenizer(tokenizer, template, folder: folder)
        } catch {
            throw PhiEngineError.modelUnusable(name: folder, reason: error.description)
        }
    }
}

/// The tokenizer of a loaded model.
struct PhiTokenizer: Tokenizer {
    private let tokenizer: Tokenizers.Tokenizer
    private let template: ChatTemplate
    let bosToken: String?
    let eosToken: String?
    let unknownToken: String?

    /// The tokenizer of `loaded`, which was read from `folder`.
    init(_ loaded: LoadedModel, folder: String) {
        self.init(loaded.tokenizer, loaded.template, folder: folder)
    }

    init(_ tokenizer: Tokenizers.Tokenizer, _ template: ChatTemplate, folder: String) {
        self.tokenizer = tokenizer
        self.template = template
        let names = TokenNames(folder: folder, tokenizer)
        bosToken = names.begin
        eosToken = names.end
        unknownToken = names.unknown
    }

    func encode(text: String, addSpecialTokens: Bool) -> [Int] {
        tokenizer.encode(text, specialTokens: .parse).map(Int.init)
    }

    func decode(tokenIds: [Int], skipSpecialTokens: Bool) -> String {
        let ids = tokenIds.compactMap(TokenID.init(exactly:))
        return tokenizer.decode(ids, keepSpecial: !skipSpecialTokens)
    }

    func convertTokenToId(_ token: String) -> Int? {
        tokenizer.token(token).map(Int.init)
    }

    func convertIdToToken(_ id: Int) -> String? {
        TokenID(exactly: id).flatMap(tokenizer.name(of:))
    }

    func applyChatTemplate(
        messages: [Message],
        tools: [ToolSpec]?,
        additionalContext: [String: any Sendable]?
    ) throws -> [Int] {
        guard !messages.isEmpty else {
            throw PhiEngineError.invalidInput("there is no message to answer")
        }
        var chat = try messages.enumerated().map { index, message in
            try ChatMessage(message, at: index, template.toolForm)
        }
        if let tools, !tools.isEmpty { try describe(tools, in: &chat) }
        return template.encode(chat, addGenerationPrompt: true).tokens.map(Int.init)
    }

    /// Adds the tools to the system prompt, which is empty if there was none.
    private func describe(_ tools: [ToolSpec], in chat: inout [ChatMessage]) throws {
        guard template.toolForm != nil else { throw PhiEngineError.toolsUnsupported }
        if chat[0].role != "system" { chat.insert(ChatMessage(role: "system", content: ""), at: 0) }
        chat[0].tools = try ToolDefinitions(tools).text
    }
}

extension PhiEngineError {
    fileprivate static let toolsUnsupported = invalidInput(
        "the model's template writes no tools; of this family Phi-4-mini's does: load that model, or "
            + "leave tools out"
    )
}

extension ChatMessage {
    /// - Throws: `.invalidInput` if it is not what the template writes.
    fileprivate init(_ message: Message, at index: Int, _ form: ToolForm?) throws {
        guard let role = message["role"] as? String, let content = message["content"] as? String
        else {
            throw PhiEngineError.invalidInput(
                "message \(index) is not a role and a content, both texts; models of this "
                    + "family read nothing else"
            )
        }
        self.init(role: role, content: content)
        let calls = try Self.calls(message["tool_calls"], at: index)
        guard role == "tool" || !calls.isEmpty else { return }
        guard let form else { throw PhiEngineError.toolsUnsupported }
        if role == "tool" { self.role = form.resultRole }
        if !calls.isEmpty { self.calls = "[\(calls.map(\.text).joined(separator: ", "))]" }
    }

    /// The calls of an answer, as values or in OpenAI's form.
    private static func calls(_ value: (any Sendable)?, at index: Int) throws -> [ToolCall.Function]
    {
        guard let value else { return [] }
        if let calls = value as? [ToolCall] { return calls.map(\.function) }
        let functions = (value as? [[String: any Sendable]])?.map { call -> ToolCall.Function? in
            guard let function = call["function"] as? [String: any Sendable],
                let name = function["name"] as? String
            else { return nil }
            switch function["arguments"] {
            case let text as String: return ToolCall.Function(name: name, writtenArguments: text)
            case let arguments as [String: any Sendable]:
                return ToolCall.Function(name: name, arguments: arguments)
            default: return nil
            }
        }
        guard let functions, !functions.contains(where: { $0 == nil }) else {
            throw PhiEngineError.invalidInput(
                "tool_calls of message \(index) is not a list of ToolCall, or of dictionaries with a "
                    + "function, its name and arguments"
            )
        }
        return functions.compactMap { $0 }
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
            let file = try? JSONText.JSONValue(parsing: Array(data))
        else { return }
        begin = Self.text(file["bos_token"])
        end = Self.text(file["eos_token"])
        unknown = Self.text(file["unk_token"])
    }

    /// A token is its text, or an object with its text as "content".
    private static func text(_ value: JSONText.JSONValue?) -> String? {
        value?.string ?? value?["content"]?.string
    }
}
