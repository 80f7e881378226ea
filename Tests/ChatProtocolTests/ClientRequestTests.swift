import ChatProtocol
import FoundationEssentials
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
        "with an unknown field inside one of its objects is refused by that field's name",
        arguments: [
            (
                #""op":"conversation.update","conversation":"ID","settings":{"seedd":7,"seed":7}"#,
                "settings.seedd is an unknown field: known are temperature, top_p, max_tokens, seed, stop"
            ),
            (
                #""op":"conversation.create","key":"k","settings":{"top_k":40}"#,
                "settings.top_k is an unknown field"
            ),
            (
                #""op":"conversation.update","conversation":"ID","library":{"prompt":"ID","name":"x"}"#,
                "library.name is an unknown field: known are prompt, version"
            ),
        ]
    )
    func unknownFields(body: String, message: String) throws {
        let text = "{\"id\":5,\(body)}".replacing("ID", with: "\(ConversationID.make())")
        let refused = try #require(refusal(text))
        #expect(refused.id == 5)
        #expect(refused.error.code == .badRequest)
        #expect(refused.error.message.hasPrefix(message), "\(refused.error.message)")
    }

    @Test("no unknown field's name makes a refusal long")
    func longFieldName() throws {
        let name = String(repeating: "x", count: 100_000)
        let text = #"{"id":5,"op":"conversation.create","key":"k","settings":{"\#(name)":1}}"#
        #expect(try #require(refusal(text)).error.message.utf8.count < 300)
    }

    @Test("keeps all settings, and what a newer server sends beside them is ignored")
    func settings() throws {
        let settings = GenerationSettings(
            temperature: 0.5,
            topP: 0.9,
            maxTokens: 7,
            seed: GenerationSettings.seedRange.upperBound,
            stop: ["a\n", "🙂"]
        )
        let text = try JSONEncoder().encode(
            ConversationCreateRequest(key: "k", settings: settings)
        )
        let frame =
            #"{"id":1,"op":"conversation.create","#
            + String(decoding: text, as: UTF8.self).dropFirst()
        let request = try ClientRequest.parse(Array(frame.utf8)).body(of: .conversationCreate)
        #expect(request?.settings == settings)
        let newer = #"{"seed":7,"top_k":40}"#
        #expect(
            try JSONDecoder().decode(GenerationSettings.self, from: Data(newer.utf8))
                == GenerationSettings(seed: 7)
        )
    }

    @Test(
        "may hold settings within their bounds alone",
        arguments: [
            (GenerationSettings(temperature: 2, topP: 1, maxTokens: 1, seed: 0, stop: []), nil),
            (GenerationSettings(seed: 1 << 53), "seed must be 0 to 9007199254740991"),
            (GenerationSettings(seed: -1), "seed must be"),
            (GenerationSettings(temperature: 2.1), "temperature must be"),
            (GenerationSettings(topP: 0), "top_p must be"),
            (GenerationSettings(maxTokens: 0), "max_tokens must be"),
            (
                GenerationSettings(stop: (0..<17).map { "\($0)" }),
                "stop has more than 16 texts"
            ),
            (GenerationSettings(stop: [""]), "a text of stop must have"),
            (GenerationSettings(stop: ["a\0"]), "a text of stop must have"),
            (GenerationSettings(stop: [String(repeating: "x", count: 257)]), "a text of stop must"),
        ] as [(GenerationSettings, String?)]
    )
    func bounds(settings: GenerationSettings, violation: String?) {
        if let violation {
            #expect(settings.violation?.hasPrefix(violation) == true)
            #expect(settings.withinBounds.violation == nil)
        } else {
            #expect(settings.violation == nil)
            #expect(settings.withinBounds == settings)
        }
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
