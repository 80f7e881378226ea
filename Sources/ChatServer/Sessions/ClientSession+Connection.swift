// Operations on the connection itself.

import ChatProtocol
import ChatStore

extension OperationRouter {
    mutating func addConnections() {
        // The first frame signed in, or the handshake did; again changes nothing.
        handle(.auth) { session, _ in AuthReply(user: session.user) }
        handle(.ping) { _, _ in PingReply(time: .now) }
    }
}
