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
                    .known(.openKey, ["file": facts.keyFile]),
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
            return .ok(
                .certificate,
                "files",
                .known(.certificateFiles, ["file": facts.certificateFile])
            )
        case .keyMismatch(_, let key)?:
            return .failure(
                .certificate,
                "files",
                .known(.otherKey, ["file": key]),
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
            return .failure(
                .certificate,
                "dates",
                .known(.certificateValidLater, span: Double(certificate.notBefore - now)),
                do: .earlyCertificate
            )
        }
        if left < 0 {
            let found = DoctorFinding.known(.certificateExpired, span: Double(-left))
            return .failure(.certificate, "dates", found, do: renewal)
        }
        // Rounded down: a partial day does not count.
        let seconds = left < 172_800 ? left : left / 86400 * 86400
        let found = DoctorFinding.known(.certificateExpires, span: Double(seconds))
        return left < limits.certificateDays * 86400
            ? .warning(.certificate, "dates", found, do: renewal)
            : .ok(.certificate, "dates", found)
    }

    private static func names(_ certificate: ServerCertificate, _ host: String?) -> DoctorCheck {
        let list = certificate.names.prefix(8).joined(separator: ", ")
        guard !certificate.names.isEmpty else {
            return .failure(
                .certificate,
                "names",
                .known(.noCertificateNames),
                do: .certificateNames
            )
        }
        if let host, certificate.coversHost == false {
            return .failure(
                .certificate,
                "names",
                .known(.otherHost, ["names": list, "host": host]),
                do: .certificateHost,
                ["host": host]
            )
        }
        guard !certificate.isSelfSigned else {
            return .warning(
                .certificate,
                "names",
                .known(.selfSigned, ["names": list]),
                do: .selfSigned
            )
        }
        return .ok(.certificate, "names", "\(list)")
    }
}
