// OpenSSL's SSL_CTX with one owner: what all connections of one configuration share.

import COpenSSL

// Safety: SSL_CTX counts its references and locks what connections share. Nothing is changed after the
// configuration that made the context has returned it.
/// Settings, certificates and sessions of many connections.
final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer

    /// An empty context for servers or for clients: TLS 1.2 or later, no renegotiation, no compression.
    init(forServer: Bool) throws(TLSError) {
        ERR_clear_error()
        guard let pointer = SSL_CTX_new(forServer ? TLS_server_method() : TLS_client_method())
        else { throw .failed(reason: TLSError.latestReason()) }
        self.pointer = pointer
        guard copenssl_require_tls_1_2(pointer) == 1 else {
            throw .failed(reason: TLSError.latestReason())
        }
        copenssl_set_options(pointer)
    }

    deinit { SSL_CTX_free(pointer) }
}
