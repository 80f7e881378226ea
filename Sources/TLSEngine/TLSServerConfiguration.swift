// Settings of TLS servers.

import COpenSSL

/// The paths of a certificate and its key.
public struct TLSFiles: Sendable, Hashable {
    /// The certificate chain (PEM), the server's own certificate first.
    public let certificate: String
    /// Its private key (PEM), without a passphrase.
    public let key: String

    /// Creates the paths; both may be the same file.
    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// The certificates and keys of a server, read once and shared by its connections.
public struct TLSServerConfiguration: Sendable {
    let context: TLSContext

    /// Reads certificates and keys.
    /// - Parameters:
    ///   - files: at least one. A client gets the first certificate that matches its server name
    ///     (SNI), or else the first one.
    ///   - ticketKeys: the keys of session tickets; pass the previous ones so that sessions can be
    ///     resumed.
    /// - Throws: `badFile` or `keyMismatch`.
    public init(
        _ files: [TLSFiles],
        ticketKeys: TLSTicketKeys = TLSTicketKeys()
    ) throws(TLSError) {
        var contexts: [TLSContext] = []
        for pair in files { contexts.append(try Self.makeContext(pair, ticketKeys)) }
        guard let first = contexts.first else { throw .failed(reason: "there is no certificate") }
        if contexts.count > 1 { first.choose(among: Array(contexts.dropFirst())) }
        context = first
    }

    /// Reads a certificate chain, the server's own certificate first, and its private key.
    /// - Parameters:
    ///   - certificateFile: a PEM file.
    ///   - keyFile: a PEM file without a passphrase.
    /// - Throws: `badFile` or `keyMismatch`.
    public init(certificateFile: String, keyFile: String) throws(TLSError) {
        try self.init([TLSFiles(certificate: certificateFile, key: keyFile)])
    }

    private static func makeContext(
        _ files: TLSFiles,
        _ ticketKeys: TLSTicketKeys
    ) throws(TLSError) -> TLSContext {
        let context = try TLSContext(ticketKeys: ticketKeys)
        guard SSL_CTX_use_certificate_chain_file(context.pointer, files.certificate) == 1 else {
            throw .badFile(path: files.certificate, reason: TLSError.latestReason())
        }
        // Otherwise OpenSSL would ask for the passphrase of an encrypted key on the terminal.
        SSL_CTX_set_default_passwd_cb(context.pointer) { _, _, _, _ in 0 }
        guard SSL_CTX_use_PrivateKey_file(context.pointer, files.key, SSL_FILETYPE_PEM) == 1 else {
            let reason = TLSError.latestReason()
            // OpenSSL already compares the key with the certificate here.
            if SSL_CTX_get0_privatekey(context.pointer) == nil, reason.contains("mismatch") {
                throw .keyMismatch(certificateFile: files.certificate, keyFile: files.key)
            }
            throw .badFile(path: files.key, reason: reason)
        }
        guard SSL_CTX_check_private_key(context.pointer) == 1 else {
            ERR_clear_error()
            throw .keyMismatch(certificateFile: files.certificate, keyFile: files.key)
        }
        return context
    }
}
