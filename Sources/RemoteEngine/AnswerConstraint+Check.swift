// Checks answers of engines on other machines, which hold forms in their own way.

import ConstrainedText
import JSONText

extension AnswerConstraint {
    /// Whether a whole answer has this form. No engine takes a pattern or calls. Compiles the schema's own
    /// patterns: not for an event loop.
    func isHeld(by text: String) -> Bool {
        switch self {
        case .jsonObject: return Self.value(of: text)?.object != nil
        case .jsonSchema(let schema):
            guard let value = Self.value(of: text) else { return false }
            return (try? SchemaValidator(schema))?.isValid(value) ?? false
        case .pattern, .calls: return true
        }
    }

    private static func value(of text: String) -> JSONValue? {
        try? JSONValue(parsing: Array(text.utf8))
    }
}
