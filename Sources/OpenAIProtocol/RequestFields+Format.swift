// Reads `response_format` of chat completions and `text.format` of responses.

import ChatCore
import ConstrainedText
import JSONText

extension RequestFields {
    /// Maximum length of a schema's name.
    private static let nameMax = 64

    /// The form of the answer.
    /// - Parameters:
    ///   - name: the field.
    ///   - isNested: whether a schema is in a member of its own, as in chat completions.
    /// - Returns: nil for a text.
    /// - Throws: `APIError` if it is malformed. The schema itself is not read.
    func format(_ name: String, isNested: Bool) throws(APIError) -> AnswerFormat? {
        guard let value = self[name] else { return nil }
        let format = try RequestFields(value, at: place(of: name))
        switch try format.string("type") {
        case "text":
            try format.refuseOthers(than: ["type"], harmless: [:])
            return nil
        case "json_object":
            try format.refuseOthers(than: ["type"], harmless: [:])
            return AnswerFormat(.jsonObject)
        case "json_schema":
            guard isNested else { return try format.schema(besides: ["type"]) }
            try format.refuseOthers(than: ["type", "json_schema"], harmless: [:])
            let schema = try format.required("json_schema")
            return try RequestFields(schema, at: format.place(of: "json_schema"))
                .schema(besides: [])
        default:
            throw APIError.invalid(
                format.place(of: "type"),
                "it must be text, json_object or json_schema"
            )
        }
    }

    private func schema(besides others: Set<String>) throws(APIError) -> AnswerFormat {
        try refuseOthers(
            than: others.union(["name", "description", "schema", "strict"]),
            harmless: [:]
        )
        _ = try string("description")
        let name = try string("name") ?? ""
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isName, (1...Self.nameMax).contains(name.utf8.count) else {
            throw APIError.invalid(
                place(of: "name"),
                "it must have 1 to \(Self.nameMax) letters, digits, underscores or hyphens"
            )
        }
        let schema = try required("schema")
        guard schema.object != nil else {
            throw APIError.invalid(
                place(of: "schema"),
                "it must be an object, and is \(schema.kindName)",
                code: "invalid_type"
            )
        }
        return AnswerFormat(
            AnswerConstraint(schema: schema),
            name: name,
            isStrict: try bool("strict")
        )
    }
}
