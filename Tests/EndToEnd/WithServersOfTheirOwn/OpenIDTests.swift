// Signing in with an OpenID provider, a test double beside the server.

import ChatProtocol
import HTTPProtocol
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("OpenID Connect")
    struct OpenID {
        /// A browser during a sign-in: the provider's URL, and the cookie.
        private struct Visit {
            let location: HTTPRequestHead
            let cookie: String

            init(_ server: StoaServer) throws {
                let answer = try server.get("/api/v1/openid/start")
                guard answer.status == 302, let url = answer.head.headers[.location],
                    let slash = url.firstRange(of: "/authorize"),
                    let cookie = answer.head.headers["Set-Cookie"]
                else { throw HarnessError("start: \(answer.status) \(answer.text)") }
                location = HTTPRequestHead(.get, String(url[slash.lowerBound...]), host: "double")
                self.cookie = String(cookie.prefix { $0 != ";" })
            }

            /// Returns to the server with a code.
            func back(_ server: StoaServer, cookie: String? = nil) throws -> HTTPAnswer {
                let state = location.queryValue("state") ?? ""
                return try server.get(
                    "/api/v1/openid/callback?code=abc&state=\(state)",
                    headers: [.cookie: cookie ?? self.cookie]
                )
            }
        }

        private static func sessionCookie(_ answer: HTTPAnswer) -> String? {
            answer.head.headers.values(of: "Set-Cookie").map { String($0.prefix { $0 != ";" }) }
                .first { $0.hasPrefix("stoa_session=") }
        }

        @Test("signs in users of the provider, only with valid tokens, and each sign-in once")
        func signingIn() throws {
            let provider = try OpenIDDouble()
            defer { provider.stop() }
            let server = try StoaServer([
                "--oidc-issuer", provider.issuer, "--oidc-client-id", "stoa",
                "--oidc-new-users", "on", "--public-url", "http://127.0.0.1",
            ])
            try server.addUser("root", isAdmin: true)
            let nobody = try server.get("/api/v1/session").decode(as: SignedOutBody.self)
            #expect(nobody.openID == OpenIDOffer(provider: "127.0.0.1"))

            for algorithm in ["ES256", "RS256"] {
                let visit = try Visit(server)
                #expect(visit.location.queryValue("code_challenge_method") == "S256")
                provider.expect(OpenIDDouble.Answer(algorithm: algorithm), visit.location)
                let answer = try visit.back(server)
                #expect(answer.status == 302, "\(algorithm): \(answer.text)")
                #expect(provider.hasProvedItself)
                let cookie = try #require(Self.sessionCookie(answer))
                let session = try server.get("/api/v1/session", headers: [.cookie: cookie])
                #expect(session.text.contains("\"jane\""))
                // The same state is invalid the second time.
                #expect(try visit.back(server).status == 403)
            }
            try refuseWrongTokens(server, provider)
            #expect(try server.stop() == .exited(0))
        }

        private func refuseWrongTokens(_ server: StoaServer, _ provider: OpenIDDouble) throws {
            typealias Answer = OpenIDDouble.Answer
            let wrong: [(String, Answer)] = [
                ("issuer", Answer(change: { $0["iss"] = "https://evil.example" })),
                ("audience", Answer(change: { $0["aud"] = "another" })),
                ("party", Answer(change: { $0["azp"] = "another" })),
                ("two audiences", Answer(change: { $0["aud"] = ["stoa", "another"] })),
                ("nonce", Answer(change: { $0["nonce"] = "another" })),
                ("no nonce", Answer(change: { $0["nonce"] = nil })),
                ("expiry", Answer(change: { $0["exp"] = .number(1_000_000_000) })),
                ("future", Answer(change: { $0["iat"] = .number(9_000_000_000) })),
                ("subject", Answer(change: { $0["sub"] = "" })),
                ("none", Answer(algorithm: "none")),
                ("unknown algorithm", Answer(algorithm: "HS256")),
                ("forged", Answer(isForged: true)),
                ("damaged", Answer(isDamaged: true)),
                // The name is taken by another user's account.
                (
                    "name",
                    Answer {
                        $0["sub"] = "another"
                        $0["preferred_username"] = "root"
                    }
                ),
            ]
            for (what, answer) in wrong {
                let visit = try Visit(server)
                provider.expect(answer, visit.location)
                let refused = try visit.back(server)
                #expect(refused.status == 403, "\(what)")
                #expect(Self.sessionCookie(refused) == nil, "\(what)")
            }
            let (mine, theirs) = (try Visit(server), try Visit(server))
            provider.expect(Answer(), theirs.location)
            #expect(try theirs.back(server, cookie: mine.cookie).status == 403, "cookie")
        }

        @Test("an address that starts too many sign-ins has to wait, and others do not")
        func starts() throws {
            let provider = try OpenIDDouble()
            defer { provider.stop() }
            let server = try StoaServer([
                "--oidc-issuer", provider.issuer, "--oidc-client-id", "stoa",
                "--public-url", "http://127.0.0.1", "--trusted-proxies", "127.0.0.1",
            ])
            func start(_ address: String, accept: String = "*/*") throws -> HTTPAnswer {
                try server.get(
                    "/api/v1/openid/start",
                    headers: ["X-Forwarded-For": address, .accept: accept]
                )
            }
            // The limit refills by one per second meanwhile.
            var begun = 0
            var answer = try start("192.0.2.1")
            while answer.status == 302, begun < 600 {
                begun += 1
                answer = try start("192.0.2.1")
            }
            #expect(begun >= 60)
            #expect(answer.status == 429, "\(answer.text)")
            #expect(answer.head.headers["Retry-After"] == "1")
            #expect(try start("192.0.2.2").status == 302)
            // One customer's network counts as one address, and the page explains the error to
            // browsers.
            var location: String?
            for host in 1...200 where location?.hasPrefix("/#") != true {
                let answer = try start("2001:db8::\(host)", accept: "text/html")
                location = answer.head.headers[.location]
            }
            #expect(location == "/#sign-in-failed=too-many")
            #expect(try server.stop() == .exited(0))
        }

        @Test("signs in to linked accounts, and creates none unless configured")
        func linking() throws {
            let provider = try OpenIDDouble()
            defer { provider.stop() }
            let arguments = [
                "--oidc-issuer", provider.issuer, "--oidc-client-id", "stoa", "--public-url",
                "http://127.0.0.1",
            ]
            let server = try StoaServer(arguments)
            try server.addUser("ann")
            let stranger = try Visit(server)
            provider.expect(OpenIDDouble.Answer(), stranger.location)
            #expect(try stranger.back(server).status == 403)
            let (end, _, errors) = try server.command(
                ["user", "link", "ann", "248289761001", "--data-dir", server.dataDirectory]
                    + arguments
            )
            #expect(end == .exited(0), "\(errors)")
            let visit = try Visit(server)
            provider.expect(OpenIDDouble.Answer(), visit.location)
            let answer = try visit.back(server)
            #expect(answer.status == 302)
            let cookie = try #require(Self.sessionCookie(answer))
            let session = try server.get("/api/v1/session", headers: [.cookie: cookie])
            #expect(session.text.contains("\"ann\""))
            #expect(try server.stop() == .exited(0))
        }
    }
}
