// Tests that share a server: each creates its own conversations.

import Testing

/// The users of the shared server.
let tenPeople = ["ada", "bo", "cy", "dee", "eli", "fay", "gus", "hal", "ivy", "jo"]
/// Its administrator.
let administrator = "root"
/// Users only for the permission matrix: their accounts and sign-ins end in it.
let extras = ["una", "vic", "wim"]

extension EndToEnd {
    /// Tests that work on a server shared with others.
    @Suite(
        "On one server",
        .serialized,
        .onADedicatedThread,
        .server(
            users: tenPeople + extras,
            administrator: administrator,
            [
                "--team-creation", "everyone", "--allowed-hosts", "h",
                // The permission matrix sends more requests per minute than the limits allow.
                "--questions-per-minute", "0", "--searches-per-minute", "0",
                "--transfers-per-minute", "0",
            ]
        )
    )
    struct OneServer {
        func connect(_ user: String) throws -> Peer { try SharedServer.connect(user) }
    }
}
