// The one list of settings. Flags, environment variables, the config file's keys, `stoa serve --help`
// and docs/reference/settings.md all come from here.

extension ServerSettings {
    /// All settings, in the order in which help texts list them.
    public static let definitions: [Setting] =
        network + listening + encryption + storage + answers + accounts + bounds + operation

    private static let network = [
        Setting(
            \.host,
            "host",
            .text,
            placeholder: "ADDRESS",
            "Address to listen on; :: is all, IPv4's too, none is the Unix socket alone"
        ),
        Setting(
            \.port,
            "port",
            .wholeNumber(0...65535),
            "TCP port to listen on; 0 takes any free one"
        ),
        Setting(
            \.publicURL,
            "public-url",
            .optionalOrigin,
            "Where browsers find the server, when a proxy or another name stands before it"
        ),
        Setting(
            \.allowedHosts,
            "allowed-hosts",
            .hosts,
            "Other host names that requests may be sent to, with commas between them; * allows all"
        ),
        Setting(
            \.allowedOrigins,
            "allowed-origins",
            .origins,
            "Other origins whose pages may use the server, with commas between them"
        ),
        Setting(
            \.webSocketCompression,
            "websocket-compression",
            .choice,
            "Whether long messages are compressed on WebSockets whose clients offer it; browsers do"
        ),
    ]

    private static let answers = [
        Setting(
            \.models,
            "model",
            .list,
            placeholder: "FOLDER",
            defaultText: "the demo model",
            "Folder of a model, or a name that `stoa model pull` has fetched; may be repeated, the"
                + " first is the default"
        ),
        Setting(
            \.modelNames,
            "model-name",
            .list,
            placeholder: "NAME",
            defaultText: "the folder's name",
            "What clients call a model; may be repeated, in the order of the models"
        ),
        Setting(
            \.modelPull,
            "model-pull",
            .choice,
            "Who may fetch models from the hub in the page; with off the server asks no hub"
                + " for anything"
        ),
        Setting(
            \.threadCount,
            "threads",
            .wholeNumber(0...256),
            "Threads that compute, for each model; 0 for all cores of one or two, else all but one"
        ),
        Setting(
            \.slotCount,
            "slots",
            .wholeNumber(1...256),
            "Answers that are computed at the same time"
        ),
        Setting(
            \.keyValueMebibytes,
            "kv-memory",
            .wholeNumber(0...16_777_216),
            "MiB for the keys and values of a model's answers, of those that grow and of earlier"
                + " ones that need not be read again; 0 for a quarter of the machine's memory"
        ),
        Setting(
            \.keyValueDiskMebibytes,
            "kv-disk",
            .wholeNumber(0...16_777_216),
            "MiB on the disk for the keys and values of all models' earlier answers, so that a"
                + " restart or a full memory loses none; at most half of the spare disk; 0: none"
        ),
        Setting(
            \.keyValueBits,
            "kv-bits",
            .choice,
            "Bits of a key or value; with 8, nearly twice as much is kept in the same memory, and"
                + " answers are a little less exact"
        ),
        Setting(
            \.speculation,
            "speculation",
            .choice,
            "Whether tokens that an answer may go on with are computed before they are drawn, where"
                + " that is faster; answers are the same"
        ),
        Setting(
            \.queueLimit,
            "queue-limit",
            .wholeNumber(1...100_000),
            "Answers that may wait, of all users together"
        ),
        Setting(
            \.queueLimitPerUser,
            "queue-limit-per-user",
            .wholeNumber(1...100_000),
            "Answers that may wait, of one user"
        ),
        Setting(
            \.queueLimitPerTeam,
            "queue-limit-per-team",
            .wholeNumber(0...100_000),
            "Answers that may wait, of one team; 0 for no bound"
        ),
        Setting(
            \.runningPerUser,
            "running-per-user",
            .wholeNumber(0...256),
            "Answers of one user that are computed at the same time; 0 for half of the slots"
        ),
        Setting(
            \.runningTokensPerUser,
            "running-tokens-per-user",
            .wholeNumber(0...10_000_000),
            "Tokens, of prompts and answers, of one user's answers that are computed at the same"
                + " time; a longer one is computed alone"
        ),
        Setting(
            \.runningPerTeam,
            "running-per-team",
            .wholeNumber(0...256),
            "Answers of one team that are computed at the same time; 0 for no bound"
        ),
        Setting(
            \.maxTokens,
            "max-tokens",
            .wholeNumber(1...1_000_000),
            "Longest answer in tokens, where a conversation says nothing else"
        ),
        Setting(
            \.tokensPerUserDaily,
            "tokens-per-user-daily",
            .wholeNumber(0...1_000_000_000_000),
            "Tokens, of prompts and answers, that a user may use in a day (UTC), where an"
                + " administrator set no other limit; 0 for no bound"
        ),
        Setting(
            \.tokensPerUserMonthly,
            "tokens-per-user-monthly",
            .wholeNumber(0...1_000_000_000_000),
            "Tokens that a user may use in a calendar month (UTC), where an administrator set no"
                + " other limit; 0 for no bound"
        ),
        Setting(
            \.temperature,
            "temperature",
            .number(0...2),
            "Sampling temperature, where a conversation says nothing else; 0 always takes the"
                + " likeliest token"
        ),
        Setting(
            \.ropeRule,
            "rope-rule",
            .choice,
            "LongRoPE's factors: chosen for each run by the length it may reach, or always the same;"
                + " mlx-lm's are always-long"
        ),
        Setting(
            \.systemPrompt,
            "system-prompt",
            .text,
            "What the model is told first, where a conversation says nothing else"
        ),
    ]

    private static let accounts = [
        Setting(
            \.sessionIdle,
            "session-idle-days",
            .duration(secondsPerUnit: 86400, 1...3650),
            "Days that a sign-in lasts without being used"
        ),
        Setting(
            \.sessionMax,
            "session-max-days",
            .duration(secondsPerUnit: 86400, 1...3650),
            "Days that a sign-in lasts, however much it is used"
        ),
        Setting(
            \.registration,
            "registration",
            .choice,
            "Who may make an account: nobody, as administrators do it, or whoever was invited"
        ),
        Setting(
            \.hashingThreads,
            "hashing-threads",
            .wholeNumber(0...256),
            "Threads that hash passwords; each takes 128 MiB while it does; 0: half of the cores, 1 to 4"
        ),
        Setting(
            \.hashingQueueLimit,
            "hashing-queue-limit",
            .wholeNumber(1...100_000),
            "Sign-ins that may wait for such a thread; more are refused"
        ),
        Setting(
            \.trustedProxies,
            "trusted-proxies",
            .addressRanges,
            "Proxies, as 10.0.0.0/8, ::1 or unix (whoever comes by the Unix socket), whose word is"
                + " taken for where requests come from"
        ),
        Setting(
            \.signInHeader,
            "sign-in-header",
            .optionalText,
            placeholder: "NAME",
            "Header by which a proxy says who is signed in, such as X-Remote-User"
        ),
        Setting(
            \.signInHeaderFrom,
            "sign-in-header-from",
            .addressRanges,
            "Proxies whose sign-in header is taken; from anybody else it is refused"
        ),
        Setting(
            \.signInHeaderNewUsers,
            "sign-in-header-new-users",
            .choice,
            "Whether those get an account who are named so and have none"
        ),
        Setting(
            \.openIDIssuer,
            "oidc-issuer",
            .optionalText,
            placeholder: "URL",
            "OpenID provider to sign in with, at /api/v1/openid/start; needs public-url"
        ),
        Setting(
            \.openIDClientID,
            "oidc-client-id",
            .optionalText,
            "What the provider calls this server"
        ),
        Setting(
            \.openIDClientSecret,
            "oidc-client-secret",
            .optionalText,
            isSecret: true,
            "What this server proves itself by to the provider; without one by PKCE alone"
        ),
        Setting(
            \.openIDNewUsers,
            "oidc-new-users",
            .choice,
            "Whether those get an account whom the provider knows and who have none"
        ),
    ]

    private static let bounds = [
        Setting(
            \.questionsPerMinute,
            "questions-per-minute",
            .wholeNumber(0...1_000_000),
            "Questions that a user may ask in a minute; 0 for no bound"
        ),
        Setting(
            \.searchesPerMinute,
            "searches-per-minute",
            .wholeNumber(0...1_000_000),
            "Searches that a user may make in a minute; 0 for no bound"
        ),
        Setting(
            \.transfersPerMinute,
            "transfers-per-minute",
            .wholeNumber(0...1_000_000),
            "Exports and imports that a user may begin in a minute; 0 for no bound"
        ),
        Setting(
            \.connectionsPerUser,
            "connections-per-user",
            .wholeNumber(0...1_000_000),
            "WebSockets that a user may have at the same time; 0 for no bound"
        ),
        Setting(
            \.connectionsPerAddress,
            "connections-per-address",
            .wholeNumber(0...1_000_000),
            "Connections from one address, or IPv6 /64 network, and WebSockets from one behind a trusted"
                + " proxy, but not this machine's own and the proxies'; 0 for no bound"
        ),
    ]

    private static let operation = [
        Setting(\.teamCreation, "team-creation", .choice, "Who may make teams"),
        Setting(
            \.importMebibytes,
            "import-mebibytes",
            .wholeNumber(1...1_048_576),
            "Largest file that may be imported, in MiB"
        ),
        Setting(
            \.importConversations,
            "import-conversations",
            .wholeNumber(1...10_000_000),
            "Most conversations of an imported file"
        ),
        Setting(
            \.drainPeriod,
            "drain-seconds",
            .duration(secondsPerUnit: 1, 0...3600),
            "Seconds that growing answers may go on once the server is told to stop"
        ),
        Setting(
            \.leasePeriod,
            "lease-seconds",
            .duration(secondsPerUnit: 1, 3...3600),
            "Seconds after which another server takes over the answers of one that is gone"
        ),
        Setting(
            \.undoDays,
            "undo-days",
            .wholeNumber(0...36500),
            "Days for which what was deleted can be brought back; then it is purged"
        ),
        Setting(
            \.metricsToken,
            "metrics-token",
            .optionalText,
            defaultText: "nobody may",
            isSecret: true,
            "Who bears this token may read /metrics; 16 characters or more"
        ),
        Setting(\.logLevel, "log-level", .choice, "Least severe message that is logged"),
        Setting(\.logFormat, "log-format", .choice, "Log lines for people, or JSON objects"),
    ]
}
