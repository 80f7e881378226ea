// What bash completes with the program's script.

import ChatProtocol
import FoundationEssentials
import TestSupport
import Testing

extension EndToEnd.OneServer {
    @Test("bash completes titles, and executes nothing of a title of others")
    func shellCompletion() throws {
        let server = try SharedServer.server()
        try server.addUser("eve")
        let peer = try server.connect(try server.signIn("eve"))
        let folder = try TemporaryFolder()
        let proof = "\(folder.path)/proof"
        let hostile = try peer.createConversation(title: "$(touch \(proof))`touch \(proof)`")
        _ = try peer.createConversation(title: "Green tea")
        _ = try server.command(
            ["login", server.origin, "--user", "eve", "--password-stdin"],
            input: "\(server.password(of: "eve"))\n"
        )
        let script = try server.command(["--generate-completion-script", "bash"]).output
        let path = try folder.write("stoa.bash", Array(script.utf8))
        let bin = StoaServer.program.split(separator: "/").dropLast()
        let program = try Program(
            "/bin/bash",
            [
                "--norc", "-c",
                """
                source '\(path)'; COMP_WORDS=(stoa chat '') COMP_CWORD=2; COMP_LINE='stoa chat '
                COMP_POINT=10; _stoa stoa '' chat; printf '%s\\n' "${COMPREPLY[@]}"
                """,
            ],
            environment: [
                "PATH": "/\(bin.joined(separator: "/")):/usr/bin:/bin",
                "XDG_CONFIG_HOME": "\(server.folder.path)/config",
                "STOA_SERVER": server.origin,
            ],
            errorPath: "\(folder.path)/errors"
        )
        let (_, output) = try program.end()
        let words = output.split(separator: "\n")
        #expect(words.contains(#"Green\ tea"#), "\(output) \(program.errorOutput)")
        #expect(words.contains("\(hostile)"), "\(output)")
        #expect(!FileManager.default.fileExists(atPath: proof))
    }
}
