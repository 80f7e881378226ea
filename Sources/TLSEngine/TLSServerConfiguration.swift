// What a server shows to its clients.

import COpenSSL

/// A server's certificate and key, read once and shared by its connections.
public struct TLSServerConfiguration: Sendable {
    let context: TLSContext

    /// Reads the certificate chain, the server's own first, and its private key.
    /// - Parameters:
    ///   - certificateFile: a PEM file.
    ///   - keyFile: a PEM file without a passphrase.
    /// - Throws: `badFile` or `keyMismatch`.
    public init(certificateFile: String, keyFile: String) throws(TLSError) {
        context = try TLSContext(forServer: true)
        guard SSL_CTX_use_certificate_chain_file(context.pointer, certificateFile) == 1 else {
            throw .badFile(path: certificateFile, reason: TLSError.latestReason())
        }
        // Without this OpenSSL would ask the terminal for the passphrase of an encrypted key.
        SSL_CTX_set_default_passwd_cb(context.pointer) { _, _, _, _ in 0 }
        guard SSL_CTX_use_PrivateKey_file(context.pointer, keyFile, SSL_FILETYPE_PEM) == 1 else {
            let reason = TLSError.latestReason()
            // OpenSSL compares the key with the certificate already here.
            if SSL_CTX_get0_privatekey(context.pointer) == nil, reason.contains("mismatch") {
                throw .keyMismatch(certificateFile: certificateFile, keyFile: keyFile)
            }
            throw .badFile(path: keyFile, reason: reason)
        }
        guard SSL_CTX_check_private_key(context.pointer) == 1 else {
            ERR_clear_error()
            throw .keyMismatch(certificateFile: certificateFile, keyFile: keyFile)
        }
    }
}
