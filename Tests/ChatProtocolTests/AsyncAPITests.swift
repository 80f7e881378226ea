import ChatProtocol
import FoundationEssentials
import TestSupport
import Testing

@Suite("docs/reference/asyncapi.yaml")
struct AsyncAPITests {
    @Test("is up to date with the code")
    func isCurrent() throws {
        let made = try AsyncAPIDocument.make()
        if ProcessInfo.processInfo.environment["STOA_WRITE_ASYNCAPI"] != nil {
            try made.write(toFile: AsyncAPIDocument.path, atomically: true, encoding: .utf8)
        }
        let kept = try String(contentsOfFile: AsyncAPIDocument.path, encoding: .utf8)
        let difference = zip(
            made.split(separator: "\n", omittingEmptySubsequences: false),
            kept.split(separator: "\n", omittingEmptySubsequences: false)
        ).first { $0 != $1 }
        #expect(
            made == kept,
            "run `make asyncapi`; the first difference: \(difference ?? ("", ""))"
        )
    }

    @Test("has the fields of all types, required or not")
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
