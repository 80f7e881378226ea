// The forms of answers in the bodies of OpenAI's API.

/// The schemas of `response_format` and `text`.
enum OpenAIFormats {
    /// `response_format` of a chat completion.
    static let chat = format([
        "type": "object", "additionalProperties": false, "required": ["type", "json_schema"],
        "properties": [
            "type": ["const": "json_schema"],
            "json_schema": [
                "type": "object", "additionalProperties": false, "required": ["name", "schema"],
                "properties": [
                    "name": name, "description": Schema.string, "schema": schema,
                    "strict": Schema.boolean,
                ],
            ],
        ],
    ])

    /// `text` of a response.
    static let response: YAML = [
        "type": "object", "additionalProperties": false,
        "properties": [
            "format": format([
                "type": "object", "additionalProperties": false,
                "required": ["type", "name", "schema"],
                "properties": [
                    "type": ["const": "json_schema"], "name": name,
                    "description": Schema.string, "schema": schema, "strict": Schema.boolean,
                ],
            ])
        ],
    ]

    private static let name: YAML = ["type": "string", "pattern": "^[a-zA-Z0-9_-]{1,64}$"]
    /// Which schemas are held is in docs/use/structured-answers.md.
    private static let schema: YAML = ["type": "object"]

    private static func format(_ named: YAML) -> YAML {
        ["anyOf": [plain("text"), plain("json_object"), named]]
    }

    private static func plain(_ type: String) -> YAML {
        [
            "type": "object", "additionalProperties": false, "required": ["type"],
            "properties": ["type": ["const": .text(type)]],
        ]
    }
}
