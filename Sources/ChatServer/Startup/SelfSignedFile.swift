// The self-signed certificate, for a first run on a local network.

import ChatProtocol
import EventLoop
import Glibc
import TLSEngine

/// The file `tls/self-signed.pem` in the data directory.
enum SelfSignedFile {
    /// Validity in days; Apple's systems reject certificates that are valid longer.
    private static let days = 397
    /// Days before its expiry at which it is replaced.
    private static let daysLeft = 30

    /// Creates the certificate unless there is a valid one for the names of this machine.
    /// - Throws: `StartupError` if it cannot be written.
    static func keep(_ settings: ServerSettings) throws(StartupError) {
        let file = settings.selfSignedFile
        let folder = "\(settings.dataDirectory)/tls"
        let names = Self.names(settings)
        if isGood(file, for: names) { return }
        do {
            try FileSystem.makeFolder(folder, mode: 0o700)
            guard chmod(folder, 0o700) == 0 else { throw FileError.latest(.changeMode, folder) }
            try CertificateMaker.makeSelfSigned(file: file, names: names, days: days)
        } catch {
            throw StartupError(.cannotCreate, "no certificate can be made: \(error)")
        }
    }

    private static func isGood(_ file: String, for names: [String]) -> Bool {
        guard let certificate = try? ServerCertificate(file: file),
            (try? TLSServerConfiguration(certificateFile: file, keyFile: file)) != nil
        else { return false }
        let end = Int(Timestamp.now.milliseconds / 1000) + daysLeft * 86400
        return certificate.notAfter > end && Set(certificate.names).isSuperset(of: names)
    }

    /// The names of this machine, including those in the settings.
    private static func names(_ settings: ServerSettings) -> [String] {
        var names = ["localhost", "127.0.0.1", "::1"]
        let publicHost = CertificateProbe.host(settings)
        for name in [settings.nodeName, publicHost].compactMap(\.self)
        where !names.contains(name) && CertificateMaker.canName(name) {
            names.append(name)
        }
        return names
    }
}
