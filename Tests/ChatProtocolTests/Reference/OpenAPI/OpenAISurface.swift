// What the document says of the routes of OpenAI's API.

import ChatProtocol
import HTTPProtocol
import OpenAIProtocol

/// The routes of OpenAI's API. Bodies of requests are tables of `OpenAIBodies`; replies are samples of
/// `OpenAISamples`, as the server's types write them.
enum OpenAISurface {
    static let modelList = HTTPOperation(
        method: .get,
        name: "listModels",
        summary: "Lists the models that are ready.",
        access: .key,
        replies: [reply("The models.", "ModelList")],
        errors: [.unauthenticated, .forbidden]
    )

    static let model = HTTPOperation(
        method: .get,
        name: "getModel",
        summary: "Returns a model that is ready; its name may have slashes.",
        access: .key,
        replies: [reply("The model.", "Model")],
        errors: [.unauthenticated, .forbidden, .notFound]
    )

    static let chatCompletion = HTTPOperation(
        method: .post,
        name: "createChatCompletion",
        summary: "Answers messages, whole or as a stream.",
        access: .key,
        parameters: headers,
        body: HTTPOperation.Content.json(
            Schema.named("ChatCompletionRequest"),
            example: [
                "model": "stoa-demo",
                "messages": [["role": "user", "content": "What is 2 + 3?"]],
            ]
        ),
        replies: [
            answer("ChatCompletion", "Chunks of the object chat.completion.chunk, then [DONE].")
        ],
        errors: answerErrors
    )

    static let textCompletion = HTTPOperation(
        method: .post,
        name: "createCompletion",
        summary: "Continues prompts without a chat template, whole or as a stream.",
        access: .key,
        parameters: [headers[0]],
        body: HTTPOperation.Content.json(
            Schema.named("CompletionRequest"),
            example: ["model": "stoa-demo", "prompt": "2 + 3 =", "max_tokens": 4]
        ),
        replies: [answer("Completion", "Chunks of the object text_completion, then [DONE].")],
        errors: answerErrors
    )

    static let createResponse = HTTPOperation(
        method: .post,
        name: "createResponse",
        summary: "Answers an input, whole or as events; later requests may continue it.",
        access: .key,
        parameters: headers,
        body: HTTPOperation.Content.json(
            Schema.named("ResponseRequest"),
            example: ["model": "stoa-demo", "input": "What is 2 + 3?"]
        ),
        replies: [answer("Response", "Events from response.created to response.completed.")],
        errors: answerErrors
    )

    static let response = HTTPOperation(
        method: .get,
        name: "getResponse",
        summary: "Returns a stored response.",
        access: .key,
        replies: [reply("The response.", "Response")],
        errors: [.unauthenticated, .forbidden, .notFound]
    )

    static let deleteResponse = HTTPOperation(
        method: .delete,
        name: "deleteResponse",
        summary: "Deletes a stored response.",
        access: .key,
        replies: [reply("The response is deleted.", "DeletedResponse")],
        errors: [.unauthenticated, .forbidden, .notFound, .conflict]
    )

    // MARK: Parts

    /// The errors of a request for an answer.
    private static let answerErrors: [ErrorCode] = [
        .badRequest, .unauthenticated, .forbidden, .notFound, .conflict, .limitExceeded,
        .contextExceeded, .rateLimited, .budgetExceeded, .engineFailed, .unavailable,
    ]

    private static let requestID = ("x-request-id", "The request's name in the server's log.")

    private static func reply(_ description: String, _ schema: String) -> HTTPOperation.Reply {
        HTTPOperation.Reply(
            status: 200,
            description: description,
            contents: HTTPOperation.Content.json(Schema.named(schema)),
            headers: [requestID]
        )
    }

    private static func answer(_ schema: String, _ events: String) -> HTTPOperation.Reply {
        HTTPOperation.Reply(
            status: 200,
            description: "The answer. As a stream: \(events)",
            contents: HTTPOperation.Content.json(Schema.named(schema)) + [
                .events(EventStream.mediaType)
            ],
            headers: [
                requestID,
                ("stoa-receipt", "The path of the answer's receipt."),
                ("stoa-conversation", "The conversation of the user that has the turn."),
                ("x-ratelimit-limit-requests", "Questions per minute."),
                ("x-ratelimit-remaining-requests", "How many of them are left."),
                ("x-ratelimit-reset-requests", "When all of them are left again."),
                ("x-ratelimit-limit-tokens", "The tokens of the budget closest to its limit."),
                ("x-ratelimit-remaining-tokens", "How many of them are left."),
                ("x-ratelimit-reset-tokens", "When the budget begins anew."),
            ]
        )
    }

    private static let headers = [
        HTTPOperation.Parameter(
            place: .header,
            name: "Idempotency-Key",
            schema: ["type": "string", "minLength": 1, "maxLength": 255],
            description: "Requests with the same key are executed once."
        ),
        HTTPOperation.Parameter(
            place: .header,
            name: "stoa-conversation",
            schema: [
                "anyOf": [["const": "new"], Schema.uuid]
            ],
            description: "The conversation in which the turn lands; `new` for a new one."
        ),
    ]
}
