// Collects the turns of a request's messages, so that each call of a tool has its result, and results are in
// the order of the calls: models have no ids for them.

import ChatCore
import ChatProtocol
import JSONText

/// A call of a function in a message of a request.
struct RequestedCall {
    let id: String
    let name: String
    /// The text of a JSON object.
    let arguments: String

    /// The call as a model writes it.
    fileprivate var text: String {
        "{\"name\": \(ToolUse.quoted(name)), \"arguments\": \(arguments)}"
    }
}

/// The result of a call in a response that a request continues.
struct ContinuedResult: Sendable, Hashable {
    /// The id of the call.
    let id: String
    let text: String
    /// Its place in the request.
    let place: String
}

/// The turns of a request's messages.
struct ToolTurns {
    /// The turns so far, without results that wait for others.
    private(set) var turns: [ChatCompletionRequest.Turn] = []
    /// Results before the first turn, whose calls are not in the request.
    private(set) var continuedResults: [ContinuedResult] = []
    /// Whether there was a call.
    private(set) var hasCalls = false
    /// Whether the turns continue an answer that may have calls.
    private let continuesAnswer: Bool
    /// The calls of the last answer whose results are still to come, with those that are here.
    private var open: [(call: RequestedCall, result: String?)] = []
    /// The text of that answer before its calls, if they stand alone.
    private var openAnswer = ""

    /// - Parameter continuesAnswer: whether they continue an answer that may have calls.
    init(continuesAnswer: Bool = false) { self.continuesAnswer = continuesAnswer }

    /// Adds a user's message.
    /// - Throws: `APIError` if a call before it has no result.
    mutating func add(user text: String, at place: String) throws(APIError) {
        try close(before: place)
        turns.append(ChatCompletionRequest.Turn(role: .user, text: text))
    }

    /// Adds an answer.
    /// - Throws: `APIError` if a call before it has no result.
    mutating func add(
        answer text: String,
        _ calls: [RequestedCall],
        at place: String
    ) throws(APIError) {
        try close(before: place)
        var turn = ChatCompletionRequest.Turn(role: .assistant, text: text)
        if !calls.isEmpty {
            turn.text += Self.text(of: calls)
            open = calls.map { ($0, nil) }
            hasCalls = true
        }
        turns.append(turn)
    }

    /// Adds a call that stands alone: to the answer before it, or as an answer of its own.
    /// - Throws: `APIError` if another call of that answer has a result, but not all have, or the
    ///   answer has too many calls.
    mutating func add(_ call: RequestedCall, at place: String) throws(APIError) {
        if open.contains(where: { $0.result != nil }) { try close(before: place) }
        guard open.count < RequestFields.functionsMax else {
            let most = RequestFields.functionsMax
            throw APIError.invalid(place, "the answer has more than \(most) calls")
        }
        let before = turns.last?.role == .assistant ? turns.popLast()?.text ?? "" : ""
        if open.isEmpty { openAnswer = before }
        open.append((call, nil))
        let text = openAnswer + Self.text(of: open.map(\.call))
        turns.append(ChatCompletionRequest.Turn(role: .assistant, text: text))
        hasCalls = true
    }

    private static func text(of calls: [RequestedCall]) -> String {
        let list = calls.map(\.text).joined(separator: ", ")
        return "\(ToolText.callsOpening)[\(list)]\(ToolText.callsClosing)"
    }

    /// Adds the result of a call.
    /// - Throws: `APIError` if there is no such call, or it has a result.
    mutating func add(
        result text: String,
        of id: String,
        at place: String
    ) throws(APIError) {
        if continuesAnswer, turns.isEmpty, !continuedResults.contains(where: { $0.id == id }) {
            continuedResults.append(ContinuedResult(id: id, text: text, place: place))
            return
        }
        guard let index = open.firstIndex(where: { $0.call.id == id && $0.result == nil }) else {
            throw APIError.invalid(
                place,
                "the answer before it has no call \"\(id.prefix(100))\" without a result"
            )
        }
        open[index].result = text
        if open.allSatisfy({ $0.result != nil }) { closeOpen() }
    }

    /// Ends the messages.
    /// - Throws: `APIError` if a call has no result.
    mutating func close(before place: String) throws(APIError) {
        if let call = open.first(where: { $0.result == nil }) {
            throw APIError.invalid(place, "the call \"\(call.call.id.prefix(100))\" has no result")
        }
    }

    private mutating func closeOpen() {
        for call in open {
            turns.append(ChatCompletionRequest.Turn(result: call.result ?? ""))
        }
        open = []
    }
}

extension RequestFields {
    /// The calls in the field `tool_calls` of an answer.
    /// - Throws: `APIError` if one is malformed.
    func toolCalls() throws(APIError) -> [RequestedCall] {
        guard let value = self["tool_calls"] else { return [] }
        guard let elements = value.array, elements.count <= Self.functionsMax else {
            throw APIError.invalid(
                place(of: "tool_calls"),
                "it must be an array of at most \(Self.functionsMax) calls"
            )
        }
        var calls: [RequestedCall] = []
        for (index, element) in elements.enumerated() {
            let path = "\(place(of: "tool_calls"))[\(index)]"
            let call = try RequestFields(element, at: path)
            try call.refuseOthers(
                than: ["id", "type", "function"],
                harmless: ["index": { $0.integer != nil }]
            )
            guard try call.string("type") ?? "function" == "function" else {
                throw APIError.unsupported("\(path).type", "this server supports only function")
            }
            let function = try RequestFields(call.required("function"), at: "\(path).function")
            try function.refuseOthers(than: ["name", "arguments"], harmless: [:])
            calls.append(try function.call(id: call.callID("id")))
        }
        return calls
    }

    /// The call whose name and arguments are fields.
    func call(id: String) throws(APIError) -> RequestedCall {
        let arguments = try string("arguments") ?? "{}"
        let value = try? JSONValue(parsing: Array(arguments.utf8))
        guard value?.object != nil else {
            throw APIError.invalid(
                place(of: "arguments"),
                "it must be the text of a JSON object"
            )
        }
        return RequestedCall(id: id, name: try functionName(), arguments: arguments)
    }

    /// The id of a call.
    func callID(_ name: String) throws(APIError) -> String {
        guard let id = try string(name), (1...256).contains(id.utf8.count) else {
            throw APIError.invalid(place(of: name), "it must be the id of a call")
        }
        return id
    }
}
