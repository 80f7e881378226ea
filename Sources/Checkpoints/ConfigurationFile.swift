// Typed access to a JSON file of a model folder, with errors that name file and key.

import JSONText

/// A JSON object of settings.
package struct ConfigurationFile {
    let path: String
    let root: JSONObject

    init(path: String, root: JSONObject) {
        self.path = path
        self.root = root
    }

    /// Reads the file `name` of `folder`.
    init(folder: String, name: String) throws(CheckpointError) {
        let file = try MappedFile(path: "\(folder)/\(name)")
        defer { extendLifetime(file) }
        try self.init(parsing: file.bytes.bindMemory(to: UInt8.self).span, path: file.path)
    }

    /// Reads `bytes`, the content of the file `path`.
    package init(parsing bytes: Span<UInt8>, path: String) throws(CheckpointError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes, limits: JSONLimits(byteCountMax: 16 << 20))
        } catch {
            throw .malformedJSON(path: path, error)
        }
        guard let root = value.object else {
            throw .malformedJSON(
                path: path,
                JSONError(.unexpectedValue(value.kindName, expected: "an object"), at: 0)
            )
        }
        self.init(path: path, root: root)
    }

    /// Reads the file `name` of `folder`; nil if there is none.
    static func optional(
        folder: String,
        name: String
    ) throws(CheckpointError) -> ConfigurationFile? {
        do throws(CheckpointError) {
            return try ConfigurationFile(folder: folder, name: name)
        } catch {
            if case .missingFile = error { return nil }
            throw error
        }
    }

    /// The value of `key`; `null` counts as missing.
    func value(_ key: String) -> JSONValue? {
        guard let value = root[key], !value.isNull else { return nil }
        return value
    }

    func integer(
        _ key: String,
        in range: ClosedRange<Int>,
        default standard: Int? = nil
    ) throws(CheckpointError) -> Int {
        guard let value = value(key) else {
            if let standard { return standard }
            throw .missingSetting(path: path, key: key)
        }
        guard let integer = value.integer, range.contains(integer) else {
            throw invalid(
                key,
                "is not a whole number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return integer
    }

    func double(
        _ key: String,
        in range: ClosedRange<Double>,
        default standard: Double? = nil
    ) throws(CheckpointError) -> Double {
        guard let value = value(key) else {
            if let standard { return standard }
            throw .missingSetting(path: path, key: key)
        }
        guard let number = value.double, range.contains(number) else {
            throw invalid(key, "is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func bool(_ key: String, default standard: Bool) throws(CheckpointError) -> Bool {
        guard let value = value(key) else { return standard }
        guard let bool = value.bool else { throw invalid(key, "is neither true nor false") }
        return bool
    }

    /// The string of the first of `keys` that exists.
    func string(_ keys: String...) throws(CheckpointError) -> String? {
        for key in keys {
            guard let value = value(key) else { continue }
            guard let string = value.string else { throw invalid(key, "is not a string") }
            return string
        }
        return nil
    }

    /// The object of the first of `keys` that exists, as a `ConfigurationFile` whose errors name
    /// this file.
    func object(_ keys: String...) throws(CheckpointError) -> ConfigurationFile? {
        for key in keys {
            guard let value = value(key) else { continue }
            guard let object = value.object else { throw invalid(key, "is not an object") }
            return ConfigurationFile(path: path, root: object)
        }
        return nil
    }

    func invalid(_ key: String, _ reason: String) -> CheckpointError {
        .invalidSetting(path: path, key: key, reason: reason)
    }
}
