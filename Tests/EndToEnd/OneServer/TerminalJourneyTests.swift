// Recorded sessions on a terminal: signing in and out with a password, and following a conversation.

import ChatProtocol
import Testing

extension EndToEnd.OneServer {
    @Suite(
        "Recorded on a terminal",
        .serialized,
        .disabled(if: TerminalWindow.isMissing, "needs tmux: make setup installs it")
    )
    struct TerminalJourneys {
        @Test("stoa login asks for name and password, shows neither the password nor its length")
        func login() throws {
            let server = try SharedServer.server()
            let origin = ["origin": server.origin]
            let command = ["login", server.origin, "--profile", "recorded"]
            let wrong = try TerminalWindow(server, command)
            try wrong.wait(for: "User:")
            try wrong.type("jo")
            try wrong.press("Enter")
            try wrong.wait(for: "User: jo\nPassword of jo:")
            try wrong.type("not it")
            try wrong.press("Enter")
            try wrong.wait(
                for: """
                    User: jo
                    Password of jo:
                    stoa: the name or the password is wrong
                    exit 77
                    """
            )

            let right = try TerminalWindow(server, command)
            try right.wait(for: "User:")
            try right.type("jo")
            try right.press("Enter")
            try right.wait(for: "User: jo\nPassword of jo:")
            try right.type(server.password(of: "jo"))
            try right.press("Enter")
            try right.wait(
                for: """
                    User: jo
                    Password of jo:
                    signed in as jo at {origin} (recorded)
                    exit 0
                    """,
                origin
            )
            try TerminalWindow(server, ["whoami", "--server", "recorded"])
                .wait(for: "jo at {origin} (recorded)\nexit 0", origin)
            try TerminalWindow(server, ["logout", "recorded"])
                .wait(for: "signed out recorded\nexit 0")
            try TerminalWindow(server, ["logout", "recorded"])
                .wait(for: "stoa: there is no sign-in at http://recorded\nexit 67")
        }

        @Test("stoa tail shows what was said, and what another member asks and gets meanwhile")
        func tail() throws {
            let server = try SharedServer.server()
            let peer = try SharedServer.connect("eli")
            let conversation = try peer.createConversation(
                title: "Recorded",
                settings: GenerationSettings(maxTokens: 8)
            )
            let add = MemberAddRequest(conversation: conversation, user: "fay")
            _ = try peer.call(.memberAdd, add, as: MemberReply.self)
            var mirror = try peer.watch(conversation)
            let first = try peer.say("What is 2 + 3?", in: conversation).answer.id
            try peer.follow(&mirror, until: first)
            _ = try server.command(
                ["login", server.origin, "--user", "fay", "--password-stdin"],
                input: "\(server.password(of: "fay"))\n"
            )
            let window = try TerminalWindow(
                server,
                ["tail", "Recorded", "--server", server.origin, "--user", "fay"]
            )
            let before = """
                eli: What is 2 + 3?

                stoa-demo: {first}
                """
            try window.wait(for: before, ["first": mirror.text(of: first)])

            let second = try peer.say("\u{1B}]0;no\u{7}And 3 + 4?", in: conversation).answer.id
            try peer.follow(&mirror, until: second)
            let texts = ["first": mirror.text(of: first), "second": mirror.text(of: second)]
            let after = """
                \(before)

                eli: And 3 + 4?

                stoa-demo: {second}
                """
            try window.wait(for: after, texts)
            try window.press("C-c")
            try window.wait(for: "\(after)\n\n^Cexit 130", texts)
        }
    }
}
