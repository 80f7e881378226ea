// `stoa chat`: the same conversation in a terminal.

import ChatProtocol
import Testing

extension EndToEnd.OneServer {
    @Test("a teammate in a terminal asks, and all members see the same answer")
    func terminal() throws {
        let server = try SharedServer.server()
        let peer = try connect("ada")
        let conversation = try peer.createConversation()
        let add = MemberAddRequest(conversation: conversation, user: "bo")
        _ = try peer.call(.memberAdd, add, as: MemberReply.self)
        var mirror = try peer.watch(conversation)
        let (end, output, errors) = try server.command(
            [
                "chat", "--server", server.origin, "--user", "bo", "--password-stdin",
                "\(conversation)",
            ],
            input: """
                \(server.password(of: "bo"))
                What is the capital of France?
                Tell me a long story.

                """
        )
        #expect(end == .exited(0), "\(errors)")
        try peer.follow(&mirror) {
            $0.order.count == 4 && $0.state(of: $0.order[3])?.isFinal == true
        }
        let stored = try peer.messages(of: conversation)
        #expect(stored.map(\.author?.name) == ["bo", nil, "bo", nil])
        for message in stored {
            #expect(mirror.text(of: message.id) == message.text)
            guard message.role == .assistant else { continue }
            #expect(message.state == .complete)
            #expect(output.contains(message.text), "\(output)")
        }
        #expect(output.hasPrefix(stored[1].text), "only answers go to standard output: \(output)")
    }

    @Test("a wrong password ends the terminal's chat with an error message")
    func wrongPassword() throws {
        let server = try SharedServer.server()
        let (end, output, errors) = try server.command(
            ["chat", "--server", server.origin, "--user", "cy", "--password-stdin"],
            input: "not the password\nHello!\n"
        )
        guard case .exited(let status) = end else {
            Issue.record("\(end)")
            return
        }
        #expect(status != 0)
        #expect(output.isEmpty)
        #expect(errors.contains("wrong"), "\(errors)")
    }
}
