// Self-signed certificates, for servers without a certificate of an authority.

import COpenSSL
import Glibc

/// Creates self-signed certificates.
public enum CertificateMaker {
    /// Generates a key (P-256) and a certificate for it, and writes both to a PEM file with mode
    /// 0600. An existing file is replaced atomically.
    /// - Parameters:
    ///   - file: a path in an existing folder.
    ///   - names: DNS names and IP addresses; others are skipped.
    ///   - days: the period of validity.
    /// - Throws: `badFile` if it cannot be written, `failed` if OpenSSL refuses.
    public static func makeSelfSigned(
        file: String,
        names: [String],
        days: Int
    ) throws(TLSError) {
        ERR_clear_error()
        guard let key = copenssl_make_key() else { throw .failed(reason: TLSError.latestReason()) }
        defer { EVP_PKEY_free(key) }
        let certificate = try makeCertificate(key, names, days)
        defer { X509_free(certificate) }
        guard let memory = BIO_new(BIO_s_mem()) else { throw .failed(reason: "out of memory") }
        defer { BIO_free(memory) }
        guard PEM_write_bio_PrivateKey(memory, key, nil, nil, 0, nil, nil) == 1,
            PEM_write_bio_X509(memory, certificate) == 1
        else { throw .failed(reason: TLSError.latestReason()) }
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(memory))
        guard BIO_read(memory, &bytes, Int32(bytes.count)) == bytes.count else {
            throw .failed(reason: "out of memory")
        }
        try write(bytes, to: file)
    }

    /// Whether a name is a DNS name or IP address, so that a certificate may have it.
    public static func canName(_ name: String) -> Bool { entry(name) != nil }

    private static func makeCertificate(
        _ key: OpaquePointer,
        _ names: [String],
        _ days: Int
    ) throws(TLSError) -> OpaquePointer {
        guard let certificate = X509_new() else { throw .failed(reason: "out of memory") }
        // Browsers refuse two certificates of one issuer with the same serial number.
        let number = UInt64.random(in: 1...UInt64(Int64.max))
        let subject = X509_get_subject_name(certificate)
        let entries = names.compactMap(entry).joined(separator: ",")
        do throws(TLSError) {
            // Numbered from zero: this is X.509 version 3.
            try require(X509_set_version(certificate, 2) == 1)
            try require(
                ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), number) == 1
            )
            // Tolerates clocks that are behind.
            try require(X509_gmtime_adj(X509_getm_notBefore(certificate), -3600) != nil)
            try require(X509_gmtime_adj(X509_getm_notAfter(certificate), days * 86400) != nil)
            try require(
                X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, "Stoa", -1, -1, 0) == 1
            )
            try require(X509_set_issuer_name(certificate, subject) == 1)
            try require(X509_set_pubkey(certificate, key) == 1)
            try require(add(NID_subject_alt_name, entries, certificate))
            try require(add(NID_ext_key_usage, "serverAuth", certificate))
            try require(X509_sign(certificate, key, EVP_sha256()) > 0)
        } catch {
            X509_free(certificate)
            throw error
        }
        return certificate
    }

    private static func require(_ isDone: Bool) throws(TLSError) {
        guard isDone else { throw .failed(reason: TLSError.latestReason()) }
    }

    private static func add(_ kind: Int32, _ text: String, _ certificate: OpaquePointer) -> Bool {
        guard let found = X509V3_EXT_conf_nid(nil, nil, kind, text) else { return false }
        defer { X509_EXTENSION_free(found) }
        return X509_add_ext(certificate, found, -1) == 1
    }

    /// A name in OpenSSL's syntax; nil for a text that could have another meaning there.
    private static func entry(_ name: String) -> String? {
        var address = in6_addr()
        if inet_pton(AF_INET, name, &address) == 1 || inet_pton(AF_INET6, name, &address) == 1 {
            return "IP:\(name)"
        }
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        return isName && !name.isEmpty ? "DNS:\(name)" : nil
    }

    private static func write(_ bytes: [UInt8], to file: String) throws(TLSError) {
        let draft = "\(file).new"
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(file) }
        let count = Glibc.write(descriptor, bytes, bytes.count)
        let isKept = count == bytes.count && fsync(descriptor) == 0
        close(descriptor)
        guard isKept, rename(draft, file) == 0 else { throw failure(file) }
    }

    private static func failure(_ file: String) -> TLSError {
        .badFile(path: file, reason: String(cString: strerror(errno)).lowercased())
    }
}

extension ServerCertificate {
    /// The SHA-256 fingerprint of a certificate's DER form, as browsers show it.
    /// - Parameter file: a PEM file; the first certificate is used.
    /// - Returns: 32 bytes as hexadecimal digits with colons between them.
    /// - Throws: `TLSError.badFile`.
    public static func fingerprint(ofFile file: String) throws(TLSError) -> String {
        ERR_clear_error()
        guard let source = BIO_new_file(file, "r") else {
            throw .badFile(path: file, reason: TLSError.latestReason())
        }
        defer { BIO_free(source) }
        guard let certificate = PEM_read_bio_X509(source, nil, nil, nil) else {
            throw .badFile(path: file, reason: TLSError.latestReason())
        }
        defer { X509_free(certificate) }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard X509_digest(certificate, EVP_sha256(), &digest, &count) == 1 else {
            throw .badFile(path: file, reason: TLSError.latestReason())
        }
        let digits = Array("0123456789ABCDEF")
        return digest.prefix(Int(count)).map { byte in
            String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
        }.joined(separator: ":")
    }
}
