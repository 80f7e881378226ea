// Maps a failed pull to an exit code.

import ModelHub

extension CommandFailure {
    /// The exit code of the error, with its message.
    init(_ error: HubError) {
        let status: Status =
            switch error {
            case .badName, .badRevision: .usage
            case .badSetting: .configuration
            case .offline, .network, .http, .unavailable, .wrongRange: .unavailable
            case .modelNotFound, .revisionNotFound, .fileNotFound, .notCached: .noInput
            case .gated, .badToken: .noPermission
            case .notAModel, .badResponse, .wrongChecksum: .dataError
            case .tooLittleSpace, .disk: .cannotCreate
            case .cancelled: .interrupted
            }
        self.init(status, "\(error)")
    }
}
