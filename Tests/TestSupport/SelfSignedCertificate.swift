// A certificate for TLS tests, generated for each: the repository contains no private keys.

import COpenSSL
import Testing

/// A self-signed certificate and its key, in two PEM files.
public struct SelfSignedCertificate: Sendable {
    /// The path of the certificate.
    public let certificateFile: String

    /// The path of the private key.
    public let keyFile: String

    /// Generates an Ed25519 key and a certificate for `names`, valid for an hour.
    /// - Parameters:
    ///   - names: in OpenSSL's syntax, such as "DNS:localhost,IP:127.0.0.1".
    ///   - folder: the folder of the files.
    /// - Throws: if OpenSSL fails or the files cannot be written.
    public init(
        names: String = "DNS:localhost,IP:127.0.0.1",
        in folder: TemporaryFolder
    ) throws {
        let key = try Self.makeKey()
        defer { EVP_PKEY_free(key) }
        let certificate = try Self.makeCertificate(key, names)
        defer { X509_free(certificate) }
        certificateFile = try folder.write(
            "certificate.pem",
            Self.pem { PEM_write_bio_X509($0, certificate) }
        )
        keyFile = try folder.write(
            "key.pem",
            Self.pem { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
        )
    }

    private static func makeKey() throws -> OpaquePointer {
        let generator = EVP_PKEY_CTX_new_id(EVP_PKEY_ED25519, nil)
        defer { EVP_PKEY_CTX_free(generator) }
        var key: OpaquePointer?
        try #require(EVP_PKEY_keygen_init(generator) == 1)
        try #require(EVP_PKEY_keygen(generator, &key) == 1)
        return try #require(key)
    }

    private static func makeCertificate(_ key: OpaquePointer, _ names: String) throws
        -> OpaquePointer
    {
        let certificate = try #require(X509_new())
        // Numbered from zero: this is X.509 version 3.
        X509_set_version(certificate, 2)
        ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1)
        X509_gmtime_adj(X509_getm_notBefore(certificate), -60)
        X509_gmtime_adj(X509_getm_notAfter(certificate), 3600)
        let subject = X509_get_subject_name(certificate)
        X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, "test", -1, -1, 0)
        X509_set_issuer_name(certificate, subject)
        X509_set_pubkey(certificate, key)
        let extra = X509V3_EXT_conf_nid(nil, nil, NID_subject_alt_name, names)
        defer { X509_EXTENSION_free(extra) }
        try #require(X509_add_ext(certificate, extra, -1) == 1)
        try #require(X509_sign(certificate, key, nil) > 0)
        return certificate
    }

    private static func pem(_ write: (OpaquePointer) -> Int32) throws -> [UInt8] {
        let memory = try #require(BIO_new(BIO_s_mem()))
        defer { BIO_free(memory) }
        try #require(write(memory) == 1)
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(memory))
        let count = BIO_read(memory, &bytes, Int32(bytes.count))
        try #require(count == bytes.count)
        return bytes
    }
}
