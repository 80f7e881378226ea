// `stoa admin`: administration from a terminal or a script, over the protocol.

import ArgumentParser

struct AdminCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin",
        abstract: "Administer a running server.",
        discussion: ServerArguments.help,
        subcommands: [
            AdminStatusCommand.self, AdminUsersCommand.self, AdminTeamsCommand.self,
            AdminUsageCommand.self, AdminRunsCommand.self, AdminModelsCommand.self,
            AdminEnginesCommand.self, AdminAuditCommand.self,
        ]
    )
}
