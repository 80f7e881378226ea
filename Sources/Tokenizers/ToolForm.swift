// How a model is told of tools and calls them: by special tokens of its tokenizer, around JSON.
// Phi-4-mini: https://huggingface.co/microsoft/Phi-4-mini-instruct, "Tool-enabled function-calling format".

public import Checkpoints

/// The form of tools in the prompts and answers of a model.
public struct ToolForm: Sendable, Hashable {
    /// The text of the token before the calls of an answer.
    public let opening: String
    /// The text of the token after them.
    public let closing: String
    /// The role of a message that has the result of a call.
    public let resultRole: String

    /// The form of Phi-4-mini. Its documentation does not say how results are written; its tokenizer has
    /// a token for them.
    public static let phi4Mini = ToolForm(
        opening: "<|tool_call|>",
        closing: "<|/tool_call|>",
        resultRole: "tool_response"
    )
}

extension ChatTemplate {
    /// How the model is told of tools, and calls them; nil if its template writes no tools, or its
    /// tokenizer lacks a token for calls.
    public var toolForm: ToolForm? {
        let form = ToolForm.phi4Mini
        let names = [form.opening, form.closing, "<|\(form.resultRole)|>"]
        let added = tokenizer.addedTokens
        let hasTokens = names.allSatisfy { tokenizer.token($0).map(added.contains) == true }
        let writesTools = nodes.contains { node in
            node.contains { if case .field(.tools) = $0 { true } else { false } }
        }
        return hasTokens && writesTools ? form : nil
    }
}

extension ChatTemplate {
    /// Encodes the beginning of an answer that may have calls: the first mark of calls in it is the model's
    /// token, if it has one, and everything else is text.
    public func encodeCalls(_ text: String) -> [TokenID] {
        let bytes = Array(text.utf8)
        guard let form = toolForm, let token = tokenizer.token(form.opening),
            let place = bytes.firstRange(of: Array(form.opening.utf8))
        else { return tokenizer.encode(text, specialTokens: .asText) }
        let parts = [bytes[..<place.lowerBound], bytes[place.upperBound...]].map { part in
            tokenizer.encode(String(decoding: part, as: UTF8.self), specialTokens: .asText)
        }
        return parts[0] + [token] + parts[1]
    }
}
