// The fields of bodies that are about tools.

extension OpenAIBodies {
    private static let functionName: YAML = [
        "type": "string", "pattern": "^[a-zA-Z0-9_-]{1,64}$",
    ]

    private static let function: YAML = [
        "name": functionName, "description": Schema.string,
        "parameters": ["type": "object"], "strict": Schema.boolean,
    ]

    static let tools: YAML = [
        "type": "array", "maxItems": 128,
        "items": tagged("function", object(function, required: ["name"])),
    ]

    /// The tools of a response, whose members stand beside the type.
    static let responseTools: YAML = [
        "type": "array", "maxItems": 128,
        "items": object(
            function.adding("type", ["const": "function"]),
            required: ["type", "name"]
        ),
    ]

    static let toolChoice: YAML = [
        "anyOf": [
            Schema.words(["none", "auto", "required"]),
            tagged("function", object(["name": functionName], required: ["name"])),
        ]
    ]

    static let responseToolChoice: YAML = [
        "anyOf": [
            Schema.words(["none", "auto", "required"]),
            object(
                ["type": ["const": "function"], "name": functionName],
                required: ["type", "name"]
            ),
        ]
    ]

    /// A message of a response, a call, or its result.
    static let responseMessage: YAML = [
        "anyOf": [
            message(
                parts: ["input_text", "output_text"],
                more: [
                    "type": ["const": "message"], "id": Schema.string, "status": Schema.string,
                ]
            ),
            object(
                [
                    "type": ["const": "function_call"], "id": Schema.string,
                    "status": Schema.string, "call_id": callID, "name": functionName,
                    "arguments": Schema.string,
                ],
                required: ["type", "call_id", "name"]
            ),
            object(
                [
                    "type": ["const": "function_call_output"], "id": Schema.string,
                    "status": Schema.string, "call_id": callID, "output": Schema.string,
                ],
                required: ["type", "call_id", "output"]
            ),
        ]
    ]
    private static let callID: YAML = ["type": "string", "minLength": 1, "maxLength": 256]

    /// A message of a chat completion.
    static let chatMessage: YAML = [
        "anyOf": [
            message(parts: ["text"], more: [:]),
            object(
                [
                    "role": ["const": "assistant"], "content": ["type": ["string", "null"]],
                    "tool_calls": Schema.array(call),
                ],
                required: ["role", "tool_calls"]
            ),
            object(
                [
                    "role": ["const": "tool"], "tool_call_id": Schema.string,
                    "content": Schema.string,
                ],
                required: ["role", "tool_call_id", "content"]
            ),
        ]
    ]

    private static let call = object(
        [
            "id": Schema.string, "type": ["const": "function"],
            "function": object(
                ["name": functionName, "arguments": Schema.string],
                required: ["name", "arguments"]
            ),
        ],
        required: ["id", "function"]
    )

    /// An object with a type, and a member of the type's name.
    private static func tagged(_ type: String, _ schema: YAML) -> YAML {
        let properties: YAML = ["type": ["const": .text(type)]]
        return object(properties.adding(type, schema), required: ["type", .text(type)])
    }

    private static func object(_ properties: YAML, required: YAML) -> YAML {
        [
            "type": "object", "required": required, "properties": properties,
            "additionalProperties": false,
        ]
    }
}
