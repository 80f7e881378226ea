// What a node did in the last seconds.

/// The load of the node that was asked, over the last ten seconds.
public struct ServerLoad: Codable, Hashable, Sendable {
    /// The tokens that a model generates.
    public struct ModelSpeed: Codable, Hashable, Sendable {
        /// The model's name.
        public var model: String
        /// Tokens of answers per second; of a remote model, pieces of text.
        public var tokensPerSecond: Double

        /// Creates a speed.
        public init(model: String, tokensPerSecond: Double) {
            self.model = model
            self.tokensPerSecond = tokensPerSecond
        }

        enum CodingKeys: String, CodingKey {
            case model
            case tokensPerSecond = "tokens_per_second"
        }
    }

    /// The seconds that speeds and lags are of: fewer just after the start.
    public var seconds: Double
    /// 99 % of the turns of the event loop were at most so long, in milliseconds: an upper bound.
    public var usualLagMilliseconds: Double
    /// No turn was longer, in milliseconds: an upper bound.
    public var longestLagMilliseconds: Double
    /// Open connections to PostgreSQL.
    public var databaseConnections: Int
    /// Those of them in use.
    public var databaseConnectionsUsed: Int
    /// Statements and transactions that wait for a connection.
    public var databaseWaiting: Int
    /// The models that generated tokens, by name.
    public var models: [ModelSpeed]

    /// Creates a load.
    public init(
        seconds: Double,
        usualLagMilliseconds: Double,
        longestLagMilliseconds: Double,
        databaseConnections: Int,
        databaseConnectionsUsed: Int,
        databaseWaiting: Int,
        models: [ModelSpeed]
    ) {
        self.seconds = seconds
        self.usualLagMilliseconds = usualLagMilliseconds
        self.longestLagMilliseconds = longestLagMilliseconds
        self.databaseConnections = databaseConnections
        self.databaseConnectionsUsed = databaseConnectionsUsed
        self.databaseWaiting = databaseWaiting
        self.models = models
    }

    enum CodingKeys: String, CodingKey {
        case seconds
        case usualLagMilliseconds = "usual_lag_ms"
        case longestLagMilliseconds = "longest_lag_ms"
        case databaseConnections = "database_connections"
        case databaseConnectionsUsed = "database_connections_used"
        case databaseWaiting = "database_waiting"
        case models
    }
}
