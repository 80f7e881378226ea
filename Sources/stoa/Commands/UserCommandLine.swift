// `stoa user`.

import ArgumentParser
import ChatServer

struct UserCommandLine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Manage users.",
        subcommands: [Add.self, Reset.self, Invite.self, Link.self]
    )

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a link by which a user can set a new password, once, within a day.",
            discussion: SettingsArguments.help
        )

        @Argument(help: "The name that the user signs in with.")
        var name: String

        @OptionGroup var arguments: SettingsArguments

        func run() async throws {
            let settings = try arguments.read()
            let logger = LogSetup.logger(settings)
            print(try await UserCommand.reset(name: name, settings: settings, logger: logger))
        }
    }

    struct Invite: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a link by which somebody can make an account, once, within a week.",
            discussion: SettingsArguments.help
        )

        @OptionGroup var arguments: SettingsArguments

        func run() async throws {
            let settings = try arguments.read()
            let logger = LogSetup.logger(settings)
            print(try await UserCommand.invite(settings: settings, logger: logger))
        }
    }

    struct Link: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let somebody whom the OpenID provider knows sign in as a user.",
            discussion: SettingsArguments.help
        )

        @Argument(help: "The name of the user.")
        var name: String

        @Argument(help: "The provider's name for somebody: the claim sub.")
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
            print("linked \(name)")
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a user, while the server runs or not.",
            discussion: SettingsArguments.help
        )

        @Argument(help: "The name to sign in with.")
        var name: String

        @Flag(help: "Let the user administer the server.")
        var admin = false

        @Flag(
            help: "Read the password from the first line of standard input; else it is asked for."
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
            print("added \(name)")
        }

        private func password() throws -> String {
            if passwordStdin { return readLine(strippingNewline: true) ?? "" }
            guard Terminal.isInput else {
                throw ValidationError("there is no terminal to ask: use --password-stdin")
            }
            let password = ask("Password of \(name): ")
            guard ask("Once more: ") == password else {
                throw CommandFailure(.dataError, "the two passwords are not the same")
            }
            return password
        }

        private func ask(_ question: String) -> String {
            StandardStreams.write(question)
            Terminal.setEcho(false)
            defer {
                Terminal.setEcho(true)
                StandardStreams.print("")
            }
            return readLine(strippingNewline: true) ?? ""
        }
    }
}
