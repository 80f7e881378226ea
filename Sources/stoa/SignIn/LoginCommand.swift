// `stoa login`: signs in, and remembers it.

import ArgumentParser
import ChatClient
import ChatProtocol
import EventLoop
import FoundationEssentials
import HTTPProtocol
import TerminalText

/// `stoa login`.
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign in to a server, and remember it.",
        discussion: """
            Stores the token of the sign-in, never the password, in $XDG_CONFIG_HOME/stoa (or \
            ~/.config/stoa), readable by its owner only. Other commands use the latest sign-in, or \
            --server with the profile's name. With --web, and by itself where users sign in with OpenID, \
            it prints a link and a code: open the link in a browser, on any device, sign in there, and \
            enter the code.
            """
    )

    @Argument(help: ArgumentHelp("Server. [STOA_SERVER]", valueName: "url"))
    var server: String?

    @Option(help: ArgumentHelp("Name to sign in with.", valueName: "NAME"))
    var user: String?

    @Option(help: ArgumentHelp("Name of the profile.", valueName: "NAME"))
    var profile: String?

    @Option(help: ArgumentHelp("Name of this device in your list of sign-ins.", valueName: "NAME"))
    var device: String?

    @Flag(help: "Sign in in a browser, on any device, with a link and a code.")
    var web = false

    @Flag(help: "Read the password from the first line of standard input.")
    var passwordStdin = false

    @Flag(help: "Read an API key or a token from the first line of standard input.")
    var tokenStdin = false

    func validate() throws {
        if tokenStdin, passwordStdin || user != nil {
            throw ValidationError("--token-stdin excludes --user and --password-stdin")
        }
        if web, tokenStdin || passwordStdin || user != nil {
            throw ValidationError("--web excludes --user, --password-stdin and --token-stdin")
        }
        if let profile, profile.isEmpty || profile.contains(":") {
            throw ValidationError("--profile: a name has no colon")
        }
    }

    func run() async throws {
        let choice = try ServerChoice(server: server, user: user)
        guard let store = choice.store else {
            throw CommandFailure(.cannotCreate, "no home to store the sign-in in: set HOME")
        }
        let reply = try await ServerArguments.reportingFailures(of: choice.server) {
            try await signIn(choice)
        }
        // In a browser, somebody else may have signed in than the profile's user.
        let known = choice.user == reply.user.name ? choice.profile : nil
        let saved = Profile(
            name: profile ?? known,
            server: choice.server,
            user: reply.user.name,
            token: reply.token
        )
        try store.save(saved, isCurrent: true)
        StandardStreams.print("signed in as \(saved.user) at \(saved.server) (\(saved.name))")
    }

    private func signIn(_ choice: ServerChoice) async throws -> SignInReply {
        let server = choice.server
        if tokenStdin {
            return try await Self.check(readLine(strippingNewline: true) ?? "", at: server)
        }
        let way = InteractiveSignIn.way(user: user, passwordStdin: passwordStdin)
        return try await InteractiveSignIn(
            server: server,
            user: user,
            way: web ? .browser : way,
            device: device ?? DeviceName.standard
        ).run()
    }

    /// The user of a token.
    private static func check(_ token: String, at server: HTTPOrigin) async throws -> SignInReply {
        do {
            return try await EventLoop.run { loop in
                let user = try await HTTPClient(loop: loop, server: server).user(of: token)
                return SignInReply(token: token, user: user)
            }
        } catch ChatClientError.refused(let error) where error.code == .unauthenticated {
            throw CommandFailure(.noPermission, "the server does not know this token")
        }
    }
}
