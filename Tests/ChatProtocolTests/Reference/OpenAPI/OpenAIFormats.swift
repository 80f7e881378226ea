// The forms of answers in the bodies of OpenAI's API.

/// The schemas of `response_format` and `text`.
enum OpenAIFormats {
    /// `response_format` of a chat completion.
    static let chat = format(
        ["json_schema": object(required: ["name", "schema"], named)],
        required: ["json_schema"]
    )

    /// `text` of a response.
    static let response: YAML = [
        "type": "object", "additionalProperties": false,
        "properties": ["format": format(named, required: ["name", "schema"])],
    ]

    /// The members of a named schema. Which schemas can be held is in docs/use/structured-answers.md.
    private static let named: YAML = [
        "name": ["type": "string", "pattern": "^[a-zA-Z0-9_-]{1,64}$"],
        "description": Schema.string, "schema": ["type": "object"], "strict": Schema.boolean,
    ]

    private static func format(_ members: YAML, required: [String]) -> YAML {
        let kind: (String) -> YAML = { ["const": .string($0)] }
        return [
            "anyOf": [
                object(required: ["type"], ["type": kind("text")]),
                object(required: ["type"], ["type": kind("json_object")]),
                object(required: ["type"] + required, members.adding("type", kind("json_schema"))),
            ]
        ]
    }

    private static func object(required: [String], _ members: YAML) -> YAML {
        [
            "type": "object", "required": .list(required.map { .string($0) }),
            "properties": members, "additionalProperties": false,
        ]
    }
}
