// Tests that share a server: each makes conversations of its own.

import Testing

/// The people on the shared server.
let tenPeople = ["ada", "bo", "cy", "dee", "eli", "fay", "gus", "hal", "ivy", "jo"]
/// Who administers it.
let administrator = "root"

extension EndToEnd {
    /// What can be seen on a server that other things happen on too.
    @Suite("On one server", .server(users: tenPeople, administrator: administrator))
    struct OneServer {
        func connect(_ user: String) throws -> Peer { try SharedServer.connect(user) }
    }
}
