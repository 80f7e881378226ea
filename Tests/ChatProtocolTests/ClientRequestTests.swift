import ChatProtocol
import Testing

@Suite("A client's frame")
struct ClientRequestTests {
    private func refusal(_ text: String) -> RefusedFrame? {
        do {
            _ = try ClientRequest.parse(Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test("becomes a typed request")
    func typed() throws {
        let conversation = ConversationID.make()
        let text = """
            {"id":7,"op":"message.send","conversation":"\(conversation)","key":"k","text":"Hi","x":1}
            """
        let request = try ClientRequest.parse(Array(text.utf8))
        #expect(request.id == 7)
        let send = try #require(request.body(of: .messageSend))
        #expect(request.body(of: .messageEdit) == nil)
        #expect(send.conversation == conversation)
        #expect(send.text == "Hi")
        #expect(send.parent == nil)
    }

    @Test(
        "that is not a request is refused with a message that names the error",
        arguments: [
            ("", nil, ErrorCode.badRequest, "JSON"),
            ("[]", nil, .badRequest, "JSON"),
            ("{\"id\":1", nil, .badRequest, "JSON"),
            ("{}", nil, .badRequest, "id must be"),
            (#"{"id":"seven","op":"ping"}"#, nil, .badRequest, "id must be"),
            (#"{"id":1.5,"op":"ping"}"#, nil, .badRequest, "id must be"),
            (#"{"id":1}"#, 1, .badRequest, "op must be"),
            (#"{"id":1,"op":7}"#, 1, .badRequest, "op must be"),
            (#"{"id":1,"op":"drop table"}"#, 1, .unknownOp, "no such operation"),
            (#"{"id":2,"op":"message.send"}"#, 2, .badRequest, "conversation is missing"),
            (#"{"id":2,"op":"auth","token":5}"#, 2, .badRequest, "token must be a string"),
            (
                #"{"id":3,"op":"conversation.get","conversation":"x' OR 1=1"}"#, 3, .badRequest,
                "conversation is not a UUID"
            ),
            (
                #"{"id":3,"op":"conversation.list","limit":"many"}"#, 3, .badRequest,
                "limit must be a whole number"
            ),
        ] as [(String, Int64?, ErrorCode, String)]
    )
    func refused(text: String, id: Int64?, code: ErrorCode, sentence: String) throws {
        let refused = try #require(refusal(text))
        #expect(refused.id == id)
        #expect(refused.error.code == code)
        #expect(refused.error.message.contains(sentence))
    }

    @Test("with deep nesting is refused, and does not crash")
    func deep() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(refusal(deep) != nil)
        #expect(refusal("{\"id\":1,\"op\":\"ping\",\"x\":" + deep) != nil)
    }

    @Test("can contain each operation, and an outgoing request decodes to itself")
    func roundTrip() throws {
        let body = GenerationStopRequest(message: .make(), seen: 12)
        let text = WireEncoding.text(OutgoingRequest(id: 9, .generationStop, body))
        let request = try ClientRequest.parse(text)
        let stop = try #require(request.body(of: .generationStop))
        #expect(stop.message == body.message)
        #expect(stop.seen == 12)
        for operation in OperationDefinition.all {
            let refused = refusal(#"{"id":1,"op":"\#(operation.name)"}"#)
            #expect(refused?.error.code != .unknownOp)
        }
    }
}
