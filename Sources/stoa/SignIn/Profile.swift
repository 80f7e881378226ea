// A sign-in that the program remembers.

package import HTTPProtocol

/// A user on a server, with the token of a sign-in.
package struct Profile: Codable, Hashable, Sendable {
    /// Its name: for `--server NAME`.
    package var name: String
    /// The server's URL.
    package var server: String
    /// The user's name.
    package var user: String
    /// The bearer token: a sign-in's, or an API key.
    package var token: String

    /// A profile.
    /// - Parameters:
    ///   - name: its name; by default the user and the server, such as "ada@chat.example.org".
    ///   - server: the server.
    ///   - user: the user's name.
    ///   - token: the bearer token.
    package init(name: String? = nil, server: HTTPOrigin, user: String, token: String) {
        self.name = name ?? "\(user)@\(server.authority)"
        self.server = server.description
        self.user = user
        self.token = token
    }

    /// Whether it is a sign-in at a server, of a user unless that is nil.
    func isOf(_ server: HTTPOrigin, _ user: String?) -> Bool {
        self.server == server.description && (user == nil || user == self.user)
    }
}
