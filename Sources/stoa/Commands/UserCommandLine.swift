// `stoa user add`.

import ArgumentParser
import ChatServer

struct UserCommandLine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Manage users.",
        subcommands: [Add.self]
    )

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a user, while the server runs or not.",
            discussion: SettingsArguments.help
        )

        @Argument(help: "The name to sign in with.")
        var name: String

        @Flag(help: "Let the user administer the server.")
        var admin = false

        @Flag(help: "Read the password from the first line of standard input.")
        var passwordStdin = false

        @OptionGroup var arguments: SettingsArguments

        func run() async throws {
            let settings = try arguments.read()
            guard passwordStdin else {
                throw ValidationError("give the password on standard input, with --password-stdin")
            }
            try await UserCommand.add(
                name: name,
                password: readLine(strippingNewline: true) ?? "",
                isAdmin: admin,
                settings: settings,
                logger: LogSetup.logger(settings)
            )
            print("added \(name)")
        }
    }
}
