// The `Link` field, RFC 8288: how a list says where it goes on.

enum LinkHeader {
    /// The target of the link whose `rel` is `relation`; nil where there is none.
    static func target(in value: String, relation: String) -> String? {
        var rest = value[...]
        while let open = rest.firstIndex(of: "<"),
            let close = rest[open...].firstIndex(of: ">")
        {
            let target = rest[rest.index(after: open)..<close]
            rest = rest[rest.index(after: close)...]
            // The parameters end where the next link begins; none that the hub sends holds "<".
            let parameters = rest.prefix { $0 != "<" }
            let relations = parameters.split { ";, ".contains($0) }
            if relations.contains("rel=\"\(relation)\"") || relations.contains("rel=\(relation)") {
                return String(target)
            }
        }
        return nil
    }
}
