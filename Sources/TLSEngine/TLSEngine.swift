// One encrypted connection without a socket: OpenSSL between two memory buffers. The owner carries the
// ciphertext to and from the peer; it asks for `takeOutput()` after every other call, also after one
// that threw, for a last alert may be there.

import COpenSSL

/// One side of a TLS connection, as a machine that turns bytes into bytes.
public final class TLSEngine {
    /// What reading plaintext brought.
    public enum ReadResult: Hashable, Sendable {
        /// So many bytes were written to the buffer; there may be more.
        case bytes(Int)
        /// Nothing until more ciphertext comes.
        case nothing
        /// The peer has said that no more will come.
        case end
    }

    private let connection: OpaquePointer
    /// Ciphertext from the peer, and ciphertext for the peer. The connection owns both. Once empty they
    /// hold no memory: what an idle connection holds is held ten thousand times.
    private let input: OpaquePointer
    private let output: OpaquePointer
    /// Kept for as long as the connection uses it.
    private let context: TLSContext
    private var hasSaidGoodbye = false

    /// A server's side: it waits for the client's first bytes.
    /// - Throws: where OpenSSL has no memory.
    public convenience init(server configuration: TLSServerConfiguration) throws(TLSError) {
        try self.init(configuration.context)
        SSL_set_accept_state(connection)
    }

    /// A client's side: its first output is there at once.
    /// - Throws: `failed` where the server's name cannot be asked for.
    public convenience init(client configuration: TLSClientConfiguration) throws(TLSError) {
        try self.init(configuration.context)
        SSL_set_connect_state(connection)
        try demand(configuration)
        try proceed()
    }

    private init(_ context: TLSContext) throws(TLSError) {
        ERR_clear_error()
        guard let connection = SSL_new(context.pointer) else {
            throw .failed(reason: TLSError.latestReason())
        }
        guard let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem()) else {
            SSL_free(connection)
            throw .failed(reason: "out of memory")
        }
        SSL_set_bio(connection, input, output)
        self.connection = connection
        self.input = input
        self.output = output
        self.context = context
    }

    deinit { SSL_free(connection) }

    /// Whether both sides have agreed, so that plaintext can be written.
    public var isHandshakeDone: Bool { SSL_is_init_finished(connection) == 1 }

    /// The protocol's name, such as "TLSv1.3", once the handshake is done.
    public var version: String { String(cString: SSL_get_version(connection)) }

    /// Whether both sides went on with an earlier session, once the handshake is done.
    public var isResumed: Bool { SSL_session_reused(connection) == 1 }

    // MARK: Ciphertext

    /// Takes ciphertext from the peer, and goes on with the handshake where it is not done.
    /// - Throws: `untrusted` or `failed`; the connection is over then.
    public func receive(_ ciphertext: UnsafeRawBufferPointer) throws(TLSError) {
        var rest = ciphertext
        while let start = rest.baseAddress, !rest.isEmpty {
            let taken = BIO_write(input, start, Int32(clamping: rest.count))
            guard taken > 0 else { throw .failed(reason: "out of memory") }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Int(taken)))
        }
        if !isHandshakeDone { try proceed() }
    }

    /// Whether `takeOutput()` has something to give.
    public var hasOutput: Bool { outputByteCount > 0 }

    /// How much `takeOutput()` has to give.
    public var outputByteCount: Int { BIO_ctrl_pending(output) }

    /// Takes the ciphertext that is to be sent to the peer; empty where there is none.
    public func takeOutput() -> [UInt8] {
        let count = BIO_ctrl_pending(output)
        guard count > 0 else { return [] }
        defer { copenssl_release(output) }
        return Array(unsafeUninitializedCapacity: count) { buffer, initializedCount in
            let taken = BIO_read(output, buffer.baseAddress, Int32(clamping: count))
            initializedCount = max(0, Int(taken))
        }
    }

    /// How much memory is held for ciphertext on its way.
    package var bufferCapacity: Int { copenssl_capacity(input) + copenssl_capacity(output) }

    // MARK: Plaintext

    /// Decrypts into `buffer`.
    /// - Returns: how many bytes; to be called again until there is nothing more.
    /// - Throws: `failed` where the ciphertext is no honest peer's; the connection is over then.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSError) -> ReadResult {
        var count = 0
        ERR_clear_error()
        let result = SSL_read_ex(connection, buffer.baseAddress, buffer.count, &count)
        if result == 1 { return .bytes(count) }
        switch SSL_get_error(connection, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
            copenssl_release(input)
            return .nothing
        case SSL_ERROR_ZERO_RETURN: return .end
        default: throw failure()
        }
    }

    /// Encrypts `plaintext`.
    /// - Returns: how many of its bytes were taken: 0 before the handshake is done.
    /// - Throws: `failed`; the connection is over then.
    public func write(_ plaintext: UnsafeRawBufferPointer) throws(TLSError) -> Int {
        guard isHandshakeDone, !plaintext.isEmpty else { return 0 }
        var count = 0
        ERR_clear_error()
        let result = SSL_write_ex(connection, plaintext.baseAddress, plaintext.count, &count)
        if result == 1 { return count }
        switch SSL_get_error(connection, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return 0
        default: throw failure()
        }
    }

    /// Tells the peer that no more plaintext will come; reading goes on.
    public func finishWriting() {
        guard isHandshakeDone, !hasSaidGoodbye else { return }
        hasSaidGoodbye = true
        ERR_clear_error()
        _ = SSL_shutdown(connection)
        ERR_clear_error()
    }

    // MARK: Handshake

    private func proceed() throws(TLSError) {
        ERR_clear_error()
        let result = SSL_do_handshake(connection)
        guard result != 1 else { return }
        switch SSL_get_error(connection, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return
        default: throw failure()
        }
    }

    /// Asks for the server's certificate, and has it checked.
    private func demand(_ configuration: TLSClientConfiguration) throws(TLSError) {
        let name = configuration.serverName
        ERR_clear_error()
        // An IP address has no place in the server name extension (RFC 6066, section 3).
        let isAddress = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(connection), name) == 1
        ERR_clear_error()
        guard isAddress || copenssl_set_server_name(connection, name) == 1 else {
            throw .failed(reason: "not a server's name: \(name)")
        }
        switch configuration.verification {
        case .none:
            SSL_set_verify(connection, SSL_VERIFY_NONE, nil)
        case .full:
            guard isAddress || SSL_set1_host(connection, name) == 1 else {
                throw .failed(reason: "not a server's name: \(name)")
            }
            SSL_set_verify(connection, SSL_VERIFY_PEER, nil)
        }
    }

    /// What went wrong in the latest call.
    private func failure() -> TLSError {
        let reason = TLSError.latestReason()
        let verification = SSL_get_verify_result(connection)
        guard verification != Int(X509_V_OK), SSL_get_verify_mode(connection) != SSL_VERIFY_NONE
        else { return .failed(reason: reason) }
        return .untrusted(reason: String(cString: X509_verify_cert_error_string(verification)))
    }
}
