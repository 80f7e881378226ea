// Direct access to a server's database.

import ChatProtocol
import Postgres

extension StoaServer {
    /// A connection to its database, as the owner of the tables or as another role.
    func database(as role: String = "stoa") throws -> BlockingConnection {
        try BlockingConnection(
            PostgresConfiguration(connectionString: try databaseParameters(of: role))
        )
    }

    /// The stored hash of a user's password.
    func passwordHash(of name: String) throws -> String {
        let rows = try database().query(
            "SELECT password_hash FROM users WHERE name = $1",
            [.text(name)]
        )
        guard let row = rows.first else { throw HarnessError("there is no user \(name)") }
        return try row.decode(as: String.self)
    }

    /// Adds a user as `AccountStore.addUser` does.
    func addUser(_ name: String, isAdmin: Bool, passwordHash: String) throws {
        _ = try database().query(
            "INSERT INTO users (id, name, password_hash, is_admin) VALUES ($1, $2, $3, $4)",
            [.uuid(UserID.make().uuid), .text(name), .text(passwordHash), .bool(isAdmin)]
        )
    }

    /// The connection parameters of its database, for libpq.
    func databaseParameters(of role: String) throws -> String {
        "host=\(try postgresSocketFolder()) dbname=stoa user=\(role)"
    }
}
