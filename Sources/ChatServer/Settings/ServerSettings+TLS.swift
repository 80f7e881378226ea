// TLS settings, and values derived from them.

import TLSEngine

extension ServerSettings {
    /// The TLS part of `definitions`.
    static let encryption = [
        Setting(
            \.tlsCertificates,
            "tls-certificate",
            .list,
            placeholder: "FILE",
            "Certificate chain (PEM) for HTTPS; may be repeated: a client gets the one for the"
                + " name it asks for, or else the first"
        ),
        Setting(
            \.tlsKeys,
            "tls-key",
            .list,
            placeholder: "FILE",
            "Private key (PEM) of the certificate; may be repeated, in the order of the"
                + " certificates"
        ),
        Setting(
            \.tlsSelfSigned,
            "tls-self-signed",
            .choice,
            "HTTPS with a self-signed certificate, of which browsers warn"
        ),
        Setting(
            \.hstsDays,
            "hsts-days",
            .wholeNumber(0...3650),
            "Strict-Transport-Security period in days; 0 disables it"
        ),
    ]

    /// Whether the server itself uses TLS.
    var usesTLS: Bool { !tlsCertificates.isEmpty || tlsSelfSigned == .on }

    /// Whether browsers reach this server over TLS, by itself or through a proxy.
    public var isServedOverTLS: Bool { usesTLS || publicURL?.hasPrefix("https://") == true }

    /// The self-signed certificate, with its key.
    var selfSignedFile: String { "\(dataDirectory)/tls/self-signed.pem" }

    /// The certificates to use; none without TLS.
    var tlsFiles: [TLSFiles] {
        guard tlsSelfSigned == .off else {
            return [TLSFiles(certificate: selfSignedFile, key: selfSignedFile)]
        }
        return zip(tlsCertificates, tlsKeys).map { TLSFiles(certificate: $0, key: $1) }
    }

    /// The Strict-Transport-Security header (RFC 6797); nil to send none. With a self-signed
    /// certificate it would leave users no way past the browser's warning.
    var strictTransportSecurity: String? {
        guard hstsDays > 0, isServedOverTLS, tlsSelfSigned == .off else { return nil }
        return "max-age=\(hstsDays * 86400)"
    }
}
