// Signing in by a link and a code: the protocol (RFC 8628), and `stoa login --web`.

import ChatProtocol
import HTTPProtocol
import Postgres
import Testing

extension EndToEnd.OneServer {
    @Test("the device grant speaks RFC 8628, and its code works once")
    func deviceGrant() throws {
        let server = try SharedServer.server()
        let codes = try server.beginDevice()
        #expect(codes.verificationURI == "\(server.origin)/#device")
        #expect(codes.expiresIn == 600 && codes.interval == 2)
        #expect(codes.userCode.count == 9)
        #expect(try server.pollDevice(codes).grantError == .authorizationPending)
        // At once after the first.
        #expect(try server.pollDevice(codes).grantError == .slowDown)

        let peer = try connect("fay")
        let confirmed = DeviceAnswerRequest(userCode: codes.userCode, isConfirmed: true)
        _ = try peer.call(.deviceAnswer, confirmed, as: EmptyReply.self)
        #expect(try peer.refusal(.deviceAnswer, confirmed) == .notFound)
        let answer = try server.pollDevice(codes)
        #expect(answer.status == 200)
        #expect(answer.head.headers["Cache-Control"] == "no-store")
        let reply = try answer.decode(as: DeviceTokenReply.self)
        #expect(reply.tokenType == "Bearer" && reply.user.name == "fay")
        _ = try server.connect(reply.accessToken).call(.ping, as: PingReply.self)
        let again = try server.pollDevice(codes)
        #expect(again.status == 400 && again.grantError == .invalidGrant)
    }

    @Test("wrong requests of the device grant get OAuth's errors")
    func wrongGrants() throws {
        let server = try SharedServer.server()
        let grant = ("grant_type", DeviceGrant.grantType)
        let client = ("client_id", "stoa")
        let wrong: [([(String, String)], HTTPHeaders, Int, GrantError.Code)] = [
            ([client, grant], [:], 400, .invalidRequest),
            ([client, ("device_code", "x")], [:], 400, .invalidRequest),
            ([client, grant, ("device_code", "x")], [:], 400, .invalidGrant),
            ([client, ("grant_type", "password")], [:], 400, .unsupportedGrantType),
            ([grant, ("device_code", "x")], [:], 401, .invalidClient),
            ([client, client, grant], [:], 400, .invalidRequest),
            ([client, grant], [.contentType: "application/json"], 400, .invalidRequest),
            ([client, grant], [.origin: "https://evil.example"], 403, .invalidRequest),
        ]
        for (form, headers, status, code) in wrong {
            let answer = try server.post("/api/v1/token", form: form, headers: headers)
            #expect(answer.status == status && answer.grantError == code, "\(form): \(answer.text)")
        }
        let nobody = try server.post("/api/v1/device_authorization", form: [])
        #expect(nobody.status == 401 && nobody.grantError == .invalidClient)
    }

    @Test("stoa login --web signs in once its user confirms, and the device is in their list")
    func confirmedLogin() throws {
        let server = try SharedServer.server()
        let login = try WaitingLogin(server, device: "the laptop", ["--profile", "by-code"])
        #expect(login.link == "\(server.origin)/#device")
        let peer = try connect("gus")
        let find = DeviceFindRequest(userCode: login.code.lowercased())
        let found: WaitingDevice = try peer.call(.deviceFind, find)
        #expect(found.device == "the laptop" && found.address == "127.0.0.1")
        let confirmed = DeviceAnswerRequest(userCode: login.code, isConfirmed: true)
        _ = try peer.call(.deviceAnswer, confirmed, as: EmptyReply.self)
        let (end, output, _) = try login.end()
        #expect(end == .exited(0))
        #expect(output == "signed in as gus at \(server.origin) (by-code)\n")

        let who = try server.command(["whoami", "--server", "by-code"])
        #expect(who.output.hasPrefix("gus at "))
        let reply: SessionListReply = try peer.call(.sessionList)
        let session = try #require(reply.sessions.first { $0.device == "the laptop" })
        let revoked = SessionRevokeRequest(session: session.id)
        _ = try peer.call(.sessionRevoke, revoked, as: EmptyReply.self)
        #expect(try server.command(["whoami", "--server", "by-code"]).end == .exited(77))
        _ = try server.command(["logout", "by-code"])
    }

    @Test("a refused and an expired stoa login store nothing")
    func failedLogins() throws {
        let server = try SharedServer.server()
        let peer = try connect("hal")
        let refused = try WaitingLogin(server, device: "refused", ["--profile", "never"])
        let answer = DeviceAnswerRequest(userCode: refused.code, isConfirmed: false)
        _ = try peer.call(.deviceAnswer, answer, as: EmptyReply.self)
        let refusal = try refused.end()
        #expect(refusal.end == .exited(77))
        #expect(refusal.failure == "stoa: the sign-in was refused")

        let expired = try WaitingLogin(server, device: "expired", ["--profile", "never"])
        _ = try server.database().query(
            "UPDATE device_sign_ins SET expires_at = now() WHERE device = 'expired'"
        )
        let late = DeviceAnswerRequest(userCode: expired.code, isConfirmed: true)
        #expect(try peer.refusal(.deviceAnswer, late) == .notFound)
        let expiry = try expired.end()
        #expect(expiry.end == .exited(77))
        #expect(expiry.failure == "stoa: the code has expired: run the command again")
        #expect(try server.command(["whoami", "--server", "never"]).end != .exited(0))
    }

    @Test("wrong codes make a user wait, also with right ones in between; a key confirms nothing")
    func wrongCodes() throws {
        let server = try SharedServer.server()
        try server.addUser("kim")
        let peer = try server.connect(server.signIn("kim"))
        let codes = try server.beginDevice()
        var refusals: [ErrorCode?] = []
        let right = codes.userCode
        for typed in ["", "BCDF", "BBBB-BBBB", right, "BBBB-BBBC", "12345678", "BBBBBBBD"] {
            refusals.append(try peer.refusal(.deviceFind, DeviceFindRequest(userCode: typed)))
        }
        #expect(refusals == (0..<7).map { $0 == 3 ? nil : .notFound })
        let confirmed = DeviceAnswerRequest(userCode: codes.userCode, isConfirmed: true)
        #expect(try peer.refusal(.deviceAnswer, confirmed) == .rateLimited)
        #expect(try server.pollDevice(codes).grantError == .authorizationPending)

        let other = try connect("ivy")
        let scopes = Scope.allCases.filter { $0 != .administer }
        let create = KeyCreateRequest(name: "all", scopes: scopes)
        let key: KeyCreateReply = try other.call(.keyCreate, create)
        let program = try server.connect(key.secret)
        #expect(try program.refusal(.deviceAnswer, confirmed) == .forbidden)
        let find = DeviceFindRequest(userCode: codes.userCode)
        #expect(try program.refusal(.deviceFind, find) == .forbidden)
        #expect(try other.refusal(.deviceFind, find) == nil)
    }
}
