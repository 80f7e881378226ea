// Tests that share a server: each makes conversations of its own.

import Testing

/// The people on the shared server.
let tenPeople = ["ada", "bo", "cy", "dee", "eli", "fay", "gus", "hal", "ivy", "jo"]
/// Who administers it.
let administrator = "root"
/// Those whom only the matrix of permissions knows: their accounts and sign-ins don't last.
let extras = ["una", "vic", "wim"]

extension EndToEnd {
    /// What can be seen on a server that other things happen on too.
    @Suite(
        "On one server",
        .serialized,
        .onAThreadOfItsOwn,
        .server(
            users: tenPeople + extras,
            administrator: administrator,
            [
                "--team-creation", "everyone", "--allowed-hosts", "h",
                // The matrix of permissions asks more in a minute than anybody may.
                "--questions-per-minute", "0", "--searches-per-minute", "0",
                "--transfers-per-minute", "0",
            ]
        )
    )
    struct OneServer {
        func connect(_ user: String) throws -> Peer { try SharedServer.connect(user) }
    }
}
