// The `Link` field, RFC 8288: the address of a list's next page.

enum LinkHeader {
    /// The target of the link whose `rel` is `relation`; nil if there is none.
    static func target(in value: String, relation: String) -> String? {
        var rest = value[...]
        while let open = rest.firstIndex(of: "<"),
            let close = rest[open...].firstIndex(of: ">")
        {
            let target = rest[rest.index(after: open)..<close]
            rest = rest[rest.index(after: close)...]
            // The parameters end where the next link begins; the hub's contain no "<".
            let parameters = rest.prefix { $0 != "<" }
            let relations = parameters.split { ";, ".contains($0) }
            if relations.contains("rel=\"\(relation)\"") || relations.contains("rel=\(relation)") {
                return String(target)
            }
        }
        return nil
    }
}
