// Generates docs/reference/asyncapi.yaml from the types of the protocol.

import ChatProtocol

/// The protocol as an AsyncAPI 3.0 document.
struct AsyncAPIDocument {
    /// The document's path.
    private let recorder = SchemaRecorder()
    private let words: SourceWords
    private var lines: [String] = []

    private init() throws {
        words = try SourceWords()
    }

    /// The document's text.
    static func make() throws -> String {
        var document = try AsyncAPIDocument()
        try document.write()
        return document.lines.joined(separator: "\n") + "\n"
    }

    private mutating func add(_ depth: Int, _ text: String) {
        lines.append(String(repeating: "  ", count: depth) + text)
    }

    private mutating func write() throws {
        lines = Self.head.split(separator: "\n", omittingEmptySubsequences: false).map { "\($0)" }
        writeChannel()
        writeOperations()
        add(0, "components:")
        add(1, "messages:")
        for operation in OperationDefinition.all { writeMessages(of: operation) }
        writeRefusal()
        for name in ServerEvent.Name.allCases {
            writeMessage(Self.event(name), "\(name.rawValue): an event")
        }
        add(1, "schemas:")
        for operation in OperationDefinition.all {
            let fields = try recorder.fields(of: operation.requestType)
            writeFrame(
                Self.request(operation),
                [("id", "type: integer"), ("op", "const: \(operation.name)")],
                fields,
                of: "\(operation.requestType)"
            )
            try writeReply(of: operation)
        }
        writeObject(
            "Refusal",
            [
                WireField(name: "id", schema: .integer, isRequired: false),
                WireField(name: "error", schema: .object("WireError"), isRequired: true),
            ]
        )
        try writeEvents()
        // No reply requires the error type as a field, so it is requested here.
        _ = try recorder.schema(of: WireError.self)
        for (name, fields) in recorder.objects.sorted(by: { $0.key < $1.key }) {
            writeObject(name, fields)
        }
    }

    /// A text for between single quotes.
    private func quoted(_ text: String) -> String { text.replacing("'", with: "''") }

    // MARK: Names

    private static func camel(_ name: String) -> String {
        name.split { $0 == "." || $0 == "_" }
            .map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    private static func request(_ operation: OperationDefinition) -> String {
        camel(operation.name) + "Request"
    }

    private static func reply(_ operation: OperationDefinition) -> String {
        camel(operation.name) + "Reply"
    }

    private static func event(_ name: ServerEvent.Name) -> String {
        camel(name.rawValue) + "Event"
    }

    private static var allMessages: [String] {
        OperationDefinition.all.flatMap { [request($0), reply($0)] } + ["Refusal"]
            + ServerEvent.Name.allCases.map(event)
    }

    // MARK: Parts

    private static let head = """
        # Made from Sources/ChatProtocol by `make reference`; a test holds it against the code.
        # docs/reference/protocol.md says what it all means; docs/reference/conformance has examples that clients can run.
        asyncapi: 3.0.0
        info:
          title: Stoa chat protocol
          version: 1.0.0
          description: >-
            One WebSocket, text frames, one JSON object each. Fields that are not listed are to be
            ignored, and so are events of other names.
          license:
            name: See LICENSE
        defaultContentType: application/json
        servers:
          local:
            host: localhost:8080
            protocol: ws
            description: >-
              Subprotocol stoa.v1. Signed in by the session's cookie, by Authorization: Bearer, or by the
              operation auth within 5 seconds.
        """

    private mutating func writeChannel() {
        add(0, "channels:")
        add(1, "chat:")
        add(2, "address: /ws")
        add(2, "messages:")
        for name in Self.allMessages {
            add(3, "\(name):")
            add(4, "$ref: '#/components/messages/\(name)'")
        }
        add(2, "x-close-codes:")
        for code in CloseCode.allCases {
            add(3, "'\(code.rawValue)': \(code.advice)")
        }
    }

    private mutating func writeOperations() {
        add(0, "operations:")
        for operation in OperationDefinition.all {
            add(1, "\(operation.name):")
            add(2, "summary: '\(quoted(words.operations[operation.name] ?? ""))'")
            add(2, "x-allowed: '\(quoted(operation.allowed))'")
            add(2, "x-scope: \(operation.scope.rawValue)")
            add(2, "action: receive")
            add(2, "channel:")
            add(3, "$ref: '#/channels/chat'")
            add(2, "messages:")
            add(3, "- $ref: '#/channels/chat/messages/\(Self.request(operation))'")
            add(2, "reply:")
            add(3, "channel:")
            add(4, "$ref: '#/channels/chat'")
            add(3, "messages:")
            add(4, "- $ref: '#/channels/chat/messages/\(Self.reply(operation))'")
            add(4, "- $ref: '#/channels/chat/messages/Refusal'")
        }
        add(1, "events:")
        add(2, "action: send")
        add(2, "channel:")
        add(3, "$ref: '#/channels/chat'")
        add(2, "messages:")
        for name in ServerEvent.Name.allCases {
            add(3, "- $ref: '#/channels/chat/messages/\(Self.event(name))'")
        }
    }

    private mutating func writeMessages(of operation: OperationDefinition) {
        writeMessage(Self.request(operation), "\(operation.name): the request")
        writeMessage(Self.reply(operation), "\(operation.name): the reply that grants it")
    }

    private mutating func writeRefusal() {
        writeMessage("Refusal", "the reply that refuses a request")
    }

    private mutating func writeMessage(_ name: String, _ summary: String) {
        add(2, "\(name):")
        add(3, "summary: '\(summary)'")
        add(3, "payload:")
        add(4, "$ref: '#/components/schemas/\(name)'")
    }

    private mutating func writeReply(of operation: OperationDefinition) throws {
        let type = operation.replyType
        let fields = try recorder.fields(of: type)
        add(2, "\(Self.reply(operation)):")
        add(3, "type: object")
        add(3, "required: [id, ok]")
        add(3, "properties:")
        add(4, "id:")
        add(5, "type: integer")
        add(4, "ok:")
        add(5, "type: object")
        writeFields(fields, of: "\(type)", at: 5)
    }

    private mutating func writeEvents() throws {
        for name in ServerEvent.Name.allCases {
            let fields = try recorder.fields(of: name)
            writeFrame(
                Self.event(name),
                [("ev", "const: \(name.rawValue)")],
                fields,
                of: words.type(of: name)
            )
        }
        add(2, "Event:")
        add(3, "oneOf:")
        for name in ServerEvent.Name.allCases {
            add(4, "- $ref: '#/components/schemas/\(Self.event(name))'")
        }
    }

    private mutating func writeFrame(
        _ name: String,
        _ head: [(String, String)],
        _ fields: [WireField],
        of type: String
    ) {
        add(2, "\(name):")
        add(3, "type: object")
        let required = head.map(\.0) + fields.filter(\.isRequired).map(\.name)
        add(3, "required: [\(required.joined(separator: ", "))]")
        add(3, "properties:")
        for (field, schema) in head {
            add(4, "\(field):")
            add(5, schema)
        }
        for field in fields { write(field, of: type, at: 4) }
    }

    private mutating func writeObject(_ name: String, _ fields: [WireField]) {
        add(2, "\(name):")
        add(3, "type: object")
        writeFields(fields, of: name, at: 3)
    }

    private mutating func writeFields(
        _ fields: [WireField],
        of type: String,
        at depth: Int
    ) {
        let required = fields.filter(\.isRequired).map(\.name)
        if !required.isEmpty {
            add(depth, "required: [\(required.joined(separator: ", "))]")
        }
        guard !fields.isEmpty else { return }
        add(depth, "properties:")
        for field in fields { write(field, of: type, at: depth + 1) }
    }

    private mutating func write(_ field: WireField, of type: String, at depth: Int) {
        add(depth, "\(field.name):")
        write(field.schema, at: depth + 1)
        if case .object = field.schema { return }
        guard let text = words.sentence(of: field.name, in: type) else { return }
        add(depth + 1, "description: '\(quoted(text.replacing("nil ", with: "absent ")))'")
    }

    private mutating func write(_ schema: WireSchema, at depth: Int) {
        switch schema {
        case .boolean: add(depth, "type: boolean")
        case .integer: add(depth, "type: integer")
        case .number: add(depth, "type: number")
        case .string: add(depth, "type: string")
        case .uuid:
            add(depth, "type: string")
            add(depth, "format: uuid")
        case .time:
            add(depth, "type: string")
            add(depth, "format: date-time")
        case .words(let words):
            add(depth, "type: string")
            add(depth, "enum: [\(words.joined(separator: ", "))]")
        case .array(let element):
            add(depth, "type: array")
            add(depth, "items:")
            write(element, at: depth + 1)
        case .map(let value):
            add(depth, "type: object")
            add(depth, "additionalProperties:")
            write(value, at: depth + 1)
        case .object(let name):
            add(depth, "$ref: '#/components/schemas/\(name)'")
        }
    }
}
