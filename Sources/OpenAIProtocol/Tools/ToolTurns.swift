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

/// The turns of a request's messages.
struct ToolTurns {
    /// The turns so far, without results that wait for others.
    private(set) var turns: [ChatCompletionRequest.Turn] = []
    /// Whether there was a call.
    private(set) var hasCalls = false
    /// The calls of the last answer whose results are still to come, with those that are here.
    private var open: [(id: String, result: String?)] = []

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
            let list = calls.map(\.text).joined(separator: ", ")
            turn.text += "\(ToolText.callsOpening)[\(list)]\(ToolText.callsClosing)"
            open = calls.map { ($0.id, nil) }
            hasCalls = true
        }
        turns.append(turn)
    }

    /// Adds the result of a call.
    /// - Throws: `APIError` if there is no such call, or it has a result.
    mutating func add(
        result text: String,
        of id: String,
        at place: String
    ) throws(APIError) {
        guard let index = open.firstIndex(where: { $0.id == id && $0.result == nil }) else {
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
            throw APIError.invalid(place, "the call \"\(call.id.prefix(100))\" has no result")
        }
    }

    private mutating func closeOpen() {
        for call in open {
            turns.append(
                ChatCompletionRequest.Turn(role: .user, text: call.result ?? "", isResult: true)
            )
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
