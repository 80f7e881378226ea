// The log of slow operations and statements.

import ChatProtocol
import FoundationEssentials
import Postgres
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("Slow log")
    struct SlowLogTests {
        @Test("a question that waits for a lock is logged with its statement, and without its text")
        func slowStatement() throws {
            let server = try StoaServer(["--slow-log-milliseconds", "50", "--titles", "off"])
            try server.addUser("ada")
            let peer = try server.connect(server.signIn("ada"))
            let conversation = try peer.createConversation()
            // Another slow statement may have had the plan of the same second.
            try eventually("a plan") {
                try sayWhileLocked(conversation, peer, server)
                return server.log.split(separator: "\n").contains {
                    $0.contains("plan of slow statement") && $0.contains("Transaction+Locking.")
                }
            }
            #expect(try server.stop() == .exited(0))
            let lines = server.log.split(separator: "\n").map(String.init)
            let locking = lines.filter { $0.contains("statement=Transaction+Locking.") }
            #expect(locking.contains { $0.hasSuffix("slow statement") && !$0.contains("plan=") })
            let plan = try #require(locking.first { $0.contains("plan=") })
            #expect(plan.contains("on conversations rows="))
            let operation = try #require(lines.first { $0.contains("operation=message.send") })
            for field in [
                "milliseconds=", "statements=", "wait_milliseconds=", "request=",
                "slowest_statement=Transaction+Locking.",
            ] {
                #expect(operation.contains(field), "\(field)")
            }
            #expect(lines.contains { $0.contains("operation=POST /api/v1/session") })
            #expect(!server.log.contains("nobody's-business"))
        }

        /// Sends a question whose transaction waits for the conversation's row.
        private func sayWhileLocked(
            _ conversation: ConversationID,
            _ peer: Peer,
            _ server: StoaServer
        ) throws {
            let (database, observer) = (try server.database(), try server.database())
            _ = try database.query("BEGIN")
            _ = try database.query(
                "SELECT FROM conversations WHERE id = $1 FOR UPDATE",
                [.uuid(conversation.uuid)]
            )
            let request = MessageSendRequest(
                conversation: conversation,
                key: UUID().uuidString,
                text: "nobody's-business"
            )
            let id = try peer.send(.messageSend, request)
            try eventually("a statement that has waited") {
                try !observer.query(
                    """
                    SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'
                        AND clock_timestamp() - query_start > interval '100 milliseconds'
                    """
                ).isEmpty
            }
            _ = try database.query("COMMIT")
            _ = try peer.reply(to: id)
        }

        @Test("without the setting nothing is logged as slow")
        func off() throws {
            let server = try StoaServer()
            try server.addUser("ada")
            _ = try server.signIn("ada")
            #expect(try server.stop() == .exited(0))
            #expect(!server.log.contains("slow"))
        }
    }
}
