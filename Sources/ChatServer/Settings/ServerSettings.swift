// What an administrator may choose, as plain values. Names, forms and help texts stand beside the
// properties in ServerSettings+Definitions.swift; where the values come from (flags, environment,
// file) is the business of the command.

package import ChatCore
package import ChatStore
import Glibc
import Inference
public import PhiModel

/// The server's settings. A fresh value holds the defaults.
public struct ServerSettings: Sendable, Hashable {
    /// The address to listen on.
    public var host = "127.0.0.1"
    /// The TCP port to listen on; 0 lets the system choose one.
    public var port = 8080
    /// The path of a Unix socket to listen on, too; nil for none.
    public var unixSocket: String?
    /// The permissions of that socket.
    public var unixSocketMode = 0o600
    /// Threads for connections: one does all, of several the first keeps the chat.
    public var loopCount = 1
    /// Whose connections begin with a PROXY header.
    public var proxyProtocolFrom: [AddressRange] = []
    /// The folder of all that the server keeps. Never empty once settings were read.
    public var dataDirectory = ""
    /// Which PostgreSQL to use; nil for a private cluster in the data directory.
    public var databaseURL: String?
    /// The most connections to PostgreSQL.
    public var databaseConnections = 8
    /// What gives out connections to that PostgreSQL.
    public var databasePooling = DatabasePooling.session
    /// Where to hear of other nodes; nil where `databaseURL` can, "none" for not at all.
    public var databaseListenURL: String?
    /// How long a start waits for a database that cannot be reached; zero for one attempt.
    public var databaseWait: Duration = .seconds(60)
    /// What people call this node among several on one database.
    public var nodeName = ServerSettings.hostName
    /// The models' folders or names, the default first; the demo model where there is none.
    public var models: [String] = []
    /// What clients call the models, in their order; those beyond have the names of their folders.
    public var modelNames: [String] = []
    /// Who may fetch models from the hub through the server.
    public var modelPull = ModelPullPolicy.administrators
    /// Threads that compute, for each model; 0 for what suits the processors.
    public var threadCount = 0
    /// Answers that are computed at the same time.
    public var slotCount = 4
    /// What the keys and values of a model's answers may take, in MiB; 0 for a quarter of the
    /// machine's memory.
    public var keyValueMebibytes = 0
    /// How exactly keys and values are kept.
    public var keyValueBits = KeyValueBits.sixteen
    /// Whether tokens are computed before they are drawn, where that makes answers faster.
    public var speculation = Switch.on
    /// What the keys and values of earlier answers may take on the disk, in MiB, of all models
    /// together; 0 to keep none there.
    public var keyValueDiskMebibytes = 8192
    /// Answers that may wait, of all users together.
    public var queueLimit = 1000
    /// Answers of one user that may wait or grow.
    public var queueLimitPerUser = 250
    /// Answers of one team that may wait or grow; 0 for no bound.
    public var queueLimitPerTeam = 500
    /// Answers of one user that are computed at the same time; 0 for half of the slots.
    public var runningPerUser = 0
    /// Answers of one team that are computed at the same time; 0 for no bound.
    public var runningPerTeam = 0
    /// Tokens of one user's answers that are computed at the same time, beyond the first answer.
    public var runningTokensPerUser = 2048
    /// The longest answer, in tokens, where a conversation says nothing else.
    public var maxTokens = 1024
    /// Tokens that a user may use in a day, where no other limit was set; 0 for no bound.
    public var tokensPerUserDaily = 0
    /// Tokens that a user may use in a calendar month, where no other limit was set; 0 for no bound.
    public var tokensPerUserMonthly = 0
    /// The sampling temperature, where a conversation says nothing else.
    public var temperature = 0.0
    /// How runs get LongRoPE's factor set, where the model has LongRoPE.
    public var ropeRule = RopeRule.perRun
    /// What the model is told first, where a conversation says nothing else.
    public var systemPrompt = "You are a helpful assistant."
    /// Whether WebSockets are compressed where the client offers it.
    public var webSocketCompression = Switch.off
    /// The certificate chains' files (PEM), the one for unknown names first; none to serve without TLS.
    public var tlsCertificates: [String] = []
    /// Their private keys' files (PEM), in the same order.
    public var tlsKeys: [String] = []
    /// Whether to serve with a certificate of our own making.
    public var tlsSelfSigned = Switch.off
    /// For how many days browsers that came over TLS come no other way; 0 not to say so.
    public var hstsDays = 180
    /// Where browsers find the server, such as `https://chat.example.org`: scheme, host and port.
    public var publicURL: String?
    /// Other names that requests may be sent to, in small letters; `*` for all.
    public var allowedHosts: [String] = []
    /// Other origins whose pages may use the server.
    public var allowedOrigins: [String] = []
    /// How long a sign-in lasts without being used.
    public var sessionIdle: Duration = .seconds(30 * 86400)
    /// How long a sign-in lasts however much it is used.
    public var sessionMax: Duration = .seconds(90 * 86400)
    /// Who may make an account.
    public var registration = RegistrationPolicy.closed
    /// Threads that hash passwords, each of which takes 128 MiB; 0 for as many as suit the machine.
    public var hashingThreads = 0
    /// Sign-ins that may wait for a thread.
    public var hashingQueueLimit = 64
    /// Whose word is taken for where a request comes from.
    public var trustedProxies: [AddressRange] = []
    /// Where they write it.
    public var forwardedHeader = ForwardedHeader.xForwardedFor
    /// The header by which a proxy says who it is; nil for none.
    public var signInHeader: String?
    /// Whose word is taken for who it is.
    public var signInHeaderFrom: [AddressRange] = []
    /// Whether those get an account who are named so and have none.
    public var signInHeaderNewUsers = Switch.off
    /// The OpenID provider that people may sign in with; nil for none.
    public var openIDIssuer: String?
    /// What the provider calls this server.
    public var openIDClientID: String?
    /// What this server proves itself by to the provider; nil for nothing but PKCE.
    public var openIDClientSecret: String?
    /// Whether those get an account whom the provider knows and who have none.
    public var openIDNewUsers = Switch.off
    /// Questions that a user may ask in a minute; 0 for no bound.
    public var questionsPerMinute = 120
    /// Searches that a user may make in a minute; 0 for no bound.
    public var searchesPerMinute = 120
    /// Exports and imports that a user may begin in a minute; 0 for no bound.
    public var transfersPerMinute = 60
    /// WebSockets that a user may have; 0 for no bound.
    public var connectionsPerUser = 100
    /// Connections from one address; 0 for no bound.
    public var connectionsPerAddress = 1000
    /// What all connections together may hold in memory, in MiB.
    public var connectionMebibytes = 1024
    /// Who may make teams.
    public var teamCreation = TeamCreationPolicy.administrators
    /// The largest file that may be imported, in MiB.
    public var importMebibytes = 1024
    /// The most conversations of an imported file.
    public var importConversations = 100_000
    /// How long growing answers may go on once the server is told to stop.
    public var drainPeriod: Duration = .seconds(10)
    /// How long a run belongs to a server that no longer renews it.
    public var leasePeriod: Duration = .seconds(15)
    /// For how many days what was deleted can be brought back; then it is purged.
    public var undoDays = 30
    /// Who bears it may read `/metrics`; nil where nobody may.
    public var metricsToken: String?
    /// The least severe message that is logged.
    public var logLevel = LogLevel.info
    /// How log lines look.
    public var logFormat = LogFormat.text

    /// The defaults.
    public init() {}

    /// Whether the server listens on its host and port.
    var listensOnHost: Bool { host != "none" }

    /// The largest file that may be imported, in bytes.
    var importBytes: Int { importMebibytes << 20 }

    /// Where keys and values are kept on the disk.
    var keyValueFolder: String { "\(dataDirectory)/kv" }

    /// What a model's keys and values may take on a machine with this memory, in MiB.
    package func keyValueMebibytes(of memory: Int64?) -> Int {
        if keyValueMebibytes > 0 { return keyValueMebibytes }
        guard let memory else { return EngineConfiguration.keyValueMebibytesDefault }
        return max(64, Int((memory / 4) >> 20))
    }

    /// The machine's name.
    private static let hostName: String = {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "stoa" }
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return bytes.isEmpty ? "stoa" : String(decoding: bytes.prefix(200), as: UTF8.self)
    }()

    /// The provider, where the settings name one.
    var openID: OpenIDConfiguration? {
        guard let openIDIssuer, let openIDClientID, let publicURL else { return nil }
        return OpenIDConfiguration(
            issuer: openIDIssuer,
            clientID: openIDClientID,
            clientSecret: openIDClientSecret,
            redirectURI: "\(publicURL)/api/v1/openid/callback"
        )
    }

    /// How long sign-ins last.
    package var sessionLifetime: SessionLifetime {
        SessionLifetime(idle: sessionIdle, absolute: sessionMax)
    }

    /// The limits of users for whom no others were set.
    package var budgetPerUser: TokenBudget {
        TokenBudget(
            daily: tokensPerUserDaily == 0 ? nil : Int64(tokensPerUserDaily),
            monthly: tokensPerUserMonthly == 0 ? nil : Int64(tokensPerUserMonthly)
        )
    }

    /// The bounds of what one user, or one team, may have in the making.
    package var runningLimits: FairQueue.Limits {
        FairQueue.Limits(
            runningPerUser: runningPerUser == 0 ? max(1, slotCount / 2) : runningPerUser,
            runningTokensPerUser: runningTokensPerUser,
            runningPerTeam: runningPerTeam == 0 ? .max : runningPerTeam
        )
    }
}
