// Arguments of tools as JSON Schemas.

/// The type of an argument.
public indirect enum ToolParameterType: Sendable {
    case string
    case bool
    case int
    case double
    case array(elementType: ToolParameterType)
    case object(properties: [ToolParameter])
    /// Bytes, in base64.
    case data

    /// The JSON Schema.
    var schema: [String: any Sendable] {
        switch self {
        case .string: return ["type": "string"]
        case .bool: return ["type": "boolean"]
        case .int: return ["type": "integer"]
        case .double: return ["type": "number"]
        case .data: return ["type": "string", "contentEncoding": "base64"]
        case .array(let element): return ["type": "array", "items": element.schema]
        case .object(let properties):
            let schemas = properties.map { ($0.name, $0.schema as any Sendable) }
            return [
                "type": "object",
                "properties": Dictionary(schemas) { $1 },
                "required": properties.filter(\.isRequired).map(\.name),
            ]
        }
    }
}

/// An argument of a tool.
public struct ToolParameter: Sendable {
    /// The name.
    public let name: String
    /// The type.
    public let type: ToolParameterType
    /// What it is, for the model.
    public let description: String
    /// Whether each call has it.
    public let isRequired: Bool
    /// More members of the JSON Schema, such as "enum".
    public let extraProperties: [String: any Sendable]

    /// The JSON Schema.
    public var schema: [String: any Sendable] {
        type.schema.merging(["description": description]) { $1 }.merging(extraProperties) { $1 }
    }

    /// An argument that each call has.
    public static func required(
        _ name: String,
        type: ToolParameterType,
        description: String,
        extraProperties: [String: any Sendable] = [:]
    ) -> ToolParameter {
        ToolParameter(
            name: name,
            type: type,
            description: description,
            isRequired: true,
            extraProperties: extraProperties
        )
    }

    /// An argument that a call may leave out.
    public static func optional(
        _ name: String,
        type: ToolParameterType,
        description: String,
        extraProperties: [String: any Sendable] = [:]
    ) -> ToolParameter {
        ToolParameter(
            name: name,
            type: type,
            description: description,
            isRequired: false,
            extraProperties: extraProperties
        )
    }
}
