// Metrics of answers, engines and the database.

import Instruments

extension MetricDefinition {
    // MARK: Answers

    static let queueAnswers = MetricDefinition(
        .gauge,
        "stoa_queue_answers",
        unit: "answers",
        .init("state", "`waiting` or `running`"),
        meaning: "queue entries of all nodes, as this node knows them"
    )

    static let answersRunning = MetricDefinition(
        .gauge,
        "stoa_answers_running",
        unit: "runs",
        meaning: "runs on this server's engines"
    )

    static let answersEnded = MetricDefinition(
        .counter,
        "stoa_answers_total",
        unit: "runs",
        .init("outcome", "`finished` (also by a stop request) or `failed`"),
        meaning: "runs that ended on this server"
    )

    static let engineAvailable = MetricDefinition(
        .gauge,
        "stoa_remote_engine_available",
        unit: "",
        .init("engine", "the engine's label"),
        .init("model", "its model"),
        meaning: "1 if a remote engine gets requests, 0 while it is left alone after failures"
    )

    static let engineRunning = MetricDefinition(
        .gauge,
        "stoa_remote_engine_running",
        unit: "answers",
        .init("engine", "the engine's label"),
        .init("model", "its model"),
        meaning: "answers of this server that a remote engine generates"
    )

    static let engineRequests = MetricDefinition(
        .counter,
        "stoa_remote_engine_requests_total",
        unit: "requests",
        .init("engine", "the engine's label"),
        .init("outcome", "`finished` or `failed`"),
        meaning: "requests to a remote engine; an answer may take several"
    )

    static let tokens = MetricDefinition(
        .counter,
        "stoa_tokens_total",
        unit: "tokens",
        .init(
            "kind",
            "of prompts (`prompt`), those of them that came from the cache in memory or"
                + " on disk (`cached`), of answers (`answer`)"
        ),
        meaning: "tokens of runs on this server"
    )

    static let draftTokens = MetricDefinition(
        .counter,
        "stoa_draft_tokens_total",
        unit: "tokens",
        .init("outcome", "`accepted` ones saved a pass, `rejected` ones were computed for nothing"),
        meaning: "tokens of ended answers that were speculated"
    )

    // MARK: Models

    static let modelMemory = MetricDefinition(
        .gauge,
        "stoa_model_memory_bytes",
        unit: "bytes",
        .init("model", "a model that is in memory"),
        meaning: "what a model takes of the memory limit: weights, buffers, and the memory for keys"
            + " and values"
    )

    static let modelMemoryLimit = MetricDefinition(
        .gauge,
        "stoa_model_memory_limit_bytes",
        unit: "bytes",
        meaning: "memory limit of all models together (`--model-memory`)"
    )

    static let modelLoads = MetricDefinition(
        .counter,
        "stoa_model_loads_total",
        unit: "loads",
        .init("model", "the model"),
        meaning: "how often a model was loaded; often means that models do not fit together"
    )

    static let computeThreads = MetricDefinition(
        .gauge,
        "stoa_compute_threads",
        unit: "threads",
        meaning: "threads on which all models compute, in turns"
    )

    static let computeTime = MetricDefinition(
        .counter,
        "stoa_compute_seconds_total",
        unit: "seconds",
        .init("model", "a model that is in memory"),
        meaning: "how long a model's passes have had the compute threads"
    )

    // MARK: Database

    static let postgresConnections = MetricDefinition(
        .gauge,
        "stoa_postgres_connections",
        unit: "connections",
        .init("state", "`open`, and those of them that are `used`"),
        meaning: "connections to PostgreSQL"
    )

    static let postgresWaiting = MetricDefinition(
        .gauge,
        "stoa_postgres_waiting",
        unit: "callers",
        meaning: "statements and transactions that wait for a connection"
    )

    static let postgresDiskFull = MetricDefinition(
        .gauge,
        "stoa_postgres_disk_full",
        unit: "",
        meaning: "1 while PostgreSQL's disk is full, so that tables cannot grow"
    )

    static let statementTimes = MetricDefinition(
        .histogram,
        "stoa_postgres_statement_seconds",
        unit: "seconds",
        meaning: "duration of single statements, including the wait for a connection"
    )

    static let transactionTimes = MetricDefinition(
        .histogram,
        "stoa_postgres_transaction_seconds",
        unit: "seconds",
        meaning: "duration of transactions, including the wait for a connection"
    )
}
