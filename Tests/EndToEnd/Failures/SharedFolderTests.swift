// A second server on the same data directory: it joins as a node, and outlives the one that started
// their PostgreSQL.

import ChatProtocol
import Glibc
import Testing

extension EndToEnd.Failures {
    @Suite("Two servers on one data directory")
    struct TwoServersOnOneFolder {
        private let joined = "data directory in use by another server; joining as another node"

        /// Two servers, and the token of a user.
        private func servers() throws -> (first: StoaServer, second: StoaServer, token: String) {
            let first = try StoaServer(["--lease-seconds", "3"])
            try first.addUser("ada")
            let second = try StoaServer(beside: first, ["--lease-seconds", "3"])
            return (first, second, try first.signIn("ada"))
        }

        /// Asks a server a question, and waits for the complete answer.
        private func chat(with server: StoaServer, _ token: String) throws {
            let peer = try server.connect(token)
            let conversation = try peer.createConversation()
            var mirror = try peer.watch(conversation)
            let answer = try peer.say("What is 2 + 3?", in: conversation).answer.id
            try peer.follow(&mirror, until: answer)
            #expect(mirror.state(of: answer) == .complete)
        }

        @Test("the second one logs that, and the doctor names both")
        func says() throws {
            let (first, second, _) = try servers()
            #expect(!first.log.contains(joined))
            #expect(second.log.contains(joined), "\(second.log)")
            let (_, output, _) = try second.command(
                ["doctor", "--data-dir", second.dataDirectory, "--port", "\(second.port)"]
            )
            #expect(output.contains("2 servers run on this database"), "\(output)")
            try second.stop()
            try first.stop()
            try first.start()
            #expect(!first.log.contains(joined), "a lock was left behind")
        }

        @Test(
            "when the first stops, the second continues with its PostgreSQL, and stops it in the end"
        )
        func firstStops() throws {
            let (first, second, token) = try servers()
            let postmaster = try #require(first.postmaster)
            #expect(try first.stop() == .exited(0), "\(first.log)")
            #expect(second.postmaster == postmaster)
            try chat(with: second, token)
            #expect(try second.stop() == .exited(0), "\(second.log)")
            #expect(second.postmaster == nil, "PostgreSQL was left running")
        }

        @Test("when the first is killed with its PostgreSQL, the second restarts that")
        func firstDiesWithItsDatabase() throws {
            let (first, second, token) = try servers()
            let postmaster = try #require(first.postmaster)
            try first.kill()
            try first.killPostmaster()
            try eventually("PostgreSQL runs again") {
                try second.postmaster.map { $0 != postmaster } == true
                    && second.get("/readyz").status == 200
            }
            try chat(with: second, token)
            #expect(try second.stop() == .exited(0), "\(second.log)")
            #expect(second.postmaster == nil, "PostgreSQL was left running")
        }
    }
}
