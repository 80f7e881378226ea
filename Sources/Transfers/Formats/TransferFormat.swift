/// The formats of an export.
public enum TransferFormat: String, Sendable, CaseIterable {
    /// Stoa's own: lossless, and can be imported.
    case stoa
    /// Markdown with YAML front matter.
    case markdown
    /// One page without external resources.
    case html
    /// Plain text.
    case text
    /// A line for each conversation, as OpenAI's fine-tuning takes it.
    case openai
    /// An array of conversations, as ShareGPT's data sets have it.
    case sharegpt

    /// The media type (RFC 6838).
    public var mediaType: String {
        switch self {
        case .stoa: "application/x-ndjson"
        case .markdown: "text/markdown; charset=utf-8"
        case .html: "text/html; charset=utf-8"
        case .text: "text/plain; charset=utf-8"
        case .openai: "application/jsonl"
        case .sharegpt: "application/json"
        }
    }

    /// The file name extension.
    public var fileExtension: String {
        switch self {
        case .stoa: "ndjson"
        case .markdown: "md"
        case .html: "html"
        case .text: "txt"
        case .openai: "jsonl"
        case .sharegpt: "json"
        }
    }
}
