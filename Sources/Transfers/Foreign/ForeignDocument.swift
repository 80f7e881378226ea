// One JSON file of another system: a list of conversations, or one alone.

import JSONText

/// The conversations of a file, one at a time.
struct ForeignDocument {
    private enum Place { case start, list, end }

    /// The file's name, for notes.
    let name: String
    private var reader: JSONReader
    private let limits: ForeignLimits
    private var place = Place.start
    private var elementCount = 0

    init(_ stream: any ByteSource, name: String, limits: ForeignLimits) {
        self.name = name
        self.limits = limits
        reader = JSONReader(stream, limits: limits.json)
    }

    /// The number of unpaired surrogates so far.
    var loneSurrogateCount: Int { reader.loneSurrogateCount }

    /// The next object that is within the limits; others are noted.
    /// - Returns: nil at the end.
    /// - Throws: `TransferError` if the file is neither a list nor an object, `JSONError` if it is
    ///   not JSON, and what its stream throws.
    mutating func next(_ notes: inout ForeignNotes) throws -> ForeignElement? {
        while true {
            switch place {
            case .start: try begin()
            case .end:
                // Throws if anything follows.
                _ = try reader.next()
                return nil
            case .list: break
            }
            if place == .list {
                switch try reader.next() {
                case .endArray:
                    place = .end
                    continue
                case .beginObject: break
                case .beginArray:
                    elementCount += 1
                    try reader.skip(toDepth: 1)
                    notes.object = name
                    notes.skip("entry \(elementCount)", .notAnObject)
                    continue
                default:
                    elementCount += 1
                    notes.object = name
                    notes.skip("entry \(elementCount)", .notAnObject)
                    continue
                }
            }
            if let element = try element(&notes) { return element }
        }
    }

    private mutating func begin() throws {
        let token: JSONToken
        do {
            token = try reader.next()
        } catch let error as JSONError where reader.depth == 0 {
            switch error.reason {
            case .unexpectedByte, .unexpectedEnd:
                throw TransferError.unknownFormat(
                    "\(quoted(name)) is neither a ZIP archive nor JSON"
                )
            default: throw error
            }
        }
        switch token {
        case .beginArray: place = .list
        case .beginObject: place = .end
        default:
            throw TransferError.unknownFormat("\(quoted(name)) is neither a list nor an object")
        }
    }

    /// The object that starts here; nil if it is too large and was skipped.
    private mutating func element(_ notes: inout ForeignNotes) throws -> ForeignElement? {
        elementCount += 1
        let depth = reader.depth - 1
        notes.object = "\(name), entry \(elementCount)"
        let reason: ImportReason
        var detail: String?
        do {
            let element = try ForeignElement(from: &reader, limits: limits.element)
            if element.duplicateKeyCount > 0 {
                notes.change("", .keyTwice)
            }
            return element
        } catch let error as JSONError where error.isAboutSize {
            reason = .tooLarge
            detail = error.elementText
        } catch let error as SkippedConversation {
            reason = error.reason
        }
        try reader.skip(toDepth: depth)
        notes.skip("", reason, detail)
        return nil
    }
}

extension JSONError {
    /// The reason, if it concerns one conversation and not the whole text.
    fileprivate var elementText: String {
        switch reason {
        case .tooLarge(let limit): "one conversation takes more than \(limit) bytes"
        case .tooManyValues(let limit): "one conversation has more than \(limit) values"
        default: reasonText
        }
    }
}
