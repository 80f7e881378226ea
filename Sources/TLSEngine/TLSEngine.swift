// A TLS connection without a socket: OpenSSL between the bytes that its owner has received and an
// array of those to send. The owner transfers the ciphertext to and from the peer. It calls
// `takeOutput()` after every other call, even one that threw, since there may be an alert to send.

import COpenSSL

/// One side of a TLS connection, without I/O.
public final class TLSEngine {
    /// The result of reading plaintext.
    public enum ReadResult: Hashable, Sendable {
        /// This many bytes were written to the buffer; there may be more.
        case bytes(Int)
        /// No plaintext until more ciphertext arrives.
        case nothing
        /// The peer has closed its side (close_notify).
        case end
    }

    private let connection: OpaquePointer
    /// What is left of a caller's ciphertext, during `receive(_:reading:)`. Like the arrays, it is
    /// only accessed for moments in which OpenSSL is not called (decision 30).
    @exclusivity(unchecked) private var lentInput = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Ciphertext from earlier calls, which comes first, and the number of its bytes that OpenSSL
    /// has read. When used up it holds no memory, which matters with ten thousand idle connections.
    @exclusivity(unchecked) private var input: [UInt8] = []
    @exclusivity(unchecked) private var inputOffset = 0
    /// Ciphertext for the peer.
    @exclusivity(unchecked) private var output: [UInt8] = []
    /// Retained while the connection uses it.
    private let context: TLSContext
    private var hasSentCloseNotify = false

    /// Creates the server side, which waits for the client's first bytes.
    /// - Throws: `failed` if memory is exhausted.
    public convenience init(server configuration: TLSServerConfiguration) throws(TLSError) {
        try self.init(configuration.context)
        SSL_set_accept_state(connection)
    }

    /// Creates the client side; its first output is available at once.
    /// - Throws: `failed` if the server name is invalid.
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
        guard let bio = BIO_new(Self.bioMethod) else {
            SSL_free(connection)
            throw .failed(reason: "out of memory")
        }
        SSL_set_bio(connection, bio, bio)
        self.connection = connection
        self.context = context
        // The connection, and with it the BIO, is freed with this object.
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
    }

    // Safety: it is not changed after it was made.
    /// Lets OpenSSL read from `input` and write to `output`.
    private nonisolated(unsafe) static let bioMethod = copenssl_make_bio_method(
        { bio, buffer, count in TLSEngine.of(bio).giveInput(buffer, Int(count), bio) },
        { bio, bytes, count in TLSEngine.of(bio).takeFromOpenSSL(bytes, count) }
    )

    private static func of(_ bio: OpaquePointer?) -> TLSEngine {
        Unmanaged<TLSEngine>.fromOpaque(BIO_get_data(bio)).takeUnretainedValue()
    }

    private func giveInput(
        _ buffer: UnsafeMutablePointer<CChar>?,
        _ count: Int,
        _ bio: OpaquePointer?
    ) -> Int32 {
        guard count > 0, hasInput, let buffer else {
            copenssl_set_read_later(bio, 1)
            return -1
        }
        copenssl_set_read_later(bio, 0)
        let place = UnsafeMutableRawBufferPointer(start: buffer, count: count)
        guard !input.isEmpty else {
            let taken = min(count, lentInput.count)
            place.copyMemory(from: UnsafeRawBufferPointer(rebasing: lentInput[..<taken]))
            lentInput = UnsafeRawBufferPointer(rebasing: lentInput[taken...])
            return Int32(taken)
        }
        let taken = min(count, input.count - inputOffset)
        input.withUnsafeBytes { bytes in
            let next = bytes[inputOffset..<(inputOffset + taken)]
            place.copyMemory(from: UnsafeRawBufferPointer(rebasing: next))
        }
        inputOffset += taken
        if inputOffset == input.count {
            input = []
            inputOffset = 0
        }
        return Int32(taken)
    }

    /// Whether there is ciphertext that OpenSSL has not read.
    private var hasInput: Bool { !lentInput.isEmpty || !input.isEmpty }

    private func takeFromOpenSSL(_ bytes: UnsafePointer<CChar>?, _ count: Int32) -> Int32 {
        output.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        return count
    }

    deinit { SSL_free(connection) }

    /// Whether the handshake is complete, so that plaintext can be written.
    public private(set) var isHandshakeDone = false

    /// The protocol version, such as "TLSv1.3", after the handshake.
    public var version: String { String(cString: SSL_get_version(connection)) }

    /// Whether an earlier session was resumed, after the handshake.
    public var isResumed: Bool { SSL_session_reused(connection) == 1 }

    // MARK: Ciphertext

    /// Receives ciphertext from the peer, and continues the handshake if it is incomplete.
    /// - Parameters:
    ///   - ciphertext: the bytes. What is not read during this call is copied.
    ///   - reading: reads plaintext, called if the handshake has not failed.
    /// - Throws: `untrusted` or `failed`; then the connection cannot be used any more.
    public func receive(
        _ ciphertext: UnsafeRawBufferPointer,
        reading: () -> Void = {}
    ) throws(TLSError) {
        if input.isEmpty {
            lentInput = ciphertext
        } else {
            input.removeFirst(inputOffset)
            inputOffset = 0
            input.append(contentsOf: ciphertext)
        }
        defer {
            if !lentInput.isEmpty { input = Array(lentInput) }
            lentInput = UnsafeRawBufferPointer(start: nil, count: 0)
        }
        if !isHandshakeDone { try proceed() }
        reading()
    }

    /// Whether `takeOutput()` would return bytes.
    public var hasOutput: Bool { outputByteCount > 0 }

    /// The number of bytes that `takeOutput()` would return.
    public var outputByteCount: Int { output.count }

    /// Removes and returns the ciphertext to send to the peer; may be empty.
    public func takeOutput() -> [UInt8] {
        let taken = output
        output = []
        return taken
    }

    /// The capacity of the ciphertext buffers in bytes.
    package var bufferCapacity: Int { input.capacity + output.capacity }

    // MARK: Plaintext

    /// Whether `read(into:)` may return anything before more ciphertext arrives.
    public var mayHavePlaintext: Bool { hasInput || SSL_has_pending(connection) == 1 }

    /// Decrypts into `buffer`, which must not be what `receive(_:reading:)` was given.
    /// - Returns: the result; call it again until it is not `bytes`.
    /// - Throws: `failed` if the ciphertext is invalid; then the connection cannot be used any
    ///   more.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSError) -> ReadResult {
        var count = 0
        forgetEarlierErrors()
        let result = SSL_read_ex(connection, buffer.baseAddress, buffer.count, &count)
        if result == 1 { return .bytes(count) }
        switch SSL_get_error(connection, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .nothing
        case SSL_ERROR_ZERO_RETURN: return .end
        default: throw failure()
        }
    }

    /// Encrypts `plaintext`.
    /// - Returns: the number of bytes accepted: 0 before the handshake is complete.
    /// - Throws: `failed`; then the connection cannot be used any more.
    public func write(_ plaintext: UnsafeRawBufferPointer) throws(TLSError) -> Int {
        guard isHandshakeDone, !plaintext.isEmpty else { return 0 }
        var count = 0
        forgetEarlierErrors()
        let result = SSL_write_ex(connection, plaintext.baseAddress, plaintext.count, &count)
        if result == 1 { return count }
        switch SSL_get_error(connection, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return 0
        default: throw failure()
        }
    }

    /// Sends close_notify: no more plaintext will follow. Reading continues.
    public func finishWriting() {
        guard isHandshakeDone, !hasSentCloseNotify else { return }
        hasSentCloseNotify = true
        ERR_clear_error()
        _ = SSL_shutdown(connection)
        ERR_clear_error()
    }

    // MARK: Handshake

    private func proceed() throws(TLSError) {
        ERR_clear_error()
        let result = SSL_do_handshake(connection)
        guard result != 1 else {
            isHandshakeDone = true
            return
        }
        switch SSL_get_error(connection, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return
        default: throw failure()
        }
    }

    /// Sets the server name to request and the verification of the certificate.
    private func demand(_ configuration: TLSClientConfiguration) throws(TLSError) {
        let name = configuration.serverName
        ERR_clear_error()
        // IP addresses are not allowed in the server name extension (RFC 6066, section 3).
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

    /// Empties the thread's queue of errors, which `SSL_get_error` looks at. It nearly always is
    /// empty, and emptying it costs more than looking.
    private func forgetEarlierErrors() {
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }

    /// The error of the latest call.
    private func failure() -> TLSError {
        let reason = TLSError.latestReason()
        let verification = SSL_get_verify_result(connection)
        guard verification != Int(X509_V_OK), SSL_get_verify_mode(connection) != SSL_VERIFY_NONE
        else { return .failed(reason: reason) }
        return .untrusted(reason: String(cString: X509_verify_cert_error_string(verification)))
    }
}
