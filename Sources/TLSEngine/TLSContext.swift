// OpenSSL's SSL_CTX with one owner: what all connections of one configuration share.

import COpenSSL

// Safety: SSL_CTX counts its references and locks what connections share. Nothing is changed after the
// configuration that made the context has returned it.
/// Settings, certificates and sessions of many connections.
final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer
    /// What tickets are sealed with, which OpenSSL refers to.
    private var ticketKeys: TLSTicketKeys?
    /// The contexts to choose among by the name that a client asks for, and what OpenSSL sees of them.
    private var choices: [TLSContext] = []
    private var choicePointers: UnsafeMutablePointer<OpaquePointer?>?

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

    /// A server's context: with tickets, without sessions of its own, and http/1.1.
    convenience init(ticketKeys: TLSTicketKeys) throws(TLSError) {
        try self.init(forServer: true)
        self.ticketKeys = ticketKeys
        copenssl_keep_no_sessions(pointer)
        copenssl_select_protocol(pointer)
        sealTickets(with: ticketKeys)
    }

    /// Shows clients that ask for a name the certificate of one of `others` that bears it.
    ///
    /// To be called once. This context's own certificate goes first, and is shown where none fits.
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
