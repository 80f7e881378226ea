// Signs the user in where no token is known: in a browser, with a link and a code, or with a password.

import ChatClient
import ChatProtocol
import EventLoop
import HTTPProtocol
import TerminalText

/// A sign-in of the user at a server.
struct InteractiveSignIn {
    /// Where the user is asked.
    enum Way {
        /// In a browser.
        case browser
        /// Here, for the password.
        case password(fromInput: Bool)
        /// In a browser if the server has an OpenID provider, else here.
        case asTheServerOffers
    }

    let server: HTTPOrigin
    /// The user's name; nil if it is not known.
    var user: String?
    let way: Way
    /// The name of the sign-in in the user's list.
    var device = DeviceName.standard

    /// The way for a command's options.
    static func way(user: String?, passwordStdin: Bool) -> Way {
        user == nil && !passwordStdin && Terminal.isInput
            ? .asTheServerOffers : .password(fromInput: passwordStdin)
    }

    /// Signs in.
    /// - Returns: the token and its user.
    /// - Throws: `CommandFailure` if the user refuses or does nothing; `ChatClientError`.
    func run() async throws -> SignInReply {
        switch way {
        case .browser: return try await inBrowser()
        case .password(let isInput): return try await withPassword(fromInput: isInput)
        case .asTheServerOffers:
            let server = server
            let offer = try await EventLoop.run { loop in
                try await HTTPClient(loop: loop, server: server).openIDOffer()
            }
            guard let offer else { return try await withPassword(fromInput: false) }
            StandardStreams.printError(
                "This server signs in with \(offer.provider). (With a password: --user NAME.)"
            )
            return try await inBrowser()
        }
    }

    private func withPassword(fromInput isInput: Bool) async throws -> SignInReply {
        let name = try user ?? PasswordPrompt.userName()
        let password = try PasswordPrompt.password(of: name, fromInput: isInput)
        let (server, device) = (server, device)
        return try await EventLoop.run { loop in
            try await HTTPClient(loop: loop, server: server)
                .signIn(username: name, password: password, device: device)
        }
    }

    private func inBrowser() async throws -> SignInReply {
        let (server, device) = (server, device)
        do {
            return try await EventLoop.run { loop in
                let client = HTTPClient(loop: loop, server: server)
                let codes = try await client.beginSignInByCode(device: device)
                Self.show(codes)
                return try await client.finishSignInByCode(codes)
            }
        } catch let error as DeviceSignInError {
            switch error {
            case .refused: throw CommandFailure(.noPermission, "the sign-in was refused")
            case .expired:
                throw CommandFailure(.noPermission, "the code has expired: run the command again")
            case .rejected(let reason): throw CommandFailure(.noPermission, reason)
            }
        }
    }

    private static func show(_ codes: DeviceAuthorizationReply) {
        StandardStreams.printError(
            """
            Open this page in a browser, on any device:
                \(codes.verificationURI)
            and enter this code there:
                \(codes.userCode)
            It is valid for \(codes.expiresIn / 60) minutes. Waiting for you to confirm it there …
            """
        )
    }
}
