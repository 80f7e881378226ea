// Checks a certificate's dates and names.

package import TLSEngine

/// The facts about the TLS files.
package struct CertificateFacts {
    /// The certificate's file.
    package var certificateFile: String
    /// The key's file.
    package var keyFile: String
    /// Why TLS cannot be used with them; nil if it can.
    package var problem: TLSError?
    /// The parsed certificate; nil if it cannot be read.
    package var certificate: ServerCertificate?
    /// The server's host name for clients; nil if the settings do not say.
    package var host: String?
    /// Whether others than the key's owner and group may read it.
    package var isKeyOpen = false

    /// Two files that have not been read yet.
    package init(certificateFile: String, keyFile: String) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}

/// Checks certificates.
package enum CertificateJudgement {
    /// Checks a certificate and its key.
    /// - Parameters:
    ///   - facts: the facts about the files.
    ///   - now: seconds since 1970.
    ///   - limits: thresholds for warnings.
    /// - Returns: the checks.
    package static func checks(_ facts: CertificateFacts, now: Int, limits: DoctorLimits)
        -> [DoctorCheck]
    {
        var checks = [files(facts)]
        guard let certificate = facts.certificate else { return checks }
        checks.append(dates(certificate, now, limits))
        checks.append(names(certificate, facts.host))
        if facts.isKeyOpen {
            checks.append(
                .warning(
                    .certificate,
                    "key",
                    "everybody on this machine can read \(facts.keyFile)",
                    do: .closeKey,
                    ["file": facts.keyFile]
                )
            )
        }
        return checks
    }

    private static func files(_ facts: CertificateFacts) -> DoctorCheck {
        switch facts.problem {
        case nil:
            return .ok(.certificate, "files", "\(facts.certificateFile), and its key")
        case .keyMismatch(_, let key)?:
            return .failure(
                .certificate,
                "files",
                "the key in \(key) is not the certificate's",
                do: .renewedKey
            )
        case .badFile(let path, let reason)?:
            let advice: DoctorAdvice =
                switch reason {
                case let reason where reason.contains("no such file"):
                    .certificatePath
                case let reason where reason.contains("denied"):
                    .certificateAccess
                default:
                    .certificateFormat
                }
            return .failure(.certificate, "files", "\(path): \(reason)", do: advice)
        case let problem?:
            return .failure(.certificate, "files", "\(problem)", do: .newFiles)
        }
    }

    private static func dates(
        _ certificate: ServerCertificate,
        _ now: Int,
        _ limits: DoctorLimits
    ) -> DoctorCheck {
        let left = certificate.notAfter - now
        let renewal = DoctorAdvice.renewCertificate
        if now < certificate.notBefore {
            let wait = DurationText.text(Double(certificate.notBefore - now))
            return .failure(
                .certificate,
                "dates",
                "it becomes valid in \(wait)",
                do: .earlyCertificate
            )
        }
        if left < 0 {
            let ago = DurationText.text(Double(-left))
            return .failure(.certificate, "dates", "it expired \(ago) ago", do: renewal)
        }
        // Rounded down: a partial day does not count.
        let found = left < 172_800 ? DurationText.text(Double(left)) : "\(left / 86400) days"
        return left < limits.certificateDays * 86400
            ? .warning(.certificate, "dates", "it expires in \(found)", do: renewal)
            : .ok(.certificate, "dates", "it expires in \(found)")
    }

    private static func names(_ certificate: ServerCertificate, _ host: String?) -> DoctorCheck {
        let list = certificate.names.prefix(8).joined(separator: ", ")
        guard !certificate.names.isEmpty else {
            return .failure(
                .certificate,
                "names",
                "it has no subject alternative name",
                do: .certificateNames
            )
        }
        if let host, certificate.coversHost == false {
            return .failure(
                .certificate,
                "names",
                "it is for \(list), and clients connect to \(host)",
                do: .certificateHost,
                ["host": host]
            )
        }
        guard !certificate.isSelfSigned else {
            return .warning(
                .certificate,
                "names",
                "it is for \(list), and is self-signed",
                do: .selfSigned
            )
        }
        return .ok(.certificate, "names", list)
    }
}
