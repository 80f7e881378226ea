// `stoa migrate`.

import ArgumentParser
import ChatServer
import TerminalText

struct MigrateCommandLine: AsyncParsableCommand, SettingsTaking {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Update the database schema, and exit.",
        discussion: SettingsArguments.help
    )

    @OptionGroup var arguments: SettingsArguments

    func run() async throws {
        let database = try Database(try arguments.read())
        defer { database.release() }
        for name in database.appliedMigrations { StandardStreams.print("applied \(name)") }
        if database.appliedMigrations.isEmpty { StandardStreams.print("the schema is up to date") }
    }
}
