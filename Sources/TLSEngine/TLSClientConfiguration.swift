// Settings of TLS clients.

import COpenSSL

/// The settings of a TLS client; the trusted certificates are read once.
public struct TLSClientConfiguration: Sendable {
    /// How a server's certificate is checked.
    public enum Verification: Sendable {
        /// The chain must end at a trusted certificate, and the name must match.
        case full
        /// No verification. For tests only: allows a man in the middle.
        case none
    }

    /// The name or IP address that the server's certificate must have.
    public var serverName: String

    let verification: Verification
    let context: TLSContext

    /// Creates a configuration that trusts the certificates in `trustedFile`, or those of the
    /// system.
    /// - Parameters:
    ///   - serverName: the name or IP address of the server.
    ///   - trustedFile: a PEM file with the only certificates to trust; nil for the system's.
    ///   - verification: how the server's certificate is checked.
    /// - Throws: `badFile` if `trustedFile` cannot be read.
    public init(
        serverName: String,
        trustedFile: String? = nil,
        verification: Verification = .full
    ) throws(TLSError) {
        self.serverName = serverName
        self.verification = verification
        context = try TLSContext(forServer: false)
        if let trustedFile {
            guard SSL_CTX_load_verify_locations(context.pointer, trustedFile, nil) == 1 else {
                throw .badFile(path: trustedFile, reason: TLSError.latestReason())
            }
        } else {
            // Without the system's store nothing is trusted, and handshakes fail.
            _ = SSL_CTX_set_default_verify_paths(context.pointer)
            ERR_clear_error()
        }
    }
}
