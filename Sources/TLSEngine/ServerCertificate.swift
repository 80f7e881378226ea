// The validity period and names of a certificate file, for status reports.

import COpenSSL
import Glibc

/// The first certificate of a PEM file, which is the server's own.
public struct ServerCertificate: Sendable, Hashable {
    /// The start of its validity, in seconds since 1970 (UTC).
    public let notBefore: Int
    /// The end of its validity, in seconds since 1970 (UTC).
    public let notAfter: Int
    /// The DNS names and IP addresses that it is valid for.
    public let names: [String]
    /// Whether it is self-signed.
    public let isSelfSigned: Bool
    /// Whether it is valid for the given host; nil if none was given.
    public let coversHost: Bool?

    /// Creates a value.
    public init(
        notBefore: Int,
        notAfter: Int,
        names: [String],
        isSelfSigned: Bool,
        coversHost: Bool?
    ) {
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.names = names
        self.isSelfSigned = isSelfSigned
        self.coversHost = coversHost
    }

    /// Reads a certificate.
    /// - Parameters:
    ///   - file: a PEM file; only the first certificate is read.
    ///   - host: a DNS name or an IP address, compared as clients do (RFC 6125).
    /// - Throws: `TLSError.badFile`.
    public init(file: String, host: String? = nil) throws(TLSError) {
        ERR_clear_error()
        guard let source = BIO_new_file(file, "r") else {
            throw .badFile(path: file, reason: TLSError.latestReason())
        }
        defer { BIO_free(source) }
        guard let certificate = PEM_read_bio_X509(source, nil, nil, nil) else {
            throw .badFile(path: file, reason: TLSError.latestReason())
        }
        defer { X509_free(certificate) }
        guard let notBefore = Self.seconds(X509_get0_notBefore(certificate)),
            let notAfter = Self.seconds(X509_get0_notAfter(certificate))
        else { throw .badFile(path: file, reason: "its dates cannot be read") }
        self.notBefore = notBefore
        self.notAfter = notAfter
        names = Self.names(of: certificate)
        isSelfSigned = X509_check_issued(certificate, certificate) == X509_V_OK
        coversHost = host.map { host in
            X509_check_ip_asc(certificate, host, 0) == 1
                || X509_check_host(certificate, host, 0, 0, nil) == 1
        }
        ERR_clear_error()
    }

    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int? {
        var broken = tm()
        guard let time, ASN1_TIME_to_tm(time, &broken) == 1 else { return nil }
        return timegm(&broken)
    }

    /// The alternative names of the subject (RFC 5280, section 4.2.1.6).
    private static func names(of certificate: OpaquePointer) -> [String] {
        guard let list = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else {
            return []
        }
        let stack = OpaquePointer(list)
        defer { GENERAL_NAMES_free(stack) }
        return (0..<OPENSSL_sk_num(stack)).compactMap { index in
            let name = OPENSSL_sk_value(stack, index)?.assumingMemoryBound(to: GENERAL_NAME.self)
            guard let name else { return nil }
            switch name.pointee.type {
            case GEN_DNS: return String(decoding: bytes(name.pointee.d.dNSName), as: UTF8.self)
            case GEN_IPADD: return address(bytes(name.pointee.d.iPAddress))
            default: return nil
            }
        }
    }

    private static func bytes(_ text: UnsafeMutablePointer<ASN1_STRING>?) -> [UInt8] {
        guard let text, let start = ASN1_STRING_get0_data(text) else { return [] }
        return Array(UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(text))))
    }

    private static func address(_ bytes: [UInt8]) -> String? {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
