// A config file: a JSON object with settings by name.

import ChatServer
import Configuration
import EventLoop
import FoundationEssentials
import Glibc

/// A parsed config file.
struct ConfigFile {
    private static let bytesMax = 1 << 20

    let path: String
    private let snapshot: JSONSnapshot

    /// Reads the file.
    /// - Returns: nil if it does not exist.
    /// - Throws: `SettingError` if it is malformed or names an unknown setting.
    init?(path: String) throws(SettingError) {
        guard let bytes = try Self.read(path) else { return nil }
        let data = Data(bytes)
        guard let names = try? JSONDecoder().decode([String: Scalar].self, from: data) else {
            throw SettingError(
                "\(path): the config file is not a JSON object of texts, numbers and lists of texts"
            )
        }
        let known = Set(ServerSettings.definitions.map(\.name))
        if let unknown = names.keys.sorted().first(where: { !known.contains($0) }) {
            throw SettingError("\(path): there is no setting “\(unknown)”")
        }
        let snapshot = try? JSONSnapshot(
            data: bytes.span.bytes,
            providerName: path,
            parsingOptions: .default
        )
        guard let snapshot else { throw SettingError("\(path): the config file cannot be used") }
        self.snapshot = snapshot
        self.path = path
    }

    /// The bytes of the file; nil if it does not exist.
    private static func read(_ path: String) throws(SettingError) -> [UInt8]? {
        let bytes: [UInt8]?
        do throws(FileError) { bytes = try FileSystem.read(path, limit: bytesMax) } catch {
            guard error.errno == ENOENT || error.errno == ENOTDIR else {
                throw SettingError("the config file: \(error)")
            }
            return nil
        }
        guard let bytes else {
            throw SettingError("\(path): the config file is longer than \(bytesMax) bytes")
        }
        return bytes
    }

    var source: SettingSource {
        let snapshot = snapshot
        let path = path
        return SettingSource(placeName: { "\(path): \($0.name)" }) { setting in
            Self.text(of: AbsoluteConfigKey([setting.name]), in: snapshot)
        }
    }

    /// The text of a value; numbers may be quoted or not.
    private static func text(of key: AbsoluteConfigKey, in snapshot: JSONSnapshot) -> String? {
        for type in [ConfigType.string, .int, .double, .stringArray] {
            guard let found = try? snapshot.value(forKey: key, type: type).value else { continue }
            switch found.content {
            case .string(let text): return text
            case .int(let number): return "\(number)"
            case .double(let number): return "\(number)"
            case .stringArray(let texts): return texts.joined(separator: ",")
            default: continue
            }
        }
        return nil
    }

    /// The possible types of a value; booleans are not among them, because no setting is a switch.
    private enum Scalar: Decodable {
        case text, number, texts

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if (try? container.decode(String.self)) != nil {
                self = .text
            } else if (try? container.decode([String].self)) != nil {
                self = .texts
            } else {
                _ = try container.decode(Double.self)
                self = .number
            }
        }
    }
}
