import ConstrainedText
import Testing

@Suite("JSON schemas")
struct SchemaTests {
    struct Example: Sendable, CustomTestStringConvertible {
        var schema: String
        var valid: [String]
        var invalid: [String]

        var testDescription: String { schema }
    }

    @Test("a text has the form of a schema or not", arguments: SchemaExamples.all)
    func holds(example: Example) throws {
        let matcher = TextMatcher(try CompiledConstraint(.jsonSchema(example.schema)))
        for text in example.valid {
            #expect(matcher.matches(text.utf8), "\(text)")
        }
        for text in example.invalid {
            #expect(!matcher.matches(text.utf8), "\(text)")
        }
    }

    @Test("any object is one without a schema")
    func object() throws {
        let matcher = TextMatcher(try CompiledConstraint(.jsonObject))
        for text in [
            "{}", "{ }", #"{"a":1}"#, #"{"a": [1, {"b": null}], "c": "\u00e9\n"}"#,
            "{\n  \"a\": true\n}",
        ] {
            #expect(matcher.matches(text.utf8), "\(text)")
        }
        for text in ["[]", "1", "", #"{"a"}"#, #"{"a":1,}"#, #"{"a":1}x"#, "{\"a\":\"\n\"}"] {
            #expect(!matcher.matches(text.utf8), "\(text)")
        }
    }

    private static let refused: [(String, String)] = [
        (#"{"type":"object","properties":{"a":{"not":{}}}}"#, "/properties/a/not"),
        (#"{"type":"array","uniqueItems":true}"#, "/uniqueItems"),
        (#"{"type":"object","patternProperties":{}}"#, "/patternProperties"),
        (#"{"type":"object","minProperties":1}"#, "/minProperties"),
        (#"{"if":{},"then":{}}"#, "/if"),
        (#"{"type":"strin"}"#, "/type"),
        (#"{"type":"string","maxLenght":3}"#, "/maxLenght"),
        (#"{"type":"string","minLength":3,"maxLength":2}"#, "/maxLength"),
        (#"{"type":"string","minLength":-1}"#, "/minLength"),
        (#"{"type":"string","pattern":"(?=a)"}"#, "/pattern"),
        (#"{"type":"string","format":"idn-email"}"#, "/format"),
        (#"{"type":"string","pattern":"^(ab)*$","maxLength":3}"#, "/pattern"),
        (#"{"type":"integer","minimum":3,"maximum":2}"#, ""),
        (#"{"type":"integer","multipleOf":3}"#, "/multipleOf"),
        (#"{"type":"number","multipleOf":0.1}"#, "/multipleOf"),
        (#"{"enum":[]}"#, "/enum"),
        (#"{"type":"string","enum":[1,2]}"#, "/enum"),
        (#"{"enum":["a"],"minLength":2}"#, "/minLength"),
        (#"{"oneOf":[{"type":"integer"},{"type":"number"}]}"#, "/oneOf"),
        (##"{"$ref":"#/$defs/A"}"##, "/$ref"),
        (#"{"$ref":"other.json"}"#, "/$ref"),
        (#"{"allOf":[{"type":"string"},{"type":"integer"}]}"#, "/allOf/1/type"),
        (#"{"type":"array","items":[{}]}"#, "/items"),
        (#"{"type":"object","properties":{"a/b":false},"required":["a/b"]}"#, "/properties/a~1b"),
        (#"{"type":"object","required":["x"],"additionalProperties":false}"#, "/required"),
        (#"{"properties":[]}"#, "/properties"),
        ("false", ""), ("3", ""), ("{", ""), ("", ""),
    ]

    @Test("what cannot be held is refused with its place", arguments: refused)
    func refuses(schema: String, pointer: String) throws {
        let error = #expect(throws: ConstraintError.self) {
            try CompiledConstraint(.jsonSchema(schema))
        }
        #expect(error?.pointer == pointer, "\(error?.description ?? "")")
    }

    @Test(
        "a schema whose values have no end is refused",
        arguments: [
            ##"{"$ref":"#"}"##, ##"{"anyOf":[{"$ref":"#"}]}"##,
            ##"{"type":"object","anyOf":[{"$ref":"#"}]}"##,
            ##"{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]}"##,
            ##"{"type":"array","items":{"$ref":"#"},"minItems":1}"##,
        ]
    )
    func endless(schema: String) throws {
        #expect(throws: ConstraintError.self) {
            try TestVocabulary.constraint(.jsonSchema(schema))
        }
    }

    /// 2 to the power of 60 schemas that must hold together.
    private static func doubled(_ keywords: String) -> String {
        let definitions = (0..<60).map { number -> String in
            let next = "{\"$ref\":\"#/$defs/d\(number + 1)\"}"
            return "\"d\(number)\":{\(keywords)[\(next),\(next)]}"
        }
        let all = definitions.joined(separator: ",")
        return "{\"$defs\":{\(all),\"d60\":{\"type\":\"object\"}},\"$ref\":\"#/$defs/d0\"}"
    }

    private static func nested(_ open: String, _ count: Int) -> String {
        String(repeating: open, count: count) + "{}" + String(repeating: "}", count: count)
    }

    private static func optionalProperties(_ count: Int) -> String {
        let members = (0..<count).map { "\"p\($0)\":{}" }.joined(separator: ",")
        return "{\"type\":\"object\",\"properties\":{\(members)}}"
    }

    private static let hostile: [String] = [
        doubled(#""allOf":"#),
        doubled(#""type":"object","anyOf":"#),
        nested(#"{"type":"array","items":"#, 60),
        nested(#"{"items":"#, 200),
        optionalProperties(900),
        #"{"type":"string","minLength":1000000000}"#,
        #"{"type":"array","maxItems":1000000000,"minItems":900000}"#,
    ]

    @Test(
        "schemas that repeat themselves are compiled or refused within bounds",
        arguments: hostile
    )
    func bounded(schema: String) throws {
        do throws(ConstraintError) {
            let constraint = try CompiledConstraint(.jsonSchema(schema))
            _ = TextMatcher(constraint).matches(#"{"a":[[[[["x"]]]]]}"#.utf8)
        } catch {
            #expect(!error.reason.isEmpty)
        }
    }
}
