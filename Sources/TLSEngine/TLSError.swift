// Errors of certificates and TLS connections.

import COpenSSL
import Glibc

/// Why a configuration cannot be used, or a connection failed.
public enum TLSError: Error, Hashable, Sendable {
    /// A PEM file is missing, unreadable or has the wrong content.
    case badFile(path: String, reason: String)
    /// The private key does not belong to the certificate.
    case keyMismatch(certificateFile: String, keyFile: String)
    /// The peer's certificate was not accepted, for this reason.
    case untrusted(reason: String)
    /// The peer violated the protocol, or there is no common version or cipher.
    case failed(reason: String)
    /// The connection ended without close_notify, so it may have been truncated by an attacker.
    case truncated
}

extension TLSError: CustomStringConvertible {
    /// One line for a log or terminal.
    public var description: String {
        switch self {
        case .badFile(let path, let reason): "\(path): \(reason)"
        case .keyMismatch(let certificate, let key):
            "the key in \(key) does not belong to the certificate in \(certificate)"
        case .untrusted(let reason): "the peer's certificate is not trusted: \(reason)"
        case .failed(let reason): "TLS: \(reason)"
        case .truncated: "TLS: connection ended without close_notify"
        }
    }
}

extension TLSError {
    /// The description of the oldest error in the thread's error queue, which is then cleared.
    static func latestReason() -> String {
        let code = ERR_get_error()
        ERR_clear_error()
        // The highest bit marks an errno, which the function below does not describe.
        if code & 0x8000_0000 != 0 {
            return String(cString: strerror(Int32(code & 0x7fff_ffff))).lowercased()
        }
        guard code != 0, let words = ERR_reason_error_string(code) else { return "unknown error" }
        return String(cString: words)
    }
}
