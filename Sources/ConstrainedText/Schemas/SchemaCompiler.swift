// Compiles a JSON Schema to a grammar of the texts of its values. What the grammar has is valid;
// not all that is valid is in it: members come in the order of the schema, and white space is
// bounded.

import JSONText

/// Compiles one schema.
struct SchemaCompiler {
    typealias NodeID = Grammar.NodeID

    /// What became of a place of the schema.
    private enum Place {
        /// It is being compiled; the rule stands for it where it refers to itself.
        case open(rule: Int32?)
        case compiled(NodeID)
    }

    private let document: JSONValue
    var builder: GrammarBuilder
    let json: JSONNodes
    private var places: [String: Place] = [:]
    private var depth = 0
    private var work = 0

    private init(_ document: JSONValue) throws(ConstraintError) {
        self.document = document
        var builder = GrammarBuilder()
        json = try JSONNodes(&builder)
        self.builder = builder
    }

    /// Compiles the schema `text`.
    /// - Throws: `ConstraintError`, with the place in the schema.
    static func compile(_ text: String) throws(ConstraintError) -> Grammar {
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONValue(
                parsing: Array(text.utf8),
                limits: JSONLimits(
                    byteCountMax: ConstraintLimits.schemaBytesMax,
                    depthMax: 2 * ConstraintLimits.schemaDepthMax,
                    valueCountMax: ConstraintLimits.schemaValuesMax
                )
            )
        } catch {
            throw ConstraintError("the schema is not JSON: \(error)")
        }
        var compiler = try SchemaCompiler(document)
        let root = try compiler.node(for: document, at: "")
        return compiler.builder.finish(root)
    }

    /// The grammar of any JSON object.
    static func anyObject() throws(ConstraintError) -> Grammar {
        let compiler = try SchemaCompiler(.bool(true))
        return compiler.builder.finish(compiler.json.anyObject)
    }

    // MARK: - Places

    /// Compiles the schema at a place; each place once.
    mutating func node(
        for value: JSONValue,
        at pointer: String
    ) throws(ConstraintError) -> NodeID {
        switch places[pointer] {
        case .compiled(let node): return node
        case .open(let rule?): return try builder.rule(reusing: rule)
        case .open(nil):
            let rule = try builder.rule()
            places[pointer] = .open(rule: rule.number)
            return rule.node
        case nil: break
        }
        places[pointer] = .open(rule: nil)
        let node = try nested(at: pointer) { compiler throws(ConstraintError) in
            try compiler.compile(value, at: pointer)
        }
        if case .open(let rule?) = places[pointer] { builder.define(rule, as: node) }
        places[pointer] = .compiled(node)
        return node
    }

    /// Compiles a part: bounds the nesting, and adds the place to errors that name none.
    mutating func nested(
        at pointer: String,
        _ body: (inout SchemaCompiler) throws(ConstraintError) -> NodeID
    ) throws(ConstraintError) -> NodeID {
        guard depth < ConstraintLimits.schemaDepthMax else {
            throw ConstraintError(
                at: pointer,
                "the schema is nested deeper than \(ConstraintLimits.schemaDepthMax)"
            )
        }
        depth += 1
        defer { depth -= 1 }
        do throws(ConstraintError) {
            return try body(&self)
        } catch {
            throw error.pointer.isEmpty ? ConstraintError(at: pointer, error.reason) : error
        }
    }

    private mutating func compile(
        _ value: JSONValue,
        at pointer: String
    ) throws(ConstraintError) -> NodeID {
        let schema = try SchemaObject(value, at: pointer)
        // A reference alone is the place that it names.
        if schema.keywords.count == 1, let reference = try schema.string("$ref") {
            let target = try target(of: reference, from: schema)
            return try node(for: target.value, at: target.pointer)
        }
        return try node(for: try flattened(schema))
    }

    // MARK: - References

    private func target(
        of reference: String,
        from schema: SchemaObject
    ) throws(ConstraintError) -> (value: JSONValue, pointer: String) {
        guard let pointer = SchemaReference.pointer(reference) else {
            throw schema.error("$ref", "only references into this schema are supported: #/$defs/…")
        }
        guard let value = SchemaReference.target(of: reference, in: document) else {
            throw schema.error("$ref", "there is nothing at \(reference)")
        }
        return (value, pointer)
    }

    /// The schema with the keywords of `$ref` and `allOf` in it.
    mutating func flattened(
        _ schema: SchemaObject,
        depth: Int = 0
    ) throws(ConstraintError) -> SchemaObject {
        guard depth < ConstraintLimits.schemaDepthMax else {
            throw ConstraintError(at: schema.pointer, "it refers to itself")
        }
        work += 1
        guard work <= ConstraintLimits.flattenedMax else {
            throw ConstraintError(at: schema.pointer, "too many schemas must hold together")
        }
        var schema = schema
        if let reference = try schema.string("$ref") {
            let target = try target(of: reference, from: schema)
            _ = schema.remove("$ref")
            let named = try SchemaObject(target.value, at: target.pointer)
            try schema.merge(try flattened(named, depth: depth + 1))
        }
        if let parts = try schema.elements("allOf") {
            _ = schema.remove("allOf")
            for part in parts {
                let element = try SchemaObject(part.value, at: part.pointer)
                try schema.merge(try flattened(element, depth: depth + 1))
            }
        }
        return schema
    }
}
