// What the doctor finds, as codes: clients say them in their users' languages.

/// A finding's kind: a code, and its sentence with `{names}` of values.
///
/// The codes are in docs/reference/sentences.md; the page has texts for all of them. `{span}` is a
/// duration: the value is in seconds, the sentence says it as `DurationText`.
package enum DoctorFact: String, CaseIterable, Sendable {
    // Settings and storage
    case readableSettings = "readable_settings"
    case freeSpace = "free_space"
    case newFolder = "new_folder"
    case unwritableFolder = "unwritable_folder"
    case unknownDisk = "unknown_disk"

    // The database
    case noDatabaseYet = "no_database_yet"
    case databaseVersion = "database_version"
    case fullDisk = "full_disk"
    case replica
    case takesChanges = "takes_changes"
    case clockDiffers = "clock_differs"
    case clockAhead = "clock_ahead"
    case clockBehind = "clock_behind"
    case connectionsInUse = "connections_in_use"
    case noLongTransaction = "no_long_transaction"
    case oldestTransaction = "oldest_transaction"
    case noAutovacuum = "no_autovacuum"
    case deadRowCount = "dead_row_count"
    case oldestRow = "oldest_row"

    // The schema
    case schemaStep = "schema_step"
    case pendingSteps = "pending_steps"
    case editedSteps = "edited_steps"
    case newerSchema = "newer_schema"
    case newerUsableSchema = "newer_usable_schema"

    // Work
    case nothing
    case queuedAnswers = "queued_answers"
    case waitingAnswers = "waiting_answers"
    case abandonedAnswers = "abandoned_answers"
    case strayRows = "stray_rows"
    case lostAnswers = "lost_answers"
    case noServer = "no_server"
    case oneServer = "one_server"
    case severalServers = "several_servers"
    case balancedLedger = "balanced_ledger"
    case unbalancedLedger = "unbalanced_ledger"
    case noUser = "no_user"
    case userCount = "user_count"

    // Models and the machine
    case demoModel = "demo_model"
    case modelSize = "model_size"
    case unloadedModel = "unloaded_model"
    case missingModel = "missing_model"
    case kernels
    case missingKernels = "missing_kernels"
    case threadCount = "thread_count"
    case memoryUse = "memory_use"
    case remoteEngine = "remote_engine"
    case remoteEngineWithTokenizer = "remote_engine_with_tokenizer"

    // Certificates
    case certificateFiles = "certificate_files"
    case otherKey = "other_key"
    case certificateValidLater = "certificate_valid_later"
    case certificateExpired = "certificate_expired"
    case certificateExpires = "certificate_expires"
    case noCertificateNames = "no_certificate_names"
    case otherHost = "other_host"
    case selfSigned = "self_signed"
    case openKey = "open_key"

    // The network
    case freePort = "free_port"
    case anyPort = "any_port"
    case ownPort = "own_port"
    case deniedPort = "denied_port"
    case nodesPort = "nodes_port"
    case takenPort = "taken_port"
    case othersPort = "others_port"
    case unixSocketOnly = "unix_socket_only"
    case noSocket = "no_socket"
    case plainPublicURL = "plain_public_url"
    case proxyTLS = "proxy_tls"
    case localOnly = "local_only"
    case unencrypted

    /// What it says, in English, with names in braces where values stand.
    package var template: String {
        switch self {
        case .readableSettings: "they can be read"
        case .freeSpace: "{folder}: {free} of {total} free"
        case .newFolder: "{folder} (made when it is needed): {free} of {total} free"
        case .unwritableFolder: "{folder} cannot be written"
        case .unknownDisk: "{folder}: its disk cannot be looked at"

        case .noDatabaseYet: "none yet; PostgreSQL {version} is there for a private one"
        case .databaseVersion: "PostgreSQL {version}, texts in {encoding}"
        case .fullDisk: "its disk is full: tables cannot grow (PostgreSQL error {error})"
        case .replica: "it is a replica, which takes no changes"
        case .takesChanges: "it takes changes"
        case .clockDiffers: "it differs from this machine's by {span}"
        case .clockAhead: "the database's is {span} ahead of this machine's"
        case .clockBehind: "the database's is {span} behind this machine's"
        case .connectionsInUse:
            "{used} of {free} in use; {needed} are needed by the servers that run or will"
        case .noLongTransaction: "none is open for long"
        case .oldestTransaction: "the oldest is open for {span}"
        case .noAutovacuum: "autovacuum is off"
        case .deadRowCount: "{count} in the busiest tables"
        case .oldestRow: "the oldest unfrozen row is {millions} million old"

        case .schemaStep: "step {step} of {known}"
        case .pendingSteps: "step {step} of {known}; still to come: {steps}"
        case .editedSteps: "{steps} differ from what was applied"
        case .newerSchema: "the database is at step {step}, this program knows {known}"
        case .newerUsableSchema:
            "the database is at step {step}, with which this program's {known} steps work"

        case .nothing: "none"
        case .queuedAnswers: "{running} are made, {waiting} wait"
        case .waitingAnswers: "{running} are made, {waiting} wait, the first for {span}"
        case .abandonedAnswers: "{count} lost their server, and no other has taken them over"
        case .strayRows: "{count} rows of the queue have no unfinished message"
        case .lostAnswers: "{count} unfinished answers are not in the queue"
        case .noServer: "no server runs on this database"
        case .oneServer: "1 server runs on this database: {nodes}"
        case .severalServers: "{count} servers run on this database: {nodes}"
        case .balancedLedger: "it balances"
        case .unbalancedLedger: "{count} findings, the first: {problem} ({subject})"
        case .noUser: "nobody can sign in yet"
        case .userCount: "{users} users, {administrators} of them administrators"

        case .demoModel: "the demo model: to try things out"
        case .modelSize: "{name}: {size} of weights in {folder}"
        case .unloadedModel: "{name}: an administrator unloaded it"
        case .missingModel: "{name} was fetched once, and is not in the hub's cache any more"
        case .kernels: "{kernels} on {architecture}"
        case .missingKernels: "STOA_KERNELS is {kernels}, which is not here: no model can be loaded"
        case .threadCount: "{cores} cores, {threads} compute threads"
        case .memoryUse:
            "{memory}: weights {weights}, keys and values {caches}, the rest {rest}"
        case .remoteEngine: "{engine}: {name} at {address}, its own template"
        case .remoteEngineWithTokenizer:
            "{engine}: {name} at {address}, template and tokenizer of {tokenizer}"

        case .certificateFiles: "{file}, and its key"
        case .otherKey: "the key in {file} is not the certificate's"
        case .certificateValidLater: "it becomes valid in {span}"
        case .certificateExpired: "it expired {span} ago"
        case .certificateExpires: "it expires in {span}"
        case .noCertificateNames: "it has no subject alternative name"
        case .otherHost: "it is for {names}, and clients connect to {host}"
        case .selfSigned: "it is for {names}, and is self-signed"
        case .openKey: "everybody on this machine can read {file}"

        case .freePort: "{address} is free"
        case .anyPort: "the system chooses one"
        case .ownPort: "this server listens on {address}"
        case .deniedPort: "this user may not listen on {address}"
        case .nodesPort: "{address} is taken; {node} runs on this database"
        case .takenPort: "{address} is taken, by this server or another program"
        case .othersPort: "another program has {address}"
        case .unixSocketOnly: "none: the Unix socket alone"
        case .noSocket: "none, and no Unix socket"
        case .plainPublicURL: "TLS, but --public-url says http://"
        case .proxyTLS: "TLS ends before this server"
        case .localOnly: "none: this machine only"
        case .unencrypted: "none, and {host} is not this machine only"
        }
    }
}
