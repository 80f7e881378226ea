import Glibc
import TLSEngine
import TestSupport
import Testing

@Suite("Self-signed certificates")
struct CertificateMakerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("a certificate is valid for its names, and only its owner can read the key")
    func making() throws {
        let file = "\(folder.path)/self-signed.pem"
        let names = ["localhost", "chat.example.org", "127.0.0.1", "::1", "no name", "a,b"]
        for _ in 0..<2 {
            try CertificateMaker.makeSelfSigned(file: file, names: names, days: 30)
        }
        var status = stat()
        let found = stat(file, &status)
        #expect(found == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        let certificate = try ServerCertificate(file: file, host: "::1")
        #expect(certificate.names == ["localhost", "chat.example.org", "127.0.0.1", "::1"])
        #expect(certificate.isSelfSigned)
        #expect(certificate.coversHost == true)
        #expect((29 * 86400...32 * 86400).contains(certificate.notAfter - certificate.notBefore))

        let pair = EnginePair(
            client: try TLSEngine(
                client: TLSClientConfiguration(serverName: "localhost", trustedFile: file)
            ),
            server: try TLSEngine(
                server: TLSServerConfiguration(certificateFile: file, keyFile: file)
            )
        )
        try pair.carry()
        #expect(pair.client.isHandshakeDone)
    }

    @Test("a fingerprint has 32 bytes and differs between certificates")
    func fingerprints() throws {
        let fingerprints = try ["a", "b"].map { name in
            let file = "\(folder.path)/\(name).pem"
            try CertificateMaker.makeSelfSigned(file: file, names: [name], days: 1)
            return try ServerCertificate.fingerprint(ofFile: file)
        }
        #expect(Set(fingerprints).count == 2)
        for fingerprint in fingerprints {
            #expect(fingerprint.wholeMatch(of: /[0-9A-F]{2}(:[0-9A-F]{2}){31}/) != nil)
        }
    }

    @Test("a missing folder is named in the error")
    func missingFolder() {
        let file = "/nonexistent/self-signed.pem"
        #expect(throws: TLSError.badFile(path: file, reason: "no such file or directory")) {
            try CertificateMaker.makeSelfSigned(file: file, names: ["localhost"], days: 1)
        }
    }
}
