// `stoa backup`, `stoa backup verify` and `stoa restore`.

import ArgumentParser
import ChatProtocol
import ChatServer
import TerminalText

/// `stoa backup`.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Back up a server with a private database.",
        subcommands: [BackupCreateCommandLine.self, BackupVerifyCommandLine.self],
        defaultSubcommand: BackupCreateCommandLine.self
    )
}

/// `stoa backup create`.
struct BackupCreateCommandLine: AsyncParsableCommand, SettingsTaking {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Write a backup.",
        discussion: """
            The folder gets the database as it is at the end of the backup, a manifest with a checksum of each \
            of its files, the self-signed certificate and the config file. It contains all conversations and \
            the hashes of passwords.

            \(SettingsArguments.help)
            """
    )

    @Argument(help: ArgumentHelp("Folder to write, which must not exist.", valueName: "FOLDER"))
    var folder: String

    @Option(
        help: ArgumentHelp(
            "Maximum MiB of the database per second, so that a slow disk has time for others.",
            valueName: "MIB"
        )
    )
    var rate: Int?

    @OptionGroup var arguments: SettingsArguments

    func validate() throws {
        guard let rate, !Backup.rates.contains(rate) else { return }
        let (least, most) = (Backup.rates.lowerBound, Backup.rates.upperBound)
        throw ValidationError("--rate: \(rate) is not in \(least)...\(most)")
    }

    func run() async throws {
        let record = try Backup.write(
            to: folder,
            of: try arguments.read(),
            configFile: try arguments.configPath(),
            rate: rate
        )
        StandardStreams.print(
            "backed up: schema \(record.schema), PostgreSQL \(record.postgres), \(record.createdAt)"
        )
    }
}

/// `stoa backup verify`.
struct BackupVerifyCommandLine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Restore a backup into a temporary folder, and examine the database.",
        discussion: """
            Checks each file, starts the database, and reads all messages. The exit status is 0 if all checks pass, \
            1 with warnings, 2 with failures, 66 or 73 if it cannot be restored.
            """
    )

    @Argument(help: ArgumentHelp("Folder of the backup.", valueName: "FOLDER"))
    var folder: String

    @Option(
        help: ArgumentHelp(
            "Folder for the temporary one; it needs room for the whole database.",
            valueName: "FOLDER"
        )
    )
    var scratch = "/var/tmp"

    func run() async throws {
        var quiet = ServerSettings()
        quiet.logLevel = .critical
        let report = try await Backup.verify(
            folder,
            in: scratch,
            logger: LogSetup.logger(quiet)
        )
        for line in report.lines { StandardStreams.print("\(line)") }
        guard report.exitStatus == 0 else { throw ExitCode(report.exitStatus) }
    }
}

/// `stoa restore`.
struct RestoreCommandLine: AsyncParsableCommand, SettingsTaking {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make a data directory of a backup.",
        discussion: """
            The data directory must have no database. With --archive, the changes after the backup are recovered from \
            archived WAL, up to --until. Clients read everything again.

            \(SettingsArguments.help)
            """
    )

    @Argument(help: ArgumentHelp("Folder of the backup.", valueName: "FOLDER"))
    var folder: String

    @Option(help: ArgumentHelp("Folder with archived WAL.", valueName: "FOLDER"))
    var archive: String?

    @Option(
        help: ArgumentHelp(
            "Last moment to recover, such as 2026-11-27T09:30:00Z.",
            valueName: "TIME"
        )
    )
    var until: String?

    @OptionGroup var arguments: SettingsArguments

    func validate() throws {
        guard until == nil || archive != nil else {
            throw ValidationError("--until needs --archive")
        }
        if let until, Timestamp(argument: until) == nil {
            throw ValidationError("--until: “\(until)” is not a day or a time in UTC")
        }
    }

    func run() async throws {
        let record = try Backup.restore(
            folder,
            to: try arguments.read(),
            archive: archive,
            until: until.flatMap { Timestamp(argument: $0) }
        )
        StandardStreams.print("restored: schema \(record.schema), of \(record.createdAt)")
    }
}
