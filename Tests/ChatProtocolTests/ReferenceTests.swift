import ChatProtocol
import Testing

@Suite("docs/reference, as `make reference` writes it")
struct ReferenceTests {
    @Test("has asyncapi.yaml as the types say, no less and no more")
    func asyncAPI() throws {
        try GeneratedFile("asyncapi.yaml", text: AsyncAPIDocument.make()).expectIsCurrent()
    }

    @Test("has the table of operations as they are defined")
    func operationTable() throws {
        try GeneratedFile(
            "protocol.md",
            after: "|---|---|---|---|---|",
            before: "",
            lines: OperationTable.rows
        ).expectIsCurrent()
    }

    @Test("has the table of metrics as they are defined, each once")
    func metricTable() throws {
        try GeneratedFile(
            "metrics.md",
            after: "|---|---|---|---|---|",
            before: "",
            lines: MetricTable.rows
        ).expectIsCurrent()
        #expect(Set(MetricTable.rows).count == MetricTable.rows.count)
    }

    @Test("has each example among the requests that are accepted")
    func exampleRequests() throws {
        try GeneratedFile(
            "conformance/requests.json",
            after: " \"accepted\": [",
            before: " ],",
            lines: ExampleRequests.lines
        ).expectIsCurrent()
    }

    @Test("names each field that an operation takes", arguments: OperationDefinition.all)
    func fieldsTaken(operation: OperationDefinition) throws {
        let takes = operation.documentation.takes
        for field in try SchemaRecorder().fields(of: operation.requestType) {
            let isNamed = takes.contains("`\(field.name)`")
            #expect(
                isNamed || (!field.isRequired && takes.contains("`\(field.name)?`")),
                "\(field)"
            )
        }
    }

    @Test("says of each declared operation what it does, and all are in the list of operations")
    func summaries() throws {
        let declared = try SourceWords().operations
        #expect(declared.keys.sorted() == OperationDefinition.all.map(\.name).sorted())
        #expect(declared.values.allSatisfy { $0.hasSuffix(".") })
    }

    @Test("has the fields that types read, required or not")
    func fields() throws {
        let recorder = SchemaRecorder()
        let send = try recorder.fields(of: MessageSendRequest.self)
        #expect(send.contains(WireField(name: "key", schema: .string, isRequired: true)))
        #expect(send.contains(WireField(name: "parent", schema: .uuid, isRequired: false)))
        let reply = try recorder.fields(of: ConversationWatchReply.self)
        #expect(
            reply.contains(
                WireField(
                    name: "growing",
                    schema: .array(.object("GrowingAnswer")),
                    isRequired: true
                )
            )
        )
        let delta = try recorder.fields(of: .messageDelta)
        #expect(delta.map(\.name) == ["conversation", "message", "run", "at", "to", "text"])
    }
}
