// `stoa user add`, with and without a running server.

import ChatProtocol
import Testing

extension EndToEnd.OneServer {
    @Test("a user can be added whether the server is running or not")
    func addingUsers() throws {
        let server = try SharedServer.server()
        try server.addUser("pam")
        _ = try server.connect(server.signIn("pam"))

        #expect(try server.stop() == .exited(0))
        try server.addUser("lou")
        #expect(server.postmaster == nil, "PostgreSQL was left running")
        try server.start()
        _ = try server.connect(server.signIn("lou"))

        #expect(try server.stop() == .exited(0))
        #expect(server.unreadOutput.isEmpty, "there are users, so no sign-up link")
        try server.start()
    }

    @Test(
        "an invalid user is refused with an error message",
        arguments: [
            ("ada", "long enough", "taken"), ("ADA", "long enough", "taken"),
            ("kit", "short", "password"), ("kit", "", "password"),
            ("", "long enough", "name"), ("a b", "long enough", "name"),
        ]
    )
    func refusedUsers(name: String, password: String, word: String) throws {
        let server = try SharedServer.server()
        let (end, output, errors) = try server.command(
            ["user", "add", name, "--password-stdin", "--data-dir", server.dataDirectory],
            input: "\(password)\n"
        )
        guard case .exited(let status) = end else {
            Issue.record("\(end)")
            return
        }
        #expect(status != 0)
        #expect(output.isEmpty)
        #expect(errors.contains(word), "\(errors)")
        #expect(errors.split(separator: "\n").count <= 3, "\(errors)")
    }
}
