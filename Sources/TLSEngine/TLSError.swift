// What can go wrong with certificates and encrypted connections.

import COpenSSL
import Glibc

/// Why a configuration cannot be used, or a connection cannot go on.
public enum TLSError: Error, Hashable, Sendable {
    /// A PEM file is missing, unreadable or not what it should be.
    case badFile(path: String, reason: String)
    /// The private key does not belong to the certificate.
    case keyMismatch(certificateFile: String, keyFile: String)
    /// The peer's certificate was not accepted, for this reason.
    case untrusted(reason: String)
    /// The peer broke the protocol, or both sides have no version or cipher in common.
    case failed(reason: String)
    /// The peer's bytes ended without a farewell, so the end may be an attacker's.
    case truncated
}

extension TLSError: CustomStringConvertible {
    /// One line for a log or a terminal.
    public var description: String {
        switch self {
        case .badFile(let path, let reason): "\(path): \(reason)"
        case .keyMismatch(let certificate, let key):
            "the key in \(key) does not belong to the certificate in \(certificate)"
        case .untrusted(let reason): "the peer's certificate is not trusted: \(reason)"
        case .failed(let reason): "TLS: \(reason)"
        case .truncated: "TLS: the peer's bytes ended without a farewell"
        }
    }
}

extension TLSError {
    /// The words for the oldest error in the calling thread's queue, which is emptied.
    static func latestReason() -> String {
        let code = ERR_get_error()
        ERR_clear_error()
        // The highest bit marks an errno, which the function beneath has no words for.
        if code & 0x8000_0000 != 0 {
            return String(cString: strerror(Int32(code & 0x7fff_ffff))).lowercased()
        }
        guard code != 0, let words = ERR_reason_error_string(code) else { return "unknown error" }
        return String(cString: words)
    }
}
