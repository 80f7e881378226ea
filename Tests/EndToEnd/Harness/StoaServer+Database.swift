// The database behind a server, for what only it can show or do.

import Postgres

extension StoaServer {
    /// A connection to its database, as the owner of the tables unless another role is named.
    func database(as role: String = "stoa") throws -> BlockingConnection {
        try BlockingConnection(
            PostgresConfiguration(connectionString: try databaseParameters(of: role))
        )
    }

    /// The way to its database, as libpq reads it.
    func databaseParameters(of role: String) throws -> String {
        "host=\(try postgresSocketFolder()) dbname=stoa user=\(role)"
    }
}
