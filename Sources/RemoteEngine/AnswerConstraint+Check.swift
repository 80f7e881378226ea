// Checks answers of engines on other machines, which hold forms in their own way.

import ConstrainedText
import JSONText

extension AnswerConstraint {
    /// Whether a whole answer has this form. No engine takes a pattern. Compiles the schema's own
    /// patterns: not for an event loop.
    func isHeld(by text: String) -> Bool {
        guard let value = try? JSONValue(parsing: Array(text.utf8)) else { return false }
        switch self {
        case .jsonObject: return value.object != nil
        case .jsonSchema(let schema):
            return (try? SchemaValidator(schema))?.isValid(value) ?? false
        case .pattern: return true
        }
    }
}
