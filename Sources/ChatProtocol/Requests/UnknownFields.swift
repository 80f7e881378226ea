// Refuses unknown fields in the objects of a request by name: a client that sends one expects it to
// have an effect. In events and replies they are ignored, as the server may be newer.

extension CodingUserInfoKey {
    /// Set for decoders of requests.
    static let refusesUnknownFields = CodingUserInfoKey(rawValue: "refusesUnknownFields")
}

extension Decoder {
    /// Refuses fields of an object of a request that are not among `known`.
    /// - Throws: `DecodingError`, which names the first one in alphabetical order.
    func refuseUnknownFields<Key: CodingKey & CaseIterable>(besides known: Key.Type) throws {
        guard let flag = CodingUserInfoKey.refusesUnknownFields, userInfo[flag] != nil else {
            return
        }
        let names = Key.allCases.map(\.stringValue)
        let container = try container(keyedBy: AnyField.self)
        let unknown = container.allKeys.map(\.stringValue).filter { !names.contains($0) }.min()
        guard let unknown else { return }
        throw DecodingError.dataCorrupted(
            .init(
                codingPath: codingPath + [AnyField(String(unknown.prefix(64)))],
                debugDescription: "is an unknown field: known are "
                    + names.joined(separator: ", ")
            )
        )
    }
}

/// A field of any name.
private struct AnyField: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
