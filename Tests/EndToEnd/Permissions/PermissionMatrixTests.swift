// Every operation and every route, asked by everybody: what comes back is what the tables of rights say.

import ChatCore
import ChatProtocol
import HTTPProtocol
import Testing

extension EndToEnd.OneServer {
    private func peers() throws -> [Persona: Peer] {
        try Dictionary(
            uniqueKeysWithValues: Persona.allCases.map { ($0, try connect($0.rawValue)) }
        )
    }

    /// What a refusal says for want of a right; other errors are about the request itself.
    private func verdict(_ error: WireError?) -> Permission {
        switch error {
        case Permission.forbidden.refusal: .forbidden
        case .noSuchConversation, .noSuchMessage, .noSuchTeam: .invisible
        default: .granted
        }
    }

    @Test(
        "what anybody may ask for is what the table of rights says",
        arguments: Operation.allCases
    )
    func operations(operation: Operation) throws {
        let peers = try peers()
        for persona in Persona.allCases {
            let shared = try SharedConversation(peers)
            let subject = SampleSubject(shared, asker: persona)
            let peer = try #require(peers[persona])
            let error = try peer.error(operation, SampleFields(subject, operation))
            let expected = persona.permission(operation.requirement)
            #expect(verdict(error) == expected, "\(persona): \(error as Any)")
            guard expected == .invisible else { continue }
            // What they may not see looks like what is not there.
            let nothing = SampleSubject(nothingFor: subject.asker)
            let other = try peer.error(operation, SampleFields(nothing, operation))
            #expect(error == other, "\(persona)")
        }
    }

    @Test(
        "what anybody gets over HTTP is what the table of rights says",
        arguments: HTTPRoute.allCases
    )
    func routes(route: HTTPRoute) throws {
        let peers = try peers()
        let shared = try SharedConversation(peers)
        for persona in Persona.allCases {
            let subject = SampleSubject(shared, asker: persona)
            guard let request = subject.request(to: route) else { return }
            let token = try #require(SharedServer.tokens[persona.rawValue])
            let answer = try send(request, token)
            let expected = persona.permission(route.requirement)
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
    /// The error that the server refuses a request with; nil where it grants it.
    fileprivate func error(_ operation: Operation, _ body: some Encodable) throws -> WireError? {
        guard case .failure(let error) = try reply(to: send(operation, body)) else { return nil }
        return error
    }
}

extension HTTPAnswer {
    /// The error in its body, where it is one.
    fileprivate var error: WireError? {
        status < 400 ? nil : try? decode(as: ErrorBody.self).error
    }
}
