extension SchemaExamples {
    static let objects = [
        Example(
            schema: """
                {"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},\
                "required":["a","b"],"additionalProperties":false}
                """,
            valid: [
                #"{"a":1,"b":"x"}"#, #"{ "a": 1, "b": "x" }"#, "{\n  \"a\": 1,\n  \"b\": \"x\"\n}",
            ],
            invalid: [
                "{}", #"{"a":1}"#, #"{"b":"x","a":1}"#, #"{"a":1,"b":"x","c":2}"#, #"{"a":1,}"#,
                #"{"a":1.5,"b":"x"}"#,
            ]
        ),
        Example(
            schema: """
                {"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"},\
                "c":{"type":"integer"}},"required":["b"],"additionalProperties":false}
                """,
            valid: [
                #"{"b":1}"#, #"{"a":1,"b":2}"#, #"{"b":1,"c":2}"#, #"{"a":1,"b":2,"c":3}"#,
            ],
            invalid: ["{}", #"{"a":1}"#, #"{"a":1,"c":2}"#, #"{,"b":1}"#, #"{"b":1,,"c":2}"#]
        ),
        Example(
            schema: #"{"type":"object","properties":{"ab":{"type":"integer"}}}"#,
            valid: [
                "{}", #"{"ab":1}"#, #"{"ab":1,"x":[true]}"#, #"{"a":1}"#, #"{"abc":"x"}"#,
                #"{"":1,"b":2}"#,
            ],
            invalid: [#"{"ab":"x"}"#, #"{"x":1,"ab":"y"}"#, #"{"\u0061b":"x"}"#]
        ),
        Example(
            schema: #"{"type":"object","additionalProperties":{"type":"integer"}}"#,
            valid: ["{}", #"{"x":1,"y":2}"#],
            invalid: [#"{"x":"1"}"#]
        ),
        Example(
            schema: #"{"type":"object","required":["x"]}"#,
            valid: [#"{"x":null}"#, #"{"x":1,"y":2}"#],
            invalid: ["{}", #"{"y":1}"#]
        ),
        Example(
            schema: #"{"properties":{"a\"b\\é":{"type":"null"}},"additionalProperties":false}"#,
            valid: ["{}", #"{"a\"b\\é":null}"#],
            invalid: ["[]", #"{"a":null}"#]
        ),
    ]

    static let combinations = [
        Example(
            schema:
                #"{"anyOf":[{"type":"integer"},{"type":"string","maxLength":2},{"type":"null"}]}"#,
            valid: ["1", #""ab""#, "null"],
            invalid: [#""abc""#, "true"]
        ),
        Example(
            schema: """
                {"anyOf":[{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],\
                "additionalProperties":false},{"type":"object","properties":{"a":{"type":"string"}},\
                "required":["a"],"additionalProperties":false}]}
                """,
            valid: [#"{"a":1}"#, #"{"a":"x"}"#],
            invalid: [#"{"a":null}"#]
        ),
        Example(
            schema: """
                {"oneOf":[{"type":"object","properties":{"kind":{"const":"cat"},"lives":\
                {"type":"integer"}},"required":["kind","lives"],"additionalProperties":false},\
                {"type":"object","properties":{"kind":{"const":"dog"},"name":{"type":"string"}},\
                "required":["kind","name"],"additionalProperties":false}]}
                """,
            valid: [#"{"kind":"cat","lives":9}"#, #"{"kind":"dog","name":"Rex"}"#],
            invalid: [#"{"kind":"cat","name":"Rex"}"#, #"{"kind":"cow"}"#]
        ),
        Example(
            schema: ##"{"$ref":"#/$defs/A","$defs":{"A":{"type":"integer"}}}"##,
            valid: ["1"],
            invalid: [#""a""#]
        ),
        Example(
            schema: """
                {"$defs":{"a/b %c":{"type":"integer"}},"type":"array",\
                "items":{"$ref":"#/$defs/a~1b%20%25c","description":"d"}}
                """,
            valid: ["[1]"],
            invalid: [#"["a"]"#]
        ),
        Example(
            schema: """
                {"$defs":{"Node":{"type":"object","properties":{"value":{"type":"integer"},\
                "children":{"type":"array","items":{"$ref":"#/$defs/Node"}}},\
                "required":["value","children"],"additionalProperties":false}},\
                "$ref":"#/$defs/Node"}
                """,
            valid: [
                #"{"value":1,"children":[]}"#,
                #"{"value":1,"children":[{"value":2,"children":[{"value":3,"children":[]}]}]}"#,
            ],
            invalid: [#"{"value":1}"#, #"{"value":1,"children":[{"value":2}]}"#]
        ),
        Example(
            schema: """
                {"type":"object","properties":{"next":{"anyOf":[{"$ref":"#"},{"type":"null"}]}},\
                "required":["next"],"additionalProperties":false}
                """,
            valid: [#"{"next":null}"#, #"{"next":{"next":{"next":null}}}"#],
            invalid: ["{}", #"{"next":1}"#]
        ),
        Example(
            schema: """
                {"allOf":[{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]},\
                {"properties":{"b":{"type":"string"}},"required":["b"]}]}
                """,
            valid: [#"{"a":1,"b":"x"}"#],
            invalid: [#"{"a":1}"#, #"{"b":"x"}"#]
        ),
        Example(
            schema: """
                {"$defs":{"P":{"type":"number","minimum":0}},\
                "allOf":[{"$ref":"#/$defs/P"}],"maximum":10,"title":"t"}
                """,
            valid: ["0", "10", "3.5"],
            invalid: ["-1", "11"]
        ),
        Example(
            schema: """
                {"type":"object","properties":{"t":{"type":"string"}},"required":["t"],"anyOf":\
                [{"properties":{"x":{"type":"integer"}},"required":["x"]},\
                {"properties":{"y":{"type":"integer"}},"required":["y"]}]}
                """,
            valid: [#"{"x":1,"t":"a"}"#, #"{"y":1,"t":"a"}"#],
            invalid: [#"{"t":"a"}"#]
        ),
    ]
}
