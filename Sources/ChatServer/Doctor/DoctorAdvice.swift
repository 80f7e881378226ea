// What the doctor advises, as codes: clients say them in their users' languages.

package import ChatProtocol

/// What to do about a finding: a code, and its sentence with `{names}` of values.
///
/// The codes are in docs/reference/sentences.md; the page has texts for all of them.
package enum DoctorAdvice: String, CaseIterable, Sendable {
    case correctSettings = "correct_settings"
    case fileAccess = "file_access"
    case filePath = "file_path"
    case fileInTheWay = "file_in_the_way"
    case folderInTheWay = "folder_in_the_way"
    case shorterPath = "shorter_path"
    case linksInCircle = "links_in_circle"
    case readOnlyFiles = "read_only_files"
    case freeDisk = "free_disk"
    case anotherPath = "another_path"
    case folderOwner = "folder_owner"
    case mountFolder = "mount_folder"
    case largerDisk = "larger_disk"
    case installPostgres = "install_postgres"
    case nameDatabase = "name_database"
    case seeDatabaseLog = "see_database_log"
    case databasePassword = "database_password"
    case givePassword = "give_password"
    case makeRole = "make_role"
    case makeDatabase = "make_database"
    case letMachineIn = "let_machine_in"
    case poolerSetting = "pooler_setting"
    case moreConnections = "more_connections"
    case waitForReplay = "wait_for_replay"
    case waitForDatabase = "wait_for_database"
    case startOnPort = "start_on_port"
    case startOnSocket = "start_on_socket"
    case databaseHost = "database_host"
    case firewall
    case databaseTLS = "database_tls"
    case databaseURL = "database_url"
    case upgradePostgres = "upgrade_postgres"
    case databaseEncoding = "database_encoding"
    case databaseDisk = "database_disk"
    case namePrimary = "name_primary"
    case fsync
    case synchronousCommit = "synchronous_commit"
    case fullPageWrites = "full_page_writes"
    case setClocks = "set_clocks"
    case connectionLimit = "connection_limit"
    case endTransaction = "end_transaction"
    case autovacuum
    case vacuum
    case freeze
    case newerProgram = "newer_program"
    case matchingProgram = "matching_program"
    case migrate
    case strayRows = "stray_rows"
    case lostAnswers = "lost_answers"
    case startServer = "start_server"
    case slowQueue = "slow_queue"
    case abandonedAnswers = "abandoned_answers"
    case resumeAnswers = "resume_answers"
    case ledger
    case firstUser = "first_user"
    case addAdministrator = "add_administrator"
    case fetchModel = "fetch_model"
    case otherAdapter = "other_adapter"
    case badKernels = "bad_kernels"
    case slowProcessor = "slow_processor"
    case slowKernels = "slow_kernels"
    case fewerThreads = "fewer_threads"
    case smallerModel = "smaller_model"
    case lessCache = "less_cache"
    case modelLimit = "model_limit"
    case modelTurns = "model_turns"
    case closeKey = "close_key"
    case renewedKey = "renewed_key"
    case certificatePath = "certificate_path"
    case certificateAccess = "certificate_access"
    case certificateFormat = "certificate_format"
    case newFiles = "new_files"
    case earlyCertificate = "early_certificate"
    case renewCertificate = "renew_certificate"
    case certificateNames = "certificate_names"
    case certificateHost = "certificate_host"
    case selfSigned = "self_signed"
    case unprivilegedPort = "unprivileged_port"
    case ownAddress = "own_address"
    case takenPort = "taken_port"
    case publicScheme = "public_scheme"
    case encrypt
    case nameHost = "name_host"

    /// What it says, in English, with names in braces where values stand.
    package var template: String {
        switch self {
        case .correctSettings: "correct it there; stoa help settings lists all settings"
        case .fileAccess: "give this user access to it, or name another path"
        case .filePath: "check the path, and any links in it"
        case .fileInTheWay: "a file stands where a folder is needed; name another path"
        case .folderInTheWay: "name a file instead of a folder"
        case .shorterPath: "name a shorter path"
        case .linksInCircle: "links lead in a circle; name another path"
        case .readOnlyFiles: "name a path on a file system that is not read-only"
        case .freeDisk: "free some disk space"
        case .anotherPath: "name another path"
        case .folderOwner: "run stoa as its owner, or chown it to the user that runs stoa"
        case .mountFolder: "see whether the folder is mounted"
        case .largerDisk:
            "free some, or move it to a larger disk: PostgreSQL stops when its disk is full"
        case .installPostgres: "install PostgreSQL 15 or later"
        case .nameDatabase: "install PostgreSQL, or name a database with --database-url"
        case .seeDatabaseLog: "see PostgreSQL's log, and compare --database-url with it"
        case .databasePassword:
            "correct user and password in --database-url, or set the password: ALTER ROLE … "
                + "PASSWORD …"
        case .givePassword: "put the password into --database-url, or into ~/.pgpass"
        case .makeRole: "make the role: CREATE ROLE … LOGIN PASSWORD …"
        case .makeDatabase: "make the database: CREATE DATABASE … OWNER …"
        case .letMachineIn:
            "let this machine in: a line for it in pg_hba.conf, then SELECT pg_reload_conf()"
        case .poolerSetting: "that is PgBouncer: say --database-pooling transaction"
        case .moreConnections:
            "raise max_connections, lower --database-connections, or find who holds the others"
        case .waitForReplay: "wait: PostgreSQL replays its log after a crash"
        case .waitForDatabase: "wait until PostgreSQL is back"
        case .startOnPort:
            "start PostgreSQL; if it runs, compare its port and listen_addresses with "
                + "--database-url"
        case .startOnSocket:
            "start PostgreSQL; if it runs, compare its unix_socket_directories with --database-url"
        case .databaseHost: "correct the host in --database-url, or this machine's DNS"
        case .firewall: "see whether a firewall drops packets between this machine and PostgreSQL"
        case .databaseTLS: "compare sslmode and certificates in --database-url with PostgreSQL's"
        case .databaseURL: "write it as postgresql://user:password@host:port/name"
        case .upgradePostgres: "upgrade to PostgreSQL 15 or later"
        case .databaseEncoding:
            "make a database with ENCODING 'UTF8' and move the data there with pg_dump"
        case .databaseDisk:
            "free space where PostgreSQL keeps its data; what was stored is safe, and the "
                + "servers go on by themselves"
        case .namePrimary:
            "name the primary in --database-url (target_session_attrs=read-write finds it)"
        case .fsync:
            "a crash can destroy the database: ALTER SYSTEM SET fsync = on, then SELECT "
                + "pg_reload_conf()"
        case .synchronousCommit:
            "a crash can lose what was acknowledged: ALTER SYSTEM SET synchronous_commit = on, "
                + "then SELECT pg_reload_conf(); see the role's too"
        case .fullPageWrites:
            "unless the disk never tears a page: ALTER SYSTEM SET full_page_writes = on"
        case .setClocks:
            "set both by NTP, such as timedatectl set-ntp true: sign-ins end by that clock"
        case .connectionLimit:
            "raise max_connections to {count} or more, or lower --database-connections"
        case .endTransaction:
            "find it in pg_stat_activity (order by xact_start) and end it with "
                + "pg_terminate_backend(pid): dead rows stay as long as it is open"
        case .autovacuum: "ALTER SYSTEM SET autovacuum = on, then SELECT pg_reload_conf()"
        case .vacuum: "VACUUM (ANALYZE) {tables}, and see what keeps autovacuum from it"
        case .freeze: "VACUUM (FREEZE) as superuser: at 2,000 million PostgreSQL stops to write"
        case .newerProgram: "install the program that made it, or a newer one"
        case .matchingProgram:
            "install the program that made the database: its steps are not this program's"
        case .migrate: "stoa migrate, or the next start of stoa serve"
        case .strayRows:
            "report it with the server's log; they go with: DELETE FROM generations g WHERE NOT "
                + "EXISTS (SELECT FROM messages m WHERE m.id = g.message_id AND m.state IN "
                + "('queued', 'streaming'))"
        case .lostAnswers: "report it with the server's log; asking anew makes another answer"
        case .startServer: "start stoa serve: no server runs on this database"
        case .slowQueue:
            "see the servers' logs for a model that does not load; more --slots, or servers"
        case .abandonedAnswers: "see the logs of {nodes}: their model may not be loaded"
        case .resumeAnswers: "start stoa serve: it goes on with them"
        case .ledger: "report it with the server's log: budgets count by these sums until then"
        case .firstUser: "open the link that stoa serve prints, or stoa user add NAME --admin"
        case .addAdministrator: "stoa user add NAME --admin"
        case .fetchModel: "fetch it anew with stoa model pull, or name another folder with --model"
        case .otherAdapter:
            "name another folder with --adapter, or the model of this one with of=MODEL"
        case .badKernels: "unset STOA_KERNELS; {kernels} would be in use"
        case .slowProcessor:
            "answers will be many times slower: use an x86-64 processor with AVX2, FMA and F16C; "
                + "in a virtual machine pass the host's processor through"
        case .slowKernels: "answers will be many times slower: unset STOA_KERNELS"
        case .fewerThreads: "lower --threads: more of them than cores wait for each other"
        case .smallerModel:
            "take a smaller or a more quantized model: weights would be read from the disk for "
                + "each token"
        case .lessCache: "lower --kv-memory, or take a smaller model"
        case .modelLimit: "raise --model-memory, or take a smaller or a more quantized model"
        case .modelTurns:
            "they are loaded and unloaded by use: raise --model-memory, lower --kv-memory, or unload "
                + "one"
        case .closeKey: "chmod 600 {file}"
        case .renewedKey:
            "name the key that the certificate was asked for with: both are renewed together"
        case .certificatePath: "correct the path in --tls-certificate and --tls-key"
        case .certificateAccess: "let the user that runs stoa read it"
        case .certificateFormat:
            "give a PEM file: the chain, its own certificate first; a key without passphrase"
        case .newFiles: "make the files anew"
        case .earlyCertificate: "see whether this machine's clock is right, else wait"
        case .renewCertificate: "renew it, then kill -HUP the server: nobody is dropped"
        case .certificateNames: "request one with a subject alternative name"
        case .certificateHost: "request one for {host}, or correct --public-url"
        case .selfSigned: "browsers will warn: get one from an authority, or make clients trust it"
        case .unprivilegedPort:
            "take a port from 1024 on, or setcap cap_net_bind_service=+ep on the program"
        case .ownAddress: "name an address of this machine with --host; 0.0.0.0 is all of them"
        case .takenPort: "end what listens there (ss -ltnp shows it), or take another --port"
        case .publicScheme: "say https:// there: cookies and links follow it"
        case .encrypt:
            "passwords travel readable: --tls-certificate and --tls-key, a proxy with TLS and an "
                + "https:// --public-url, or --tls-self-signed on for a first run"
        case .nameHost: "that is for a service manager's sockets (LISTEN_FDS); else name a --host"
        }
    }

    /// The sentence with these values.
    package func sentence(_ values: [String: String]) -> String {
        SentenceTemplate.fill(template, values)
    }

    /// The code with these values.
    package func code(_ values: [String: String]) -> SentenceCode {
        SentenceCode(rawValue, values)
    }
}
