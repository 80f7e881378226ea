// Errors of the hub as codes with values, for programs that say them in other languages.

extension HubError {
    /// The codes of errors.
    public enum Code: String, CaseIterable, Sendable {
        case badName = "bad_name"
        case badRevision = "bad_revision"
        case badSetting = "bad_setting"
        case offline
        case notCached = "not_cached"
        case network
        case http
        case unavailable
        case wrongRange = "wrong_range"
        case modelNotFound = "model_not_found"
        case noAccess = "no_access"
        case revisionNotFound = "revision_not_found"
        case fileNotFound = "file_not_found"
        case gated
        case gatedToken = "gated_token"
        case badToken = "bad_token"
        case notAModel = "not_a_model"
        case badResponse = "bad_response"
        case wrongChecksum = "wrong_checksum"
        case tooLittleSpace = "too_little_space"
        case disk
        case cancelled
    }

    /// The code, and the values in the sentence by their names.
    public var coded: (code: Code, values: [String: String]) {
        switch self {
        case .badName(let name): (.badName, ["name": name])
        case .badRevision(let name): (.badRevision, ["revision": name])
        case .badSetting(let words): (.badSetting, ["detail": words])
        case .offline(let name, let missing):
            (.offline, ["model": "\(name)", "missing": missing])
        case .notCached(let name): (.notCached, ["model": "\(name)"])
        case .network(let host, let error): (.network, ["host": host, "detail": "\(error)"])
        case .http(let host, let error): (.http, ["host": host, "detail": "\(error)"])
        case .unavailable(let host, let status, _):
            (.unavailable, ["host": host, "status": "\(status)"])
        case .wrongRange(let file, let words): (.wrongRange, ["file": file, "detail": words])
        case .modelNotFound(let name, let hasToken):
            (hasToken ? .noAccess : .modelNotFound, ["model": "\(name)"])
        case .revisionNotFound(let name, let revision):
            (.revisionNotFound, ["model": "\(name)", "revision": revision])
        case .fileNotFound(let name, let file): (.fileNotFound, ["model": "\(name)", "file": file])
        case .gated(let name, let hasToken):
            (hasToken ? .gated : .gatedToken, ["model": "\(name)"])
        case .badToken: (.badToken, [:])
        case .notAModel(let name, let words):
            (.notAModel, ["model": "\(name)", "detail": words])
        case .badResponse(let words): (.badResponse, ["detail": words])
        case .wrongChecksum(let file, let fetches):
            (.wrongChecksum, ["file": file, "count": "\(fetches)"])
        case .tooLittleSpace(let folder, let needed, let free):
            (
                .tooLittleSpace,
                [
                    "folder": folder, "needed": "\(ByteCount(needed))",
                    "free": "\(ByteCount(free))",
                ]
            )
        case .disk(let error): (.disk, ["detail": "\(error)"])
        case .cancelled: (.cancelled, [:])
        }
    }
}
