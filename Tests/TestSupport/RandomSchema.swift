// Random JSON schemas like those that programs send: objects of fields, lists, choices, numbers
// within bounds, and references, also recursive ones.

/// Generates schemas. The same seed gives the same schemas.
public struct RandomSchema {
    private var generator: SeededGenerator
    private let allowsAdditional: Bool
    private var hasReference = false

    /// Creates a generator; `allowsAdditional` for some objects with members of any name.
    public init(seed: UInt64, allowsAdditional: Bool) {
        generator = SeededGenerator(seed: seed)
        self.allowsAdditional = allowsAdditional
    }

    /// The next schema, an object.
    public mutating func next() -> String {
        hasReference = false
        let root = object(depth: 0)
        guard hasReference else { return root }
        let node = """
            {"type":"object","properties":{"value":\(scalar()),"next":{"anyOf":[\
            {"$ref":"#/$defs/Node"},{"type":"null"}]}},"required":["value","next"],\
            "additionalProperties":false}
            """
        return "{\"$defs\":{\"Node\":\(node)},\(root.dropFirst())"
    }

    private mutating func object(depth: Int) -> String {
        let names = [
            "id", "name", "tags", "größe", "a b", "items", "kind", "note\\\"s", "n1", "n2",
        ]
        let chosen = names.filter { _ in chance(0.4) }
        let members = chosen.map { "\"\($0)\":\(value(depth: depth + 1))" }
        let required = chosen.filter { _ in chance(0.7) }.map { "\"\($0)\"" }
        let open = chance(0.15) && allowsAdditional ? "" : ",\"additionalProperties\":false"
        return """
            {"type":"object","properties":{\(members.joined(separator: ","))},\
            "required":[\(required.joined(separator: ","))]\(open)}
            """
    }

    private mutating func value(depth: Int) -> String {
        guard depth < 4 else { return scalar() }
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: return object(depth: depth)
        case 1, 2: return array(depth: depth)
        case 3: return "{\"anyOf\":[\(value(depth: depth + 1)),\(value(depth: depth + 1))]}"
        case 4:
            hasReference = true
            return "{\"$ref\":\"#/$defs/Node\"}"
        default: return scalar()
        }
    }

    private mutating func array(depth: Int) -> String {
        let min = Int.random(in: 0...2, using: &generator)
        let bounds = chance(0.5) ? ",\"minItems\":\(min),\"maxItems\":\(min + 2)" : ""
        return "{\"type\":\"array\",\"items\":\(value(depth: depth + 1))\(bounds)}"
    }

    private mutating func scalar() -> String {
        let low = Int.random(in: -50...50, using: &generator)
        let options = [
            #"{"type":"string"}"#, #"{"type":"integer"}"#, #"{"type":"number"}"#,
            #"{"type":"boolean"}"#, #"{"type":"null"}"#, #"{"type":["string","null"]}"#,
            #"{"type":"string","maxLength":12}"#, #"{"type":"string","minLength":3}"#,
            #"{"type":"string","minLength":2,"maxLength":2}"#,
            #"{"type":"string","enum":["red","green","blue"]}"#, #"{"enum":[1,"x",null,[2]]}"#,
            #"{"const":"fixed"}"#, #"{"type":"string","pattern":"^[A-Z]{2}[0-9]{1,4}$"}"#,
            #"{"type":"string","pattern":"ab+c"}"#, #"{"type":"string","format":"date"}"#,
            #"{"type":"string","format":"uuid"}"#, #"{"type":"string","format":"email"}"#,
            #"{"type":"string","format":"date-time"}"#,
            "{\"type\":\"integer\",\"minimum\":\(low),\"maximum\":\(low + 37)}",
            "{\"type\":\"number\",\"minimum\":\(low).5,\"exclusiveMaximum\":\(low + 2).25}",
            "{\"type\":\"number\",\"exclusiveMinimum\":0,\"maximum\":1}",
            "{\"type\":\"integer\",\"multipleOf\":5,\"minimum\":0,\"maximum\":100}",
        ]
        return options[Int.random(in: options.indices, using: &generator)]
    }

    private mutating func chance(_ share: Double) -> Bool {
        Double.random(in: 0..<1, using: &generator) < share
    }
}
