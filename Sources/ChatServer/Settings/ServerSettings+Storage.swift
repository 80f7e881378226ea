// The settings of what is kept where: the data directory and the database (a part of the one list).

extension ServerSettings {
    static let storage = [
        Setting(
            \.dataDirectory,
            "data-dir",
            .text,
            placeholder: "FOLDER",
            defaultText: "$XDG_DATA_HOME/stoa, or ~/.local/share/stoa; root: /var/lib/stoa",
            "Folder of all that the server keeps"
        ),
        Setting(
            \.databaseURL,
            "database-url",
            .optionalText,
            placeholder: "URL",
            defaultText: "a private cluster in the data directory",
            isSecret: true,
            "PostgreSQL to use, as postgresql://user:password@host:port/name"
        ),
        Setting(
            \.databaseConnections,
            "database-connections",
            .wholeNumber(1...1000),
            "Most connections to PostgreSQL"
        ),
        Setting(
            \.databasePooling,
            "database-pooling",
            .choice,
            "transaction where PgBouncer, or its like, stands before PostgreSQL and pools"
                + " transactions"
        ),
        Setting(
            \.databaseListenURL,
            "database-listen-url",
            .optionalText,
            placeholder: "URL",
            defaultText: "the database itself, unless its transactions are pooled",
            isSecret: true,
            "PostgreSQL past any pooler, to hear of other nodes at once; none to look every 150 ms"
                + " instead"
        ),
        Setting(
            \.databaseWait,
            "database-wait-seconds",
            .duration(secondsPerUnit: 1, 0...86400),
            "Seconds to retry at start while the database cannot be reached; 0 fails at once"
        ),
        Setting(
            \.nodeName,
            "node-name",
            .text,
            placeholder: "NAME",
            defaultText: "the machine's name",
            "What people call this server among several on one database"
        ),
    ]
}
