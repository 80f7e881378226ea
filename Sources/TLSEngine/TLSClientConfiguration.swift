// Whom a client trusts.

import COpenSSL

/// What a client demands of its server; the trusted certificates are read once.
public struct TLSClientConfiguration: Sendable {
    /// How a server's certificate is checked.
    public enum Verification: Sendable {
        /// It must lead to a trusted certificate and bear the server's name.
        case full
        /// Anything goes: for tests only, since anybody could stand between.
        case none
    }

    /// The name or IP address that the server's certificate must bear.
    public var serverName: String

    let verification: Verification
    let context: TLSContext

    /// Trusts the certificates in `trustedFile`, or those of the system.
    /// - Parameters:
    ///   - serverName: the name or IP address of the server.
    ///   - trustedFile: a PEM file with the only certificates to trust; nil for the system's.
    ///   - verification: how the server's certificate is checked.
    /// - Throws: `badFile` where `trustedFile` cannot be read.
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
            // Without a store nothing is trusted, which the handshake will say.
            _ = SSL_CTX_set_default_verify_paths(context.pointer)
            ERR_clear_error()
        }
    }
}
