// The bodies of OpenAI's API that this server reads: a line for each field. A test compares the names
// with those that OpenAIProtocol reads.

/// A field of a body.
struct BodyField {
    let name: String
    let schema: YAML
    let description: String
    var isRequired = false

    init(_ name: String, _ schema: YAML, _ description: String, isRequired: Bool = false) {
        self.name = name
        self.schema = schema
        self.description = description
        self.isRequired = isRequired
    }
}

/// The bodies.
enum OpenAIBodies {
    /// `POST /v1/chat/completions`.
    static let chatCompletion = [
        model,
        BodyField(
            "messages",
            list(of: "ChatCompletionMessage"),
            "Optionally a system message, then the history; a user's message last.",
            isRequired: true
        ),
        stream,
        BodyField(
            "stream_options",
            object(["include_usage": Schema.boolean, "include_obfuscation": ["const": false]]),
            "Only with stream: true."
        ),
        BodyField("max_completion_tokens", tokenCount, "Maximum length of the answer, in tokens."),
        BodyField("max_tokens", tokenCount, "The same under its older name."),
        temperature,
        topP,
        BodyField(
            "seed",
            ["type": "integer", "minimum": 0, "maximum": 9_007_199_254_740_991],
            "Repeats an answer."
        ),
        BodyField(
            "stop",
            ["anyOf": [stopString, ["type": "array", "items": stopString, "maxItems": 16]]],
            "Texts before which the answer ends."
        ),
        BodyField("n", ["type": "integer", "minimum": 1, "maximum": 8], "The number of answers."),
        BodyField(
            "frequency_penalty",
            penalty,
            "Subtracted from the logits of tokens for each time that they are in the answer."
        ),
        BodyField(
            "presence_penalty",
            penalty,
            "Subtracted from the logits of tokens that are in the answer."
        ),
        BodyField("logit_bias", biases, "Added to the logits of tokens, by their ids."),
        BodyField("logprobs", Schema.boolean, "Whether tokens have their probabilities."),
        BodyField(
            "top_logprobs",
            ["type": "integer", "minimum": 0, "maximum": 20],
            "How many of the likeliest tokens are named at each place; only with logprobs: true."
        ),
        BodyField("response_format", OpenAIFormats.chat, "The form that answers have."),
        maxThinkingTokens,
        BodyField(
            "reasoning_effort",
            effort,
            "How much a reasoning model thinks: none, 10, 20, 50, 80 or 95 % of the longest answer."
        ),
        BodyField("store", Schema.boolean, "Whether the turn lands in a new conversation."),
        BodyField("tools", tools, "Functions that the model may call."),
        BodyField("tool_choice", toolChoice, "What it may call, or must."),
        BodyField(
            "parallel_tool_calls",
            Schema.boolean,
            "Whether an answer may have more than one call; only with tools."
        ),
        user,
    ]

    /// `POST /v1/completions`.
    static let completion =
        [
            model,
            BodyField(
                "prompt",
                [
                    "anyOf": [
                        prompt, tokens,
                        ["type": "array", "minItems": 1, "maxItems": 16, "items": prompt],
                        ["type": "array", "minItems": 1, "maxItems": 16, "items": tokens],
                    ]
                ],
                "A text, the ids of tokens, or several of one of them.",
                isRequired: true
            ),
            BodyField("echo", Schema.boolean, "Whether answers begin with their prompts."),
            BodyField("max_tokens", tokenCount, "Maximum length of an answer, in tokens; 16."),
            BodyField(
                "logprobs",
                ["type": "integer", "minimum": 0, "maximum": 5],
                "The probabilities of tokens, and how many of the likeliest are named."
            ),
        ] + chatCompletion.filter { sharedWithCompletions.contains($0.name) }

    /// Fields of completions that are those of chat completions.
    private static let sharedWithCompletions = [
        "stream", "stream_options", "temperature", "top_p", "seed", "stop", "n",
        "frequency_penalty", "presence_penalty", "logit_bias", "user",
    ]
    private static let prompt: YAML = ["type": "string", "minLength": 1]
    private static let tokens: YAML = [
        "type": "array", "minItems": 1, "items": ["type": "integer", "minimum": 0],
    ]

    /// `POST /v1/responses`.
    static let response = [
        model,
        BodyField(
            "input",
            ["anyOf": [messageText, list(of: "ResponseMessage")]],
            "The question, or messages.",
            isRequired: true
        ),
        BodyField("instructions", Schema.string, "The system prompt."),
        BodyField("max_output_tokens", tokenCount, "Maximum length of the answer, in tokens."),
        BodyField(
            "previous_response_id",
            ["type": "string", "pattern": "^resp_"],
            "The response that this one continues."
        ),
        BodyField(
            "include",
            [
                "type": "array", "maxItems": 1,
                "items": ["const": "message.output_text.logprobs"],
            ],
            "Whether tokens have their probabilities."
        ),
        BodyField(
            "top_logprobs",
            ["type": "integer", "minimum": 0, "maximum": 20],
            "How many of the likeliest tokens are named at each place; only with include."
        ),
        maxThinkingTokens,
        BodyField(
            "reasoning",
            object(["effort": effort]),
            "How much a reasoning model thinks, as reasoning_effort of chat completions."
        ),
        BodyField("text", OpenAIFormats.response, "The form that the answer has."),
        BodyField("store", Schema.boolean, "Whether later requests may refer to it."),
        BodyField("tools", responseTools, "Functions that the model may call."),
        BodyField("tool_choice", responseToolChoice, "What it may call, or must."),
        BodyField(
            "parallel_tool_calls",
            Schema.boolean,
            "Whether an answer may have more than one call; false only with tools."
        ),
        stream,
        temperature,
        topP,
        user,
    ]

    /// The schemas of bodies and of what they consist of, by name.
    static let schemas: [(name: String, schema: YAML)] = [
        ("ChatCompletionMessage", chatMessage),
        ("ChatCompletionRequest", body(chatCompletion)),
        ("CompletionRequest", body(completion)),
        ("ResponseMessage", responseMessage),
        ("ResponseRequest", body(response)),
    ]

    // MARK: Fields of several bodies

    private static let model = BodyField(
        "model",
        Schema.string,
        "A name of GET /v1/models.",
        isRequired: true
    )
    private static let maxThinkingTokens = BodyField(
        "max_thinking_tokens",
        ["type": "integer", "minimum": 0, "maximum": 1_000_000],
        "Maximum length of a reasoning model's thinking part, in tokens."
    )
    private static let effort = Schema.words([
        "none", "minimal", "low", "medium", "high", "xhigh",
    ])
    private static let stream = BodyField(
        "stream",
        Schema.boolean,
        "Whether the answer is sent while it grows."
    )
    private static let temperature = BodyField(
        "temperature",
        ["type": "number", "minimum": 0, "maximum": 2],
        "How random the answer is; 0 for the most probable tokens."
    )
    private static let topP = BodyField(
        "top_p",
        ["type": "number", "exclusiveMinimum": 0, "maximum": 1],
        "The probability of the tokens among which is drawn."
    )
    private static let user = BodyField(
        "user",
        ["type": "string", "maxLength": 256],
        "The client's name for its own user, for the server's log."
    )

    // MARK: Schemas

    private static let tokenCount: YAML = ["type": "integer", "minimum": 1, "maximum": 1_000_000]
    private static let penalty: YAML = ["type": "number", "minimum": -2, "maximum": 2]
    private static let biases: YAML = [
        "type": "object", "maxProperties": 1024,
        "propertyNames": ["pattern": "^(0|[1-9][0-9]{0,8})$"],
        "additionalProperties": ["type": "number", "minimum": -100, "maximum": 100],
    ]
    private static let stopString: YAML = ["type": "string", "minLength": 1, "maxLength": 256]
    /// A text with something besides white space, and without NUL.
    private static let messageText: YAML = ["type": "string", "pattern": "[^\\s\\x00]"]

    private static func list(of schema: String) -> YAML {
        ["type": "array", "minItems": 1, "maxItems": 4096, "items": Schema.named(schema)]
    }

    /// An object whose members may be left out, and that has no others.
    private static func object(_ members: YAML) -> YAML {
        ["type": "object", "properties": members, "additionalProperties": false]
    }

    static func message(parts types: [String], more: YAML) -> YAML {
        let part: YAML = [
            "type": "object",
            "required": ["type", "text"],
            "properties": ["type": Schema.words(types), "text": Schema.string],
        ]
        var properties: YAML = [
            "role": Schema.words(["system", "developer", "user", "assistant"]),
            "content": [
                "anyOf": [messageText, ["type": "array", "minItems": 1, "items": part]]
            ],
        ]
        if case .map(let members) = more {
            for member in members { properties = properties.adding(member.key, member.value) }
        }
        return [
            "type": "object", "required": ["role", "content"], "properties": properties,
            "additionalProperties": false,
        ]
    }

    /// A body: a field that is null counts as absent.
    private static func body(_ fields: [BodyField]) -> YAML {
        var properties: YAML = [:]
        for field in fields {
            let schema: YAML =
                field.isRequired
                ? field.schema : ["anyOf": [field.schema, ["type": "null"]]]
            properties = properties.adding(
                field.name,
                schema.adding("description", .text(field.description))
            )
        }
        return [
            "type": "object",
            "required": .list(fields.filter(\.isRequired).map { .text($0.name) }),
            "properties": properties,
            "additionalProperties": false,
        ]
    }
}
