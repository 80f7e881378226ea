// Reads the fields of a request's objects, and names the one that is wrong.

import JSONText

/// The fields of an object of a request. A field that is null counts as absent, as OpenAI's API
/// has it.
struct RequestFields {
    private let object: JSONObject
    /// The place of the object in the request; empty for the request itself.
    private let path: String

    /// - Parameters:
    ///   - value: the object.
    ///   - path: its place, such as `messages[0]`; empty for the request itself.
    /// - Throws: `APIError` if it is not an object.
    init(_ value: JSONValue, at path: String) throws(APIError) {
        guard let object = value.object else {
            throw APIError.invalid(
                path.isEmpty ? "body" : path,
                "it must be an object, and is \(value.kindName)",
                code: "invalid_type"
            )
        }
        self.object = object
        self.path = path
    }

    /// The place of a field in the request.
    func place(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    /// Refuses fields that are not read.
    /// - Parameters:
    ///   - known: the fields that are read.
    ///   - harmless: fields that are not supported, and whether a value asks for nothing but what
    ///     is done without the field.
    /// - Throws: `APIError`, with the field's name.
    func refuseOthers(
        than known: Set<String>,
        harmless: [String: @Sendable (JSONValue) -> Bool]
    ) throws(APIError) {
        for (name, value) in object where !known.contains(name) {
            guard let isHarmless = harmless[name] else {
                throw APIError.invalid(
                    place(of: String(name.prefix(100))),
                    "there is no such field",
                    code: "unknown_parameter"
                )
            }
            if !value.isNull, !isHarmless(value) { throw APIError.unsupported(place(of: name)) }
        }
    }

    /// A field's value; nil if it is absent or null.
    subscript(name: String) -> JSONValue? {
        object[name].flatMap { $0.isNull ? nil : $0 }
    }

    /// A field that must be there.
    func required(_ name: String) throws(APIError) -> JSONValue {
        guard let value = self[name] else {
            throw APIError.invalid(
                place(of: name),
                "it is missing",
                code: "missing_required_parameter"
            )
        }
        return value
    }

    func bool(_ name: String) throws(APIError) -> Bool? {
        try read(name, "true or false") { $0.bool }
    }

    func integer(_ name: String) throws(APIError) -> Int? {
        try read(name, "an integer") { $0.integer }
    }

    func number(_ name: String) throws(APIError) -> Double? {
        try read(name, "a number") { $0.double }
    }

    func string(_ name: String) throws(APIError) -> String? {
        try read(name, "a string") { $0.string }
    }

    private func read<Value>(
        _ name: String,
        _ expected: String,
        _ body: (JSONValue) -> Value?
    ) throws(APIError) -> Value? {
        guard let value = self[name] else { return nil }
        guard let read = body(value) else {
            throw APIError.invalid(
                place(of: name),
                "it must be \(expected), and is \(value.kindName)",
                code: "invalid_type"
            )
        }
        return read
    }
}
