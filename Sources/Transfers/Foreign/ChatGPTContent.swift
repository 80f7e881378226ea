// The content of ChatGPT's messages: text, or one of a dozen special kinds.

import JSONText

/// The text of a message, and which parts are not text.
struct ChatGPTContent {
    private(set) var text = ""
    /// Why parts of it are left out.
    private(set) var skipped: [ImportReason] = []
    /// Whether none of it is meant to be read as an answer: a model's thoughts, a tool call.
    private(set) var isEmptyByNature = false

    /// Tools whose calls are shown: Python code, with its output.
    private static let shownTools: Set<String> = ["all", "python", "code_interpreter"]

    init(_ content: JSONValue?, role: String?, recipient: String?) {
        guard let content else { return }
        let type = content["content_type"]?.string ?? "text"
        let isTold = Self.shownTools.contains(recipient ?? "all")
        if role == "assistant", !isTold {
            leaveOut(.toolCall)
            return
        }
        switch type {
        case "text" where role == "tool": leaveOut(hasText(content) ? .toolResult : nil)
        case "text", "multimodal_text": addParts(content["parts"]?.array ?? [])
        case "code":
            let code = content["text"]?.string ?? ""
            guard !code.isEmpty else { return }
            let language = content["language"]?.string ?? ""
            text = ForeignValue.fenced(code, language: language == "unknown" ? "" : language)
        case "execution_output":
            let output = content["text"]?.string ?? ""
            guard !output.isEmpty else { return }
            text = ForeignValue.fenced(output, language: "")
        case "thoughts", "reasoning_recap": leaveOut(.thoughts)
        case "tether_browsing_display", "tether_quote": leaveOut(.toolResult)
        case "system_error":
            text = content["text"]?.string ?? ""
        default:
            text = content["text"]?.string ?? ""
            if text.isEmpty { addParts(content["parts"]?.array ?? []) }
            skipped.append(.unknownContent)
        }
    }

    private mutating func leaveOut(_ reason: ImportReason?) {
        isEmptyByNature = true
        if let reason { skipped.append(reason) }
    }

    private func hasText(_ content: JSONValue) -> Bool {
        content["parts"]?.array?.contains { ForeignValue.text($0) != nil } ?? false
    }

    private mutating func addParts(_ parts: [JSONValue]) {
        let texts = parts.map { part in
            if let text = part.string { return text }
            switch part["content_type"]?.string {
            case "audio_transcription": return part["text"]?.string ?? ""
            case "image_asset_pointer": return placeholder(.image, "[image]")
            case "audio_asset_pointer", "real_time_user_audio_video_asset_pointer":
                return placeholder(.recording, "[recording]")
            default: return placeholder(.notText, "")
            }
        }
        text = texts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private mutating func placeholder(_ what: ImportReason, _ text: String) -> String {
        skipped.append(what)
        return text
    }
}
