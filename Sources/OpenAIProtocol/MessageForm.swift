// How a request's messages are written: OpenAI's two interfaces have a form each.

import JSONText

/// The form of messages.
struct MessageForm {
    /// The field that has them.
    let field: String
    /// The fields of a message that are read, or mean nothing here.
    let fields: Set<String>
    /// The types of text parts.
    let partTypes: Set<String>
    /// Whether an answer may have calls in a field.
    let hasToolCalls: Bool
    /// Whether calls and their results may be items of their own.
    let hasCallItems: Bool
    /// Fields that clients send back with an answer, and that are empty there.
    let emptyFields: [String: @Sendable (JSONValue) -> Bool]
    /// The same of parts.
    let emptyPartFields: [String: @Sendable (JSONValue) -> Bool]

    /// `messages` of `POST /v1/chat/completions`.
    static let chat = MessageForm(
        field: "messages",
        fields: ["role", "content"],
        partTypes: ["text"],
        hasToolCalls: true,
        hasCallItems: false,
        emptyFields: [
            "annotations": isEmptyArray, "audio": isNothing, "function_call": isNothing,
            "name": isNothing, "refusal": isNothing, "tool_calls": isEmptyArray,
            // What an answer thought is not in later prompts.
            "reasoning_content": isText, "tool_call_id": isNothing,
        ],
        emptyPartFields: [:]
    )

    /// `input` of `POST /v1/responses`. Clients send answers back with their ids and states.
    static let response = MessageForm(
        field: "input",
        fields: ["type", "role", "content", "id", "status"],
        partTypes: ["input_text", "output_text"],
        hasToolCalls: false,
        hasCallItems: true,
        emptyFields: ["phase": isNothing],
        emptyPartFields: ["annotations": isEmptyArray, "logprobs": isEmptyArray]
    )

    private static let isNothing: @Sendable (JSONValue) -> Bool = { _ in false }
    private static let isText: @Sendable (JSONValue) -> Bool = { $0.string != nil }
    private static let isEmptyArray: @Sendable (JSONValue) -> Bool = { $0.array?.isEmpty == true }
}
