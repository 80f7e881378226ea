// Every operation and every route, requested by every persona, compared with the permission tables.

import ChatCore
import ChatProtocol
import HTTPProtocol
import Testing
import WebSocketProtocol

extension EndToEnd.OneServer {
    /// The verdict that an error means; errors not about rights mean that it was granted.
    private func verdict(_ error: WireError?) -> Permission {
        switch error {
        case Permission.forbidden.refusal, Self.keyRefusal: .forbidden
        case .noSuchConversation, .noSuchMessage, .noSuchTeam, .noSuchPrompt: .invisible
        default: .granted
        }
    }

    /// The HTTP error for a key without the required scope.
    private static let keyRefusal: WireError? = WireError(
        .forbidden,
        "the API key lacks the scope for this"
    )

    @Test(
        "the result of each operation matches the permission table",
        arguments: OperationDefinition.all
    )
    func operations(operation: OperationDefinition) throws {
        let cast = try Cast()
        for persona in Persona.allCases {
            let shared = try SharedConversation(cast)
            let subject = SampleSubject(shared, asker: persona)
            if persona.hasEnded {
                try expectNoEntry(#require(cast.tokens[persona]), operation, subject)
                continue
            }
            let peer = try cast.peer(persona)
            let error = try peer.error(operation, try SampleRequest(operation, about: subject))
            let expected = persona.permission(operation)
            #expect(verdict(error) == expected, "\(persona): \(error as Any)")
            guard expected == .invisible else { continue }
            // Objects that they may not see look like missing ones.
            let nothing = SampleSubject(nothingFor: subject.asker)
            let other = try peer.error(operation, SampleRequest(operation, about: nothing))
            #expect(error == other, "\(persona)")
        }
        try cast.leave()
    }

    /// A persona whose sign-in has ended is accepted neither in the handshake nor in the first
    /// frame, and requests after it are not answered.
    private func expectNoEntry(
        _ token: String,
        _ operation: OperationDefinition,
        _ subject: SampleSubject
    ) throws {
        let server = try SharedServer.server()
        #expect(throws: WebSocketHandshakeError.refused(.unauthorized)) {
            _ = try Peer(server, token: token)
        }
        let peer = try Peer(server)
        let entry = try peer.send(.auth, AuthRequest(token: token))
        let asked = try peer.send(operation, SampleRequest(operation, about: subject))
        do {
            _ = try peer.reply(to: asked)
            Issue.record("\(operation) is answered")
        } catch let error as HarnessError {
            #expect("\(error)" == "closed with \(CloseCode.unauthenticated.rawValue)")
        }
        #expect(peer.answered.allSatisfy { $0 == entry } && peer.events.isEmpty)
    }

    @Test(
        "the result of each HTTP route matches the permission table",
        arguments: HTTPRoute.allCases
    )
    func routes(route: HTTPRoute) throws {
        let cast = try Cast()
        let shared = try SharedConversation(cast)
        for persona in Persona.allCases {
            let subject = SampleSubject(shared, asker: persona)
            guard let request = subject.request(to: route) else { break }
            let token = try #require(cast.tokens[persona])
            let answer = try send(request, token)
            if persona.hasEnded {
                #expect(answer.status == 401, "\(persona): \(answer.text)")
                continue
            }
            let expected = persona.permission(route)
            #expect(verdict(answer.error) == expected, "\(persona): \(answer.text)")
            guard expected == .invisible else { continue }
            let nothing = SampleSubject(nothingFor: subject.asker)
            let other = try send(#require(nothing.request(to: route)), token)
            #expect(answer.text == other.text && answer.status == other.status, "\(persona)")
        }
        if let request = SampleSubject(shared, asker: .owner).request(to: route) {
            #expect(try send(request, nil).status == 401)
            #expect(try send(request, "a token that is not valid").status == 401)
        }
        try cast.leave()
    }

    private func send(
        _ request: (method: HTTPMethod, target: String),
        _ token: String?
    ) throws -> HTTPAnswer {
        try HTTPCall.send(
            request.method,
            request.target,
            port: SharedServer.server().port,
            headers: token.map { [.authorization: "Bearer \($0)"] } ?? HTTPHeaders()
        )
    }
}

extension Peer {
    /// The error of a request; nil if it succeeds.
    fileprivate func error(
        _ operation: OperationDefinition,
        _ body: some Encodable
    ) throws -> WireError? {
        guard case .failure(let error) = try reply(to: send(operation, body)) else { return nil }
        return error
    }
}

extension HTTPAnswer {
    /// The error in its body, if there is one.
    fileprivate var error: WireError? {
        status < 400 ? nil : try? decode(as: ErrorBody.self).error
    }
}
