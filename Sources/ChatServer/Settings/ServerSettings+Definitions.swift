// The one list of settings. Options, environment variables, keys of the configuration file, `stoa
// help settings` and docs/reference/settings.md all come from it.

extension ServerSettings {
    /// All settings, in the order in which help texts list them.
    public static let definitions: [Setting] =
        network + listening + encryption + storage + answers + accounts + bounds + operation
        + observing

    private static let network = [
        Setting(
            \.host,
            "host",
            .text,
            placeholder: "ADDRESS",
            "IP address to listen on; :: for all addresses, none for the Unix socket alone"
        ),
        Setting(
            \.port,
            "port",
            .wholeNumber(0...65535),
            "TCP port to listen on; 0 for any free port"
        ),
        Setting(
            \.publicURL,
            "public-url",
            .optionalOrigin,
            "URL at which browsers reach the server, if a proxy or another name stands in"
                + " front of it"
        ),
        Setting(
            \.allowedHosts,
            "allowed-hosts",
            .hosts,
            "Additional host names that requests may be sent to, comma-separated; * for any"
        ),
        Setting(
            \.allowedOrigins,
            "allowed-origins",
            .origins,
            "Additional origins whose pages may use the server, comma-separated"
        ),
        Setting(
            \.webSocketCompression,
            "websocket-compression",
            .choice,
            "WebSocket compression (permessage-deflate) of long messages, for clients that"
                + " offer it"
        ),
    ]

    private static let answers = [
        Setting(
            \.models,
            "model",
            .list,
            placeholder: "FOLDER",
            defaultText: "the demo model",
            "Model folder, GGUF file, or the name of a model that `stoa model pull` has fetched;"
                + " may be repeated, the first is the default"
        ),
        Setting(
            \.modelNames,
            "model-name",
            .list,
            placeholder: "NAME",
            defaultText: "the folder's name",
            "Name of a model for clients; may be repeated, in the order of the models"
        ),
        Setting(
            \.adapters,
            "adapter",
            .adapters,
            defaultText: "none",
            "LoRA adapter that makes another model of one of these: its folder, and of=MODEL and"
                + " as=NAME where docs/run/models.md says so; may be repeated"
        ),
        Setting(
            \.remoteEngines,
            "remote-engine",
            .remoteEngines,
            defaultText: "none",
            "Engine on another machine that speaks OpenAI's API: its base URL, model=NAME, and"
                + " further words that docs/run/engines.md lists; may be repeated"
        ),
        Setting(
            \.modelPull,
            "model-pull",
            .choice,
            "Who may fetch models from the hub in the page; off disables all requests to the"
                + " hub"
        ),
        Setting(
            \.threadCount,
            "threads",
            .wholeNumber(0...256),
            "Number of compute threads, on which all models take turns; 0 for all cores if there"
                + " are one or two, else all but one"
        ),
        Setting(
            \.modelMebibytes,
            "model-memory",
            .wholeNumber(0...16_777_216),
            "Memory limit for all models that run here, in MiB: weights, keys and values, and"
                + " buffers; models that do not fit together are loaded and unloaded by use; 0 for"
                + " seven eighths of the machine's memory"
        ),
        Setting(
            \.slotCount,
            "slots",
            .wholeNumber(1...256),
            "Maximum number of answers generated at the same time"
        ),
        Setting(
            \.keyValueMebibytes,
            "kv-memory",
            .wholeNumber(0...16_777_216),
            "Memory for keys and values of each model, of running and earlier answers, in MiB;"
                + " 0 for a quarter of the machine's memory, or what model-memory leaves"
        ),
        Setting(
            \.keyValueDiskMebibytes,
            "kv-disk",
            .wholeNumber(0...16_777_216),
            "Disk space for keys and values of earlier answers of all models, in MiB, at most"
                + " half of the free space; 0 disables it"
        ),
        Setting(
            \.keyValueBits,
            "kv-bits",
            .choice,
            "Bits per key and value; 8 stores nearly twice as much in the same memory, at"
                + " slightly lower precision"
        ),
        Setting(
            \.speculation,
            "speculation",
            .choice,
            "Speculative decoding of tokens that are likely to follow, where it is faster;"
                + " answers stay the same"
        ),
        Setting(
            \.queueLimit,
            "queue-limit",
            .wholeNumber(1...100_000),
            "Maximum queued requests of all users"
        ),
        Setting(
            \.queueLimitPerUser,
            "queue-limit-per-user",
            .wholeNumber(1...100_000),
            "Maximum queued requests per user"
        ),
        Setting(
            \.queueLimitPerTeam,
            "queue-limit-per-team",
            .wholeNumber(0...100_000),
            "Maximum queued requests per team; 0 for no limit"
        ),
        Setting(
            \.runningPerUser,
            "running-per-user",
            .wholeNumber(0...256),
            "Maximum running answers per user while others wait; 0 for half of the slots"
        ),
        Setting(
            \.runningTokensPerUser,
            "running-tokens-per-user",
            .wholeNumber(0...10_000_000),
            "Maximum tokens, of prompts and answers, of one user's running answers while others"
                + " wait; a longer answer runs alone"
        ),
        Setting(
            \.runningPerTeam,
            "running-per-team",
            .wholeNumber(0...256),
            "Maximum running answers per team while others wait; 0 for no limit"
        ),
        Setting(
            \.maxTokens,
            "max-tokens",
            .wholeNumber(1...1_000_000),
            "Maximum length of an answer in tokens, unless the conversation sets one"
        ),
        Setting(
            \.maxThinkingTokens,
            "max-thinking-tokens",
            .wholeNumber(0...1_000_000),
            "Maximum length of the thinking part of a reasoning model's answer in tokens, unless the"
                + " conversation sets one; 0 for half of the answer's maximum length"
        ),
        Setting(
            \.modelThinking,
            "model-thinking",
            .modelThinking,
            defaultText: "none",
            "Maximum length of the thinking part for one model, by its name for clients, instead of"
                + " --max-thinking-tokens; NAME=off lets it answer at once; may be repeated"
        ),
        Setting(
            \.answerTokensMin,
            "answer-tokens-min",
            .wholeNumber(1...1_000_000),
            "Minimum length of an answer, in tokens, that a token budget may shorten it to; a"
                + " question with less left is refused"
        ),
        Setting(
            \.tokensPerUserDaily,
            "tokens-per-user-daily",
            .wholeNumber(0...1_000_000_000_000),
            "Maximum tokens, of prompts and answers, per user and day (UTC), unless an"
                + " administrator has set another limit; 0 for no limit"
        ),
        Setting(
            \.tokensPerUserMonthly,
            "tokens-per-user-monthly",
            .wholeNumber(0...1_000_000_000_000),
            "Maximum tokens per user and calendar month (UTC), unless an administrator has set"
                + " another limit; 0 for no limit"
        ),
        Setting(
            \.temperature,
            "temperature",
            .number(0...2),
            "Sampling temperature, unless the conversation sets one; 0 selects the most likely"
                + " token"
        ),
        Setting(
            \.ropeRule,
            "rope-rule",
            .choice,
            "LongRoPE factors: chosen for each run by its maximum length, or always the same"
                + " ones; mlx-lm uses always-long"
        ),
        Setting(
            \.titles,
            "titles",
            .choice,
            "Titles made by the model after the first answer, while no request is queued; off"
                + " keeps the beginning of the first message. The demo model makes none"
        ),
        Setting(
            \.systemPrompt,
            "system-prompt",
            .text,
            "System prompt, unless the conversation sets one"
        ),
    ]

    private static let bounds = [
        Setting(
            \.questionsPerMinute,
            "questions-per-minute",
            .wholeNumber(0...1_000_000),
            "Maximum questions per user and minute; 0 for no limit"
        ),
        Setting(
            \.searchesPerMinute,
            "searches-per-minute",
            .wholeNumber(0...1_000_000),
            "Maximum searches per user and minute; 0 for no limit"
        ),
        Setting(
            \.transfersPerMinute,
            "transfers-per-minute",
            .wholeNumber(0...1_000_000),
            "Maximum exports and imports per user and minute; 0 for no limit"
        ),
        Setting(
            \.connectionsPerUser,
            "connections-per-user",
            .wholeNumber(0...1_000_000),
            "Maximum WebSockets per user; 0 for no limit"
        ),
        Setting(
            \.connectionsPerAddress,
            "connections-per-address",
            .wholeNumber(0...1_000_000),
            "Maximum connections per client address, or IPv6 /64 network; behind trusted"
                + " proxies, WebSockets per client; connections from this machine do not"
                + " count; 0 for no limit"
        ),
    ]

    private static let operation = [
        Setting(\.teamCreation, "team-creation", .choice, "Who may create teams"),
        Setting(
            \.importMebibytes,
            "import-mebibytes",
            .wholeNumber(1...1_048_576),
            "Maximum size of an import file, in MiB"
        ),
        Setting(
            \.importConversations,
            "import-conversations",
            .wholeNumber(1...10_000_000),
            "Maximum conversations per import"
        ),
        Setting(
            \.drainPeriod,
            "drain-seconds",
            .duration(secondsPerUnit: 1, 0...3600),
            "Seconds to let running generations finish on shutdown"
        ),
        Setting(
            \.leasePeriod,
            "lease-seconds",
            .duration(secondsPerUnit: 1, 3...3600),
            "Lease of a running answer in seconds; another server takes it over when the lease"
                + " expires"
        ),
        Setting(
            \.undoDays,
            "undo-days",
            .wholeNumber(0...36500),
            "Days for which a deletion can be undone; then the data is purged"
        ),
    ]
}
