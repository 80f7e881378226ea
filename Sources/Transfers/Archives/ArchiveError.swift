// Errors of ZIP archives, and what the user can do.

/// Why an archive, or a file in it, is refused.
public enum ArchiveError: Error, Sendable, Hashable {
    /// Not a ZIP archive. Give the ZIP as it was downloaded, or the JSON file in it.
    case notAnArchive
    /// Damaged or truncated; `what` names the part. Download it again.
    case damaged(what: String)
    /// One part of a split archive. Join the parts first.
    case severalParts
    /// It has more files than `limit`. Unpack it, and import the JSON files alone.
    case tooManyEntries(limit: Int)
    /// A file's name is longer than `limit` bytes. Unpack it, and import the JSON files alone.
    case nameTooLong(limit: Int)
    /// The list of its files is larger than `limit` bytes. Unpack it, and import the JSON files alone.
    case directoryTooLarge(limit: Int64)
    /// A file's name is empty or points outside the archive. No known exporter writes such names.
    case unsafeName(String)
    /// Two files have the same name, so it is not clear which is meant.
    case duplicateName(String)
    /// Files share the same bytes, which would unpack to more than the archive holds.
    case overlappingEntries(String)
    /// The file is encrypted. Unpack it with its password, and import its content.
    case encrypted(String)
    /// The file uses a compression method other than deflate. Pack it again with a common program.
    case unknownMethod(String, method: Int)
    /// The unpacked file is larger than `limit` bytes. Split it, or raise the limit.
    case entryTooLarge(String, limit: Int64)
    /// The files read so far are larger than `limit` bytes, unpacked. Import them one by one.
    case archiveTooLarge(limit: Int64)
    /// The unpacked file is more than `limit` times larger: a ZIP bomb. Unpack it, and import the
    /// JSON files.
    case ratioTooHigh(String, limit: Int64)
    /// The unpacked bytes do not match their checksum. Download the archive again.
    case checksumMismatch(String)
}

extension ArchiveError: CustomStringConvertible {
    /// One sentence for the user.
    public var description: String {
        switch self {
        case .notAnArchive: "this is not a ZIP archive"
        case .damaged(let what): "the archive is damaged or cut short: \(what)"
        case .severalParts: "the archive is one part of several; join them first"
        case .tooManyEntries(let limit): "the archive has more than \(limit) files"
        case .nameTooLong(let limit): "a file in the archive has a name above \(limit) bytes"
        case .directoryTooLarge(let limit):
            "the list of the archive's files has more than \(limit) bytes"
        case .unsafeName(let name): "the archive has a file with the unsafe name \(quoted(name))"
        case .duplicateName(let name): "the archive has two files named \(quoted(name))"
        case .overlappingEntries(let name):
            "the file \(quoted(name)) shares its bytes with another one of the archive"
        case .encrypted(let name): "the file \(quoted(name)) is encrypted; unpack it first"
        case .unknownMethod(let name, let method):
            "the file \(quoted(name)) uses compression method \(method); only deflate is supported"
        case .entryTooLarge(let name, let limit):
            "the file \(quoted(name)) has more than \(limit) bytes unpacked"
        case .archiveTooLarge(let limit): "the archive has more than \(limit) bytes unpacked"
        case .ratioTooHigh(let name, let limit):
            "the file \(quoted(name)) grows by more than \(limit) times"
        case .checksumMismatch(let name):
            "the file \(quoted(name)) does not have the checksum that the archive names"
        }
    }
}

/// Text from a file for use in a message: printable, short, in quotation marks.
func quoted(_ text: String) -> String {
    let shown = text.unicodeScalars.prefix(80).map { scalar in
        let isPlain = scalar.value >= 0x20 && scalar.value != 0x7F && scalar.properties.isGraphic
        return isPlain ? String(scalar) : "\u{FFFD}"
    }
    return "“\(shown.joined())\(text.unicodeScalars.dropFirst(80).isEmpty ? "" : "…")”"
}

extension Unicode.Scalar.Properties {
    /// Whether it is a visible character or a space, not a control.
    fileprivate var isGraphic: Bool {
        switch generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator:
            false
        default: true
        }
    }
}
