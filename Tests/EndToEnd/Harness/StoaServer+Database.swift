// Direct access to a server's database.

import Postgres

extension StoaServer {
    /// A connection to its database, as the owner of the tables or as another role.
    func database(as role: String = "stoa") throws -> BlockingConnection {
        try BlockingConnection(
            PostgresConfiguration(connectionString: try databaseParameters(of: role))
        )
    }

    /// The connection parameters of its database, for libpq.
    func databaseParameters(of role: String) throws -> String {
        "host=\(try postgresSocketFolder()) dbname=stoa user=\(role)"
    }
}
