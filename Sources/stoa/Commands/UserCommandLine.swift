// `stoa user`.

import ArgumentParser
import ChatServer
import TerminalText

struct UserCommandLine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Manage users in the database, without a server.",
        subcommands: [Add.self, Reset.self, Invite.self, Link.self]
    )

    struct Reset: AsyncParsableCommand, SettingsTaking {
        static let configuration = CommandConfiguration(
            abstract: "Print a link to set a new password: valid once, for a day.",
            discussion: SettingsArguments.help
        )

        @Argument(help: "Name of the user.")
        var name: String

        @OptionGroup var arguments: SettingsArguments

        func run() async throws {
            let settings = try arguments.read()
            let logger = LogSetup.logger(settings)
            let link = try await UserCommand.reset(name: name, settings: settings, logger: logger)
            StandardStreams.print("\(link)")
        }
    }

    struct Invite: AsyncParsableCommand, SettingsTaking {
        static let configuration = CommandConfiguration(
            abstract: "Print a link to create an account: valid once, for a week.",
            discussion: SettingsArguments.help
        )

        @OptionGroup var arguments: SettingsArguments

        func run() async throws {
            let settings = try arguments.read()
            let logger = LogSetup.logger(settings)
            let link = try await UserCommand.invite(settings: settings, logger: logger)
            StandardStreams.print("\(link)")
        }
    }

    struct Link: AsyncParsableCommand, SettingsTaking {
        static let configuration = CommandConfiguration(
            abstract: "Link a user to an account of the OpenID provider.",
            discussion: SettingsArguments.help
        )

        @Argument(help: "Name of the user.")
        var name: String

        @Argument(help: "The provider's subject identifier: the claim sub.")
        var subject: String

        @OptionGroup var arguments: SettingsArguments

        func run() async throws {
            let settings = try arguments.read()
            try await UserCommand.link(
                name: name,
                subject: subject,
                settings: settings,
                logger: LogSetup.logger(settings)
            )
            StandardStreams.print("linked \(name)")
        }
    }

    struct Add: AsyncParsableCommand, SettingsTaking {
        static let configuration = CommandConfiguration(
            abstract: "Add a user.",
            discussion: SettingsArguments.help
        )

        @Argument(help: "Name to sign in with.")
        var name: String

        @Flag(help: "Make the user an administrator.")
        var admin = false

        @Flag(
            help: "Read the password from the first line of standard input."
        )
        var passwordStdin = false

        @OptionGroup var arguments: SettingsArguments

        func run() async throws {
            let settings = try arguments.read()
            let password = try password()
            try await UserCommand.add(
                name: name,
                password: password,
                isAdmin: admin,
                settings: settings,
                logger: LogSetup.logger(settings)
            )
            StandardStreams.print("added \(name)")
        }

        private func password() throws -> String {
            if passwordStdin { return readLine(strippingNewline: true) ?? "" }
            guard Terminal.isInput else {
                throw ValidationError("no terminal to ask for the password: use --password-stdin")
            }
            let password = ask("Password of \(TerminalSanitizer.clean(name)): ")
            guard ask("Repeat the password: ") == password else {
                throw CommandFailure(.dataError, "the two passwords differ")
            }
            return password
        }

        private func ask(_ question: String) -> String {
            StandardStreams.write("\(question)")
            Terminal.setEcho(false)
            defer {
                Terminal.setEcho(true)
                StandardStreams.print("")
            }
            return readLine(strippingNewline: true) ?? ""
        }
    }
}
