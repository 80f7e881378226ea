// Wraps OpenSSL's SSL_CTX, which the connections of one configuration share.

import COpenSSL

// Safety: SSL_CTX is reference counted and locks its shared state. It is not changed after the
// configuration that created it has been returned.
/// Settings, certificates and sessions of many connections.
final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer
    /// The keys of session tickets, which OpenSSL refers to.
    private var ticketKeys: TLSTicketKeys?
    /// The contexts to select from by server name (SNI), and the array that OpenSSL sees.
    private var choices: [TLSContext] = []
    private var choicePointers: UnsafeMutablePointer<OpaquePointer?>?

    /// Creates a context for servers or clients: TLS 1.2 or later, no renegotiation, no
    /// compression.
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

    /// Creates a server's context: session tickets, no session cache, http/1.1.
    convenience init(ticketKeys: TLSTicketKeys) throws(TLSError) {
        try self.init(forServer: true)
        self.ticketKeys = ticketKeys
        copenssl_keep_no_sessions(pointer)
        copenssl_select_protocol(pointer)
        encryptTickets(with: ticketKeys)
    }

    /// Selects a certificate by the client's server name (SNI), among this context's and those of
    /// `others`.
    ///
    /// Call it once. This context's own certificate is tried first, and is used if none matches.
    func choose(among others: [TLSContext]) {
        choices = others
        let pointers = [pointer] + others.map(\.pointer)
        let places = UnsafeMutablePointer<OpaquePointer?>.allocate(capacity: pointers.count + 1)
        for (index, pointer) in pointers.enumerated() {
            (places + index).initialize(to: pointer)
        }
        (places + pointers.count).initialize(to: nil)
        choicePointers = places
        copenssl_choose_by_name(pointer, places)
    }

    deinit {
        SSL_CTX_free(pointer)
        choicePointers?.deallocate()
    }
}
