// Operations on the connection itself.

import ChatProtocol
import ChatStore

extension OperationRouter {
    mutating func addConnections() {
        // The connection is already authenticated by its first frame or its handshake.
        handle(.auth) { session, _ in AuthReply(user: session.user) }
        handle(.ping) { _, _ in PingReply(time: .now) }
    }
}
