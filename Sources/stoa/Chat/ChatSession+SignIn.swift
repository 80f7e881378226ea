// Signing in for `stoa chat`: with a token from the environment or a stored one, or else with a name and
// a password.

import ChatClient
import ChatProtocol
import EventLoop
import TerminalText

extension ChatSession {
    /// Connects as the user given by options, stored tokens or typed input.
    func signIn() async throws(CommandFailure) -> Welcome {
        let choice = options.choice
        if let token = choice.token, choice.isTokenGiven || !options.readsPassword {
            do throws(CommandFailure) {
                return try await connect(token)
            } catch  where error.status == .noPermission && Terminal.isInput && !choice.isTokenGiven
            {
                // A stored token has expired: ask for the password again.
                note("The session of \(choice.user ?? "") has expired.")
            }
        }
        try await requirePassword()
        let user = try await userName()
        let token = try await token(of: user)
        if let store = choice.store { try store.save(token, for: choice.server, user: user) }
        return try await connect(token)
    }

    /// Throws where users sign in with a provider in a browser, unless a user is named.
    private func requirePassword() async throws(CommandFailure) {
        guard Terminal.isInput, !options.namesUser, !options.readsPassword else { return }
        let server = options.choice.server
        // Without a reply, signing in says why.
        guard let offer = try? await HTTPClient(loop: loop, server: server).openIDOffer() else {
            return
        }
        throw CommandFailure(
            .noPermission,
            "this server signs in with \(offer.provider): run stoa login \(server), or give --user"
        )
    }

    private func userName() async throws(CommandFailure) -> String {
        if let user = options.choice.user { return user }
        guard Terminal.isInput else {
            throw CommandFailure(.usage, "not signed in: give --user")
        }
        return try await question("User: ")
    }

    private func token(of user: String) async throws(CommandFailure) -> String {
        guard Terminal.isInput || options.readsPassword else {
            throw CommandFailure(
                .usage,
                "no terminal to ask for the password: use --password-stdin"
            )
        }
        Terminal.setEcho(false)
        let password = try await question(Terminal.isInput ? "Password of \(user): " : "")
        Terminal.setEcho(true)
        if Terminal.isInput { StandardStreams.print("") }
        do throws(ChatClientError) {
            return try await HTTPClient(loop: loop, server: options.choice.server)
                .signIn(username: user, password: password, device: DeviceName.standard).token
        } catch .network(let error) {
            throw CommandFailure(.unavailable, "cannot reach \(options.choice.server): \(error)")
        } catch {
            throw CommandFailure(error)
        }
    }

    private func question(_ text: String) async throws(CommandFailure) -> String {
        StandardStreams.write("\(text)")
        guard let line = await lines.next(), !line.isEmpty else {
            throw CommandFailure(.dataError, "no line on standard input")
        }
        return line
    }

    /// Connects; the first failure ends the attempt, later ones are retried.
    private func connect(_ token: String) async throws(CommandFailure) -> Welcome {
        let client = ChatClient(
            loop: loop,
            configuration: ChatClient.Configuration(server: options.choice.server, token: token)
        )
        let first = LoopPromise<Welcome, ChatClientError>(loop)
        client.onState = { [unowned self] state in
            switch state {
            case .connecting: break
            case .connected(let welcome): first.succeed(welcome)
            case .waiting(_, let error), .ended(let error): first.fail(error)
            }
            if self.client === client { connectionChanged(state) }
        }
        client.start()
        do throws(ChatClientError) {
            let welcome = try await first.value { first.fail(.closed) }
            self.client = client
            return welcome
        } catch .network(let error) {
            client.close()
            throw CommandFailure(.unavailable, "cannot reach \(options.choice.server): \(error)")
        } catch {
            client.close()
            throw CommandFailure(error)
        }
    }
}
