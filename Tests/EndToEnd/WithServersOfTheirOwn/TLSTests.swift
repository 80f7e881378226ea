// TLS with another client: OpenSSL's s_client.

import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("TLS")
    struct TLSTests {
        private static let openSSL = "/usr/bin/openssl"
        /// The folders of a test's certificates.
        private let folders: [TemporaryFolder]

        init() throws { folders = [try TemporaryFolder(), try TemporaryFolder()] }

        private static let request =
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

        /// Starts openssl with both outputs merged.
        private func start(
            _ arguments: [String],
            input: String = "",
            keepsInputOpen: Bool = false,
            in folder: TemporaryFolder
        ) throws -> Program {
            try Program(
                Self.openSSL,
                arguments,
                input: input,
                keepsInputOpen: keepsInputOpen,
                errorPath: "\(folder.path)/openssl-\(UUID().uuidString).log"
            )
        }

        /// Sends a request over TLS, and returns the client's complete output.
        private func ask(
            _ server: StoaServer,
            _ options: [String] = [],
            _ request: String = Self.request
        ) throws -> String {
            let client = try start(
                ["s_client", "-connect", "127.0.0.1:\(server.port)", "-ign_eof"] + options,
                input: request,
                in: server.folder
            )
            let (_, output) = try client.end()
            return output + client.errorOutput
        }

        private func serve(_ certificates: [SelfSignedCertificate]) throws -> StoaServer {
            try StoaServer([
                "--tls-certificate", certificates.map(\.certificateFile).joined(separator: ","),
                "--tls-key", certificates.map(\.keyFile).joined(separator: ","),
            ])
        }

        @Test("a self-signed certificate is kept, and identified by its fingerprint")
        func selfSigned() throws {
            let server = try StoaServer(["--tls-self-signed", "on"])
            let file = "\(server.dataDirectory)/tls/self-signed.pem"
            let fingerprint = try server.fingerprint()
            let shown = try start(
                ["x509", "-in", file, "-noout", "-fingerprint", "-sha256"],
                in: server.folder
            ).end().rest
            #expect(shown.contains("=\(fingerprint)"))
            var status = stat()
            let found = stat(file, &status)
            #expect(found == 0 && status.st_mode & 0o777 == 0o600)

            let trust = ["-CAfile", file, "-verify_return_error", "-verify_hostname", "localhost"]
            let answer = try ask(server, trust)
            #expect(answer.contains("HTTP/1.1 200"))
            // A user who is warned of a certificate must be able to continue, or go back.
            #expect(!answer.lowercased().contains("strict-transport-security"))
            #expect(try server.stop() == .exited(0))
            try server.start()
            #expect(try server.fingerprint() == fingerprint)
            #expect(try server.stop() == .exited(0))
        }

        @Test("each name has its certificate, and HSTS makes browsers use only TLS")
        func names() throws {
            let certificates = try zip(["DNS:a.test", "DNS:b.test"], folders).map {
                try SelfSignedCertificate(names: $0, in: $1)
            }
            let server = try serve(certificates)
            for (name, index) in [("a.test", 0), ("b.test", 1)] {
                let answer = try ask(
                    server,
                    [
                        "-servername", name, "-verify_hostname", name, "-verify_return_error",
                        "-CAfile", certificates[index].certificateFile,
                    ]
                )
                #expect(answer.contains("HTTP/1.1 200"), "\(name)")
                #expect(answer.contains("Strict-Transport-Security: max-age=15552000"))
            }
            // Also for a malformed request.
            let refusal = try ask(server, [], "GET / HTTP/1.1\r\n\r\n")
            #expect(refusal.contains("HTTP/1.1 400"))
            #expect(refusal.contains("Strict-Transport-Security: max-age=15552000"))
            #expect(try server.stop() == .exited(0))
        }

        @Test("http/1.1 is negotiated, and a client with only other protocols is refused")
        func protocols() throws {
            let server = try serve([SelfSignedCertificate(in: folders[0])])
            let both = try ask(server, ["-alpn", "h2,http/1.1"])
            #expect(both.contains("ALPN protocol: http/1.1") && both.contains("HTTP/1.1 200"))
            let other = try ask(server, ["-alpn", "h2"])
            #expect(other.contains("no application protocol"), "\(other)")
            #expect(try server.stop() == .exited(0))
        }

        @Test(
            "a session is resumed by its ticket, also after a reload, and has one for the next time",
            arguments: ["1_2", "1_3"]
        )
        func tickets(version: String) throws {
            let server = try serve([SelfSignedCertificate(in: folders[0])])
            let session = "\(server.folder.path)/session.pem"
            // A client uses a ticket of TLS 1.3 once, and one of TLS 1.2 again.
            let next = version == "1_3" ? "\(server.folder.path)/next.pem" : session
            let first = try ask(server, ["-tls\(version)", "-sess_out", session])
            #expect(first.contains("New, TLSv"))
            server.hangUp()
            try eventually("the certificates are read anew") {
                server.log.contains("certificate reloaded")
            }
            let second = try ask(
                server,
                ["-tls\(version)", "-sess_in", session, "-sess_out", next]
            )
            #expect(second.contains("Reused, TLSv") && second.contains("HTTP/1.1 200"))
            let third = try ask(server, ["-tls\(version)", "-sess_in", next])
            #expect(third.contains("Reused, TLSv") && third.contains("HTTP/1.1 200"))
            #expect(try server.stop() == .exited(0))
        }

        @Test("a reload changes the certificate for new connections, and closes none")
        func reload() throws {
            let certificate = try SelfSignedCertificate(in: folders[0])
            let other = try SelfSignedCertificate(in: folders[1])
            let server = try serve([certificate])
            let early = try start(
                ["s_client", "-connect", "127.0.0.1:\(server.port)"],
                keepsInputOpen: true,
                in: server.folder
            )
            try early.line { $0.contains("Verify return code") ? () : nil }

            for (from, to) in [
                (other.certificateFile, certificate.certificateFile),
                (other.keyFile, certificate.keyFile),
            ] {
                try Data(contentsOf: URL(filePath: from)).write(to: URL(filePath: to))
            }
            server.hangUp()
            try eventually("the certificates are read anew") {
                server.log.contains("certificate reloaded")
            }
            let trust = ["-CAfile", other.certificateFile, "-verify_return_error"]
            #expect(try ask(server, trust).contains("HTTP/1.1 200"))
            try early.write(Self.request)
            try early.line { $0.contains("HTTP/1.1 200") ? () : nil }
            #expect(try server.stop() == .exited(0))
        }

        @Test("renegotiation is refused, and other clients are served")
        func renegotiation() throws {
            let server = try serve([SelfSignedCertificate(in: folders[0])])
            let client = try start(
                ["s_client", "-connect", "127.0.0.1:\(server.port)", "-tls1_2"],
                keepsInputOpen: true,
                in: server.folder
            )
            try client.line { $0.contains("Verify return code") ? () : nil }
            try client.write("R\n")
            let (_, output) = try client.end()
            #expect((output + client.errorOutput).contains("no renegotiation"))
            #expect(try ask(server).contains("HTTP/1.1 200"))
            #expect(try server.stop() == .exited(0))
        }
    }
}
