// The settings of TLS, and what follows from them.

import TLSEngine

extension ServerSettings {
    /// Those among `definitions`.
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

    /// Whether the server itself speaks TLS.
    var usesTLS: Bool { !tlsCertificates.isEmpty || tlsSelfSigned == .on }

    /// Whether browsers reach this server over TLS, its own or a proxy's.
    public var isServedOverTLS: Bool { usesTLS || publicURL?.hasPrefix("https://") == true }

    /// The certificate of our own making, with its key.
    var selfSignedFile: String { "\(dataDirectory)/tls/self-signed.pem" }

    /// The certificates to show; none without TLS.
    var tlsFiles: [TLSFiles] {
        guard tlsSelfSigned == .off else {
            return [TLSFiles(certificate: selfSignedFile, key: selfSignedFile)]
        }
        return zip(tlsCertificates, tlsKeys).map { TLSFiles(certificate: $0, key: $1) }
    }

    /// What tells browsers to come over TLS alone (RFC 6797); nil where they shall not be told. A
    /// certificate that they warn of would leave them no way past the warning.
    var strictTransportSecurity: String? {
        guard hstsDays > 0, isServedOverTLS, tlsSelfSigned == .off else { return nil }
        return "max-age=\(hstsDays * 86400)"
    }
}
