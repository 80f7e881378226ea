// Replies to `POST /v1/responses`: the response, or its events.
// https://platform.openai.com/docs/api-reference/responses-streaming

import ChatCore
import ChatProtocol

/// Writes a response, which has one answer.
public struct ResponseWriter: ReplyWriter {
    private let head: ResponseObject.Head
    /// The text so far.
    private var piece = AnswerPiece("")
    private var output: ResponseOutput
    /// How many items have begun.
    private var itemCount = 0
    /// Why the answer ended, once it has.
    private var end = CompletionEnd.stop
    private var sequenceNumber = 0

    /// - Parameter head: what does not change while the answer is generated.
    public init(_ head: ResponseObject.Head) {
        self.head = head
        output = ResponseOutput(head.tools)
    }

    /// The object `response`.
    public func whole(_ answers: [WholeAnswer], _ usage: TokenUsage?) -> [UInt8] {
        let answer = answers.first ?? WholeAnswer(AnswerPiece(""), .stop)
        return WireEncoding.text(ResponseObject(head, answer.piece, .ended(answer.end, usage)))
    }

    /// The events that the response exists.
    public mutating func begin() -> [UInt8] {
        let response = ResponseObject(head, AnswerPiece(""), .inProgress)
        return event("response.created") { $0.response = response }
            + event("response.in_progress") { $0.response = response }
    }

    /// The events of the text or of calls, after those of their items if these are new.
    public mutating func more(_ piece: AnswerPiece, of index: Int) -> [UInt8] {
        self.piece.text += piece.text
        self.piece.tokens += piece.tokens
        return frames { $0.append(piece) }
    }

    /// Nothing: the events of the end come with the tokens used.
    public mutating func end(_ end: CompletionEnd, of index: Int) -> [UInt8] {
        self.end = end
        return []
    }

    /// The events that end the last item and the response.
    public mutating func finish(_ usage: TokenUsage?) -> [UInt8] {
        var frames = frames { $0.finish() }
        if output.items.isEmpty {
            output.addEmptyMessage()
            frames += beginItem()
        }
        let status = ResponseItem.Status(end)
        frames += endItem(status)
        let response = ResponseObject(head, piece, .ended(end, usage))
        let name = status == .incomplete ? "response.incomplete" : "response.completed"
        return frames + event(name) { $0.response = response }
    }

    /// The event that the response failed.
    public mutating func fail(_ error: APIError) -> [UInt8] {
        let response = ResponseObject(head, piece, .failed(error))
        return event("response.failed") { $0.response = response }
    }

    // MARK: Items

    /// The frames of what a change adds to the output.
    private mutating func frames(
        _ change: (inout ResponseOutput) -> [ResponseOutput.Step]
    ) -> [UInt8] {
        var frames: [UInt8] = []
        for step in change(&output) {
            switch step {
            case .item:
                if itemCount > 0 { frames += endItem(.completed) }
                frames += beginItem()
            case .reasoning(let text):
                frames += itemEvent("response.reasoning_text.delta") { event in
                    event.contentIndex = 0
                    event.delta = text
                }
            case .text(let piece):
                frames += itemEvent("response.output_text.delta") { event in
                    event.contentIndex = 0
                    event.delta = piece.text
                    event.logprobs = piece.tokens.map { TokenEntry(token: $0) }
                }
            case .arguments(let more):
                frames += itemEvent("response.function_call_arguments.delta") { $0.delta = more }
            }
        }
        return frames
    }

    /// The frames of the next item's beginning.
    private mutating func beginItem() -> [UInt8] {
        itemCount += 1
        let item = item(.inProgress, isNew: true)
        let frames = event("response.output_item.added") { $0.item = item }
        let part: ResponsePart
        switch item.content {
        case .reasoning: part = ResponsePart(thinking: "")
        case .message: part = ResponsePart(AnswerPiece(""))
        case .call: return frames
        }
        return frames
            + itemEvent("response.content_part.added") { event in
                event.contentIndex = 0
                event.part = part
            }
    }

    /// The frames of the end of the item that began last.
    private mutating func endItem(_ status: ResponseItem.Status) -> [UInt8] {
        let item = item(status)
        var frames: [UInt8]
        switch item.content {
        case .reasoning(let text):
            frames = itemEvent("response.reasoning_text.done") { event in
                event.contentIndex = 0
                event.text = text
            }
            frames += itemEvent("response.content_part.done") { event in
                event.contentIndex = 0
                event.part = ResponsePart(thinking: text)
            }
        case .message(let piece):
            frames = itemEvent("response.output_text.done") { event in
                event.contentIndex = 0
                event.text = piece.text
                event.logprobs = piece.tokens.map { TokenEntry(token: $0) }
            }
            frames += itemEvent("response.content_part.done") { event in
                event.contentIndex = 0
                event.part = ResponsePart(piece)
            }
        case .call(_, let name, let arguments):
            frames = itemEvent("response.function_call_arguments.done") { event in
                event.name = name
                event.arguments = arguments
            }
        }
        return frames + event("response.output_item.done") { $0.item = item }
    }

    /// The item that began last.
    private func item(_ status: ResponseItem.Status, isNew: Bool = false) -> ResponseItem {
        let index = itemCount - 1
        return ResponseItem(
            answer: head.answer,
            index,
            output.items[index],
            status,
            isNew: isNew
        )
    }

    // MARK: Frames

    /// The frame of an event of the item that began last.
    private mutating func itemEvent(
        _ name: String,
        _ fill: (inout ResponseEvent) -> Void
    ) -> [UInt8] {
        let id = item(.inProgress).id
        let index = itemCount - 1
        return event(name) { event in
            event.itemID = id
            event.outputIndex = index
            fill(&event)
        }
    }

    private mutating func event(
        _ name: String,
        _ fill: (inout ResponseEvent) -> Void
    ) -> [UInt8] {
        var event = ResponseEvent(type: name, sequenceNumber: sequenceNumber)
        sequenceNumber += 1
        fill(&event)
        if event.item != nil { event.outputIndex = itemCount - 1 }
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
    var logprobs: [TokenEntry]?
    var name: String?
    var arguments: String?

    init(type: String, sequenceNumber: Int) {
        self.type = type
        self.sequenceNumber = sequenceNumber
    }

    enum CodingKeys: String, CodingKey {
        case type
        case sequenceNumber = "sequence_number"
        case response, item, part, delta, text, logprobs, name, arguments
        case outputIndex = "output_index"
        case itemID = "item_id"
        case contentIndex = "content_index"
    }
}
