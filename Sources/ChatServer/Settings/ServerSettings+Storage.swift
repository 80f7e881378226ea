// Settings of the data directory and the database (a part of the one list).

extension ServerSettings {
    static let storage = [
        Setting(
            \.dataDirectory,
            "data-dir",
            .text,
            placeholder: "FOLDER",
            defaultText: "$XDG_DATA_HOME/stoa, or ~/.local/share/stoa; root: /var/lib/stoa",
            "Data directory of the server"
        ),
        Setting(
            \.databaseURL,
            "database-url",
            .optionalText,
            placeholder: "URL",
            defaultText: "a private cluster in the data directory",
            isSecret: true,
            "PostgreSQL database, as postgresql://user:password@host:port/name; several hosts as host1,host2"
        ),
        Setting(
            \.databaseConnections,
            "database-connections",
            .wholeNumber(1...1000),
            "Maximum number of PostgreSQL connections"
        ),
        Setting(
            \.databasePooling,
            "database-pooling",
            .choice,
            "Pooling of the database URL; transaction if it leads to PgBouncer, or a similar"
                + " pooler, in transaction mode"
        ),
        Setting(
            \.databaseListenURL,
            "database-listen-url",
            .optionalText,
            placeholder: "URL",
            defaultText: "the database itself, unless its transactions are pooled",
            isSecret: true,
            "PostgreSQL URL for LISTEN, bypassing any pooler; none to poll every 150 ms"
                + " instead"
        ),
        Setting(
            \.databaseWait,
            "database-wait-seconds",
            .duration(secondsPerUnit: 1, 0...86400),
            "Seconds to retry at start while the database cannot be reached; 0 fails at once"
        ),
        Setting(
            \.walArchive,
            "wal-archive",
            .optionalText,
            placeholder: "FOLDER",
            defaultText: "none",
            "Folder into which the private PostgreSQL copies its WAL, compressed, every minute in which"
                + " something changed: with a backup it restores any later moment. It must exist"
        ),
        Setting(
            \.nodeName,
            "node-name",
            .text,
            placeholder: "NAME",
            defaultText: "the machine's name",
            "Name of this server among those that share the database"
        ),
    ]
}
