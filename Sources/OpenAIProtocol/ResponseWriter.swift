// Replies to `POST /v1/responses`: the response, or its events.
// https://platform.openai.com/docs/api-reference/responses-streaming

import ChatProtocol

/// Writes a response, which has one answer.
public struct ResponseWriter: ReplyWriter {
    private let head: ResponseObject.Head
    private var text = ""
    private var hasItem = false
    /// Why the answer ended, once it has.
    private var end = CompletionEnd.stop
    private var sequenceNumber = 0

    /// - Parameter head: what does not change while the answer is generated.
    public init(_ head: ResponseObject.Head) { self.head = head }

    /// The object `response`.
    public func whole(_ answers: [WholeAnswer], _ usage: TokenUsage?) -> [UInt8] {
        let text = answers.map(\.piece.text).joined()
        let end = answers.last?.end ?? .stop
        return WireEncoding.text(ResponseObject(head, text: text, .ended(end, usage)))
    }

    /// The events that the response exists.
    public mutating func begin() -> [UInt8] {
        let response = ResponseObject(head, text: "", .inProgress)
        return event("response.created") { $0.response = response }
            + event("response.in_progress") { $0.response = response }
    }

    /// The event of the text, after those of its message if it is the first.
    public mutating func more(_ piece: AnswerPiece, of index: Int) -> [UInt8] {
        text += piece.text
        return beginItem() + partEvent("response.output_text.delta") { $0.delta = piece.text }
    }

    /// Nothing: the events of the end come with the tokens used.
    public mutating func end(_ end: CompletionEnd, of index: Int) -> [UInt8] {
        self.end = end
        return []
    }

    /// The events that end the text, its message and the response.
    public mutating func finish(_ usage: TokenUsage?) -> [UInt8] {
        let name = end == .stop ? "response.completed" : "response.incomplete"
        let response = ResponseObject(head, text: text, .ended(end, usage))
        return beginItem() + endItem(end == .stop ? .completed : .incomplete)
            + event(name) { $0.response = response }
    }

    /// The event that the response failed.
    public mutating func fail(_ error: APIError) -> [UInt8] {
        let response = ResponseObject(head, text: text, .failed(error))
        return event("response.failed") { $0.response = response }
    }

    // MARK: The message

    private mutating func beginItem() -> [UInt8] {
        guard !hasItem else { return [] }
        hasItem = true
        let item = ResponseItem(answer: head.answer, text: nil, status: .inProgress)
        return event("response.output_item.added") { $0.item = item }
            + partEvent("response.content_part.added") { $0.part = ResponsePart(text: "") }
    }

    private mutating func endItem(_ status: ResponseItem.Status) -> [UInt8] {
        let text = text
        let item = ResponseItem(answer: head.answer, text: text, status: status)
        return partEvent("response.output_text.done") { $0.text = text }
            + partEvent("response.content_part.done") { $0.part = ResponsePart(text: text) }
            + event("response.output_item.done") { $0.item = item }
    }

    // MARK: Frames

    /// The frame of an event of the message's only part.
    private mutating func partEvent(
        _ name: String,
        _ fill: (inout ResponseEvent) -> Void
    ) -> [UInt8] {
        let id = head.answer.itemID
        return event(name) { event in
            event.itemID = id
            event.contentIndex = 0
            event.outputIndex = 0
            fill(&event)
            if event.part == nil { event.logprobs = [] }
        }
    }

    private mutating func event(
        _ name: String,
        _ fill: (inout ResponseEvent) -> Void
    ) -> [UInt8] {
        var event = ResponseEvent(type: name, sequenceNumber: sequenceNumber)
        sequenceNumber += 1
        fill(&event)
        if event.item != nil { event.outputIndex = 0 }
        return EventStream.frame(event, named: name)
    }
}

/// An event of a streamed response; each has the fields of its type.
private struct ResponseEvent: Encodable {
    let type: String
    let sequenceNumber: Int
    var response: ResponseObject?
    var outputIndex: Int?
    var item: ResponseItem?
    var itemID: String?
    var contentIndex: Int?
    var part: ResponsePart?
    var delta: String?
    var text: String?
    /// Always empty.
    var logprobs: [String]?

    init(type: String, sequenceNumber: Int) {
        self.type = type
        self.sequenceNumber = sequenceNumber
    }

    enum CodingKeys: String, CodingKey {
        case type
        case sequenceNumber = "sequence_number"
        case response, item, part, delta, text, logprobs
        case outputIndex = "output_index"
        case itemID = "item_id"
        case contentIndex = "content_index"
    }
}
