// The settings as plain values. ServerSettings+Definitions.swift has their names, forms and help
// texts; the command reads the sources (options, environment, file).

package import ChatCore
package import ChatStore
import Glibc
import Inference
public import PhiModel

/// The server's settings. A new value has the defaults.
public struct ServerSettings: Sendable, Hashable {
    /// The address to listen on.
    public var host = "127.0.0.1"
    /// The TCP port to listen on; 0 lets the system choose one.
    public var port = 8080
    /// Path of an additional Unix socket to listen on; nil for none.
    public var unixSocket: String?
    /// The permissions of that socket.
    public var unixSocketMode = 0o600
    /// Number of event loop threads; with more than one, the first runs the chat logic and the
    /// others network I/O.
    public var loopCount = 1
    /// Whether to use io_uring where many clients get something at once.
    public var ioUring = Switch.on
    /// Addresses whose connections begin with a PROXY header.
    public var proxyProtocolFrom: [AddressRange] = []
    /// The folder of all stored data. Never empty once settings were read.
    public var dataDirectory = ""
    /// The PostgreSQL database; nil for a private cluster in the data directory.
    public var databaseURL: String?
    /// The folder for archived WAL of the private database; nil for none.
    public var walArchive: String?
    /// Maximum connections to PostgreSQL.
    public var databaseConnections = 8
    /// What provides connections to that PostgreSQL.
    public var databasePooling = DatabasePooling.session
    /// The database URL for LISTEN; nil to use `databaseURL`, "none" to disable LISTEN.
    public var databaseListenURL: String?
    /// How long to wait at start for an unreachable database; zero for one attempt.
    public var databaseWait: Duration = .seconds(60)
    /// The name of this node among several on one database.
    public var nodeName = ServerSettings.hostName
    /// Folders or names of models, the default first; empty for the demo model.
    public var models: [String] = []
    /// Names of the models for clients, in the same order; the others are named after their
    /// folders.
    public var modelNames: [String] = []
    /// Adapters of these models, each a model of its own name.
    package var adapters: [AdapterSetting] = []
    /// Engines on other machines.
    package var remoteEngines: [RemoteEngineSetting] = []
    /// Who may download models from the hub through the server.
    public var modelPull = ModelPullPolicy.administrators
    /// Compute threads of all models; 0 for a default by the number of cores.
    public var threadCount = 0
    /// Memory limit of all models together, in MiB; 0 for a default by the machine's memory.
    public var modelMebibytes = 0
    /// Answers generated at the same time.
    public var slotCount = 4
    /// Memory for the KV cache of a model, in MiB; 0 for a quarter of the machine's memory.
    public var keyValueMebibytes = 0
    /// Precision of the KV cache.
    public var keyValueBits = KeyValueBits.sixteen
    /// Whether to use speculative decoding where it makes answers faster.
    public var speculation = Switch.on
    /// Disk space for KV cache pages of all models together, in MiB; 0 to store none.
    public var keyValueDiskMebibytes = 8192
    /// Maximum queued answers of all users together.
    public var queueLimit = 1000
    /// Maximum queued and running answers per user.
    public var queueLimitPerUser = 250
    /// Maximum queued and running answers per team; 0 for no limit.
    public var queueLimitPerTeam = 500
    /// Maximum running answers per user; 0 for half of the slots.
    public var runningPerUser = 0
    /// Maximum running answers per team; 0 for no limit.
    public var runningPerTeam = 0
    /// Maximum tokens of one user's running answers, beyond the first answer.
    public var runningTokensPerUser = 2048
    /// Default maximum length of an answer, in tokens.
    public var maxTokens = 1024
    /// Default maximum length of an answer's thinking part, in tokens; 0 for half of the answer's.
    public var maxThinkingTokens = 0
    /// Limits of thinking parts for single models.
    public var modelThinking: [ModelThinkingSetting] = []
    /// Minimum length of an answer, in tokens, for which a token budget must have room.
    public var answerTokensMin = 16
    /// Default token budget per user and day; 0 for no limit.
    public var tokensPerUserDaily = 0
    /// Default token budget per user and calendar month; 0 for no limit.
    public var tokensPerUserMonthly = 0
    /// Default sampling temperature.
    public var temperature = 0.0
    /// How a run selects LongRoPE's factor set, for models with LongRoPE.
    public var ropeRule = RopeRule.perRun
    /// Whether the model makes titles of conversations.
    public var titles = Switch.on
    /// Default system prompt.
    public var systemPrompt = "You are a helpful assistant."
    /// Whether to compress WebSocket messages if the client offers it.
    public var webSocketCompression = Switch.off
    /// Files of the certificate chains (PEM), the one for unknown names first; empty to serve
    /// without TLS.
    public var tlsCertificates: [String] = []
    /// Files of their private keys (PEM), in the same order.
    public var tlsKeys: [String] = []
    /// Whether to create and use a self-signed certificate.
    public var tlsSelfSigned = Switch.off
    /// Days for which browsers must use TLS after they have used it once; 0 to send no HSTS header.
    public var hstsDays = 180
    /// The server's URL for browsers, such as `https://chat.example.org`: scheme, host and port.
    public var publicURL: String?
    /// Additional host names to which requests may be sent, in lower case; `*` for all.
    public var allowedHosts: [String] = []
    /// Additional origins whose pages may use the server.
    public var allowedOrigins: [String] = []
    /// How long an unused sign-in stays valid.
    public var sessionIdle: Duration = .seconds(30 * 86400)
    /// Maximum age of a sign-in, however much it is used.
    public var sessionMax: Duration = .seconds(90 * 86400)
    /// Who may create an account.
    public var registration = RegistrationPolicy.closed
    /// Threads for password hashing, each of which takes 128 MiB; 0 for a default by the machine.
    public var hashingThreads = 0
    /// Maximum queued sign-ins.
    public var hashingQueueLimit = 64
    /// Proxies that are trusted to state the client's address.
    public var trustedProxies: [AddressRange] = []
    /// The header in which they state it.
    public var forwardedHeader = ForwardedHeader.xForwardedFor
    /// The header in which a proxy names the user; nil for none.
    public var signInHeader: String?
    /// Proxies that are trusted to name the user.
    public var signInHeaderFrom: [AddressRange] = []
    /// Whether to create accounts for users named by a proxy.
    public var signInHeaderNewUsers = Switch.off
    /// The issuer URL of the OpenID provider; nil for none.
    public var openIDIssuer: String?
    /// This server's client id at the provider.
    public var openIDClientID: String?
    /// This server's client secret at the provider; nil to use only PKCE.
    public var openIDClientSecret: String?
    /// Whether to create accounts for users of the provider.
    public var openIDNewUsers = Switch.off
    /// Maximum questions per user and minute; 0 for no limit.
    public var questionsPerMinute = 120
    /// Maximum searches per user and minute; 0 for no limit.
    public var searchesPerMinute = 120
    /// Maximum exports and imports started per user and minute; 0 for no limit.
    public var transfersPerMinute = 60
    /// Maximum WebSockets per user; 0 for no limit.
    public var connectionsPerUser = 100
    /// Maximum connections per address; 0 for no limit.
    public var connectionsPerAddress = 1000
    /// Memory limit for all connection buffers, in MiB.
    public var connectionMebibytes = 1024
    /// Who may create teams.
    public var teamCreation = TeamCreationPolicy.administrators
    /// Maximum size of an imported file, in MiB.
    public var importMebibytes = 1024
    /// Maximum conversations per import.
    public var importConversations = 100_000
    /// How long running generations may continue on shutdown.
    public var drainPeriod: Duration = .seconds(10)
    /// How long a lease lasts unless it is renewed.
    public var leasePeriod: Duration = .seconds(15)
    /// Days for which a deletion can be undone, before it is purged.
    public var undoDays = 30
    /// The token for reading `/metrics`; nil to disable that.
    public var metricsToken: String?
    /// Where traces are sent to, by OTLP/HTTP; nil for no traces.
    public var tracesEndpoint: String?
    /// The share of requests that are traced, unless their caller's trace is continued.
    public var tracesRatio = 1.0
    /// Addresses of callers whose traces are continued.
    public var tracesFrom: [AddressRange] = []
    /// The file of header fields for the collector of traces; nil for none.
    public var tracesHeadersFile: String?
    /// Operations and statements that take longer are logged; zero for no slow log.
    public var slowLogLimit: Duration = .zero
    /// The least severe level that is logged.
    public var logLevel = LogLevel.info
    /// The format of log lines.
    public var logFormat = LogFormat.text

    /// The defaults.
    public init() {}

    /// Whether the server listens on its host and port.
    var listensOnHost: Bool { host != "none" }

    /// Maximum size of an imported file, in bytes.
    var importBytes: Int { importMebibytes << 20 }

    /// The folder of KV cache pages.
    var keyValueFolder: String { "\(dataDirectory)/kv" }

    /// Memory for a model's KV cache on a machine with this memory, in MiB.
    package func keyValueMebibytes(of memory: Int64?) -> Int {
        if keyValueMebibytes > 0 { return keyValueMebibytes }
        guard let memory else { return EngineConfiguration.keyValueMebibytesDefault }
        return max(64, Int((memory / 4) >> 20))
    }

    /// The machine's host name.
    private static let hostName: String = {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "stoa" }
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return bytes.isEmpty ? "stoa" : String(decoding: bytes.prefix(200), as: UTF8.self)
    }()

    /// The OpenID provider, if the settings name one.
    var openID: OpenIDConfiguration? {
        guard let openIDIssuer, let openIDClientID, let publicURL else { return nil }
        return OpenIDConfiguration(
            issuer: openIDIssuer,
            clientID: openIDClientID,
            clientSecret: openIDClientSecret,
            redirectURI: "\(publicURL)/api/v1/openid/callback"
        )
    }

    /// How long sign-ins are valid.
    package var sessionLifetime: SessionLifetime {
        SessionLifetime(idle: sessionIdle, absolute: sessionMax)
    }

    /// The default token budget.
    package var budgetPerUser: TokenBudget {
        TokenBudget(
            daily: tokensPerUserDaily == 0 ? nil : Int64(tokensPerUserDaily),
            monthly: tokensPerUserMonthly == 0 ? nil : Int64(tokensPerUserMonthly)
        )
    }

    /// The limits of running and queued answers per user and per team.
    package var runningLimits: FairQueue.Limits {
        FairQueue.Limits(
            runningPerUser: runningPerUser == 0 ? max(1, slotCount / 2) : runningPerUser,
            runningTokensPerUser: runningTokensPerUser,
            runningPerTeam: runningPerTeam == 0 ? .max : runningPerTeam
        )
    }
}
