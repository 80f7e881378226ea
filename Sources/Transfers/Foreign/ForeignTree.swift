// Another system's nodes as a tree of ours: each branch begins with a question, and questions and
// answers take turns. Parents are believed, lists of children are not; cycles are cut; what stands where
// ours has no place for it moves, is joined or gets an empty partner, and is noted.

import ChatProtocol

/// Nodes with parents that exist and lead to a beginning.
struct ForeignTree {
    /// The nodes, no two with one id.
    private(set) var nodes: [ForeignNode] = []
    /// For each node its parent's place.
    private(set) var parents: [Int?] = []
    /// What was set right, by the node that it was about.
    private(set) var changes: [(node: String, reason: String)] = []

    init(_ all: [ForeignNode]) {
        var places: [String: Int] = [:]
        for node in all {
            if let place = places[node.id] {
                changes.append((node.id, "its id stood twice; the last one counts"))
                nodes[place] = node
            } else {
                places[node.id] = nodes.count
                nodes.append(node)
            }
        }
        for node in nodes {
            let parent = node.parent.flatMap { places[$0] }
            if node.parent != nil, parent == nil {
                changes.append((node.id, "its parent is missing; it begins a branch of its own"))
            }
            parents.append(parent)
        }
        cutCycles()
    }

    /// Where parents lead in a circle, the oldest node of it becomes a beginning.
    private mutating func cutCycles() {
        enum Mark { case unseen, onPath, done }
        var marks = [Mark](repeating: .unseen, count: nodes.count)
        for start in nodes.indices where marks[start] == .unseen {
            var path: [Int] = []
            var next: Int? = start
            while let place = next, marks[place] == .unseen {
                marks[place] = .onPath
                path.append(place)
                next = parents[place]
            }
            if let entry = next, marks[entry] == .onPath,
                let first = path.firstIndex(of: entry),
                let oldest = path[first...].min(by: isOlder)
            {
                parents[oldest] = nil
                changes.append((nodes[oldest].id, "its parents led back to it; it begins a branch"))
            }
            for place in path { marks[place] = .done }
        }
    }

    private func isOlder(_ one: Int, _ other: Int) -> Bool {
        let oneTime = nodes[one].time?.milliseconds ?? .max
        let otherTime = nodes[other].time?.milliseconds ?? .max
        return (oneTime, one) < (otherTime, other)
    }

    /// The places of all nodes, each after its parent, siblings in the order of the file.
    func parentsFirst() -> [Int] {
        let children = Self.children(of: parents)
        var order = parents.indices.filter { parents[$0] == nil }
        var next = 0
        while next < order.count {
            order += children[order[next]]
            next += 1
        }
        return order
    }

    /// For each place the places below it.
    static func children(of parents: [Int?]) -> [[Int]] {
        var children = [[Int]](repeating: [], count: parents.count)
        for (place, parent) in parents.enumerated() {
            if let parent { children[parent].append(place) }
        }
        return children
    }
}
