// Checks the settings of remote engines: whether their keys, certificates and tokenizers can be read.
// Whether an engine answers, its metrics and the log of a running server say.

import HTTPProtocol

/// Checks remote engines.
package enum RemoteEngineJudgement {
    /// One check for each engine, or one failure for all.
    package static func checks(
        _ settings: ServerSettings,
        _ environment: [String: String]
    ) -> [DoctorCheck] {
        do throws(StartupError) {
            _ = try RemoteModels(settings.remoteEngines, environment: environment)
        } catch {
            return [.failure(.engine, "remote engine", "\(error)", do: .correctSettings)]
        }
        return settings.remoteEngines.map { engine in
            var values = [
                "engine": engine.label, "name": engine.name, "address": "\(engine.base.origin)",
            ]
            values["tokenizer"] = engine.tokenizer
            return .ok(
                .engine,
                "remote engine",
                .known(engine.tokenizer == nil ? .remoteEngine : .remoteEngineWithTokenizer, values)
            )
        }
    }
}
