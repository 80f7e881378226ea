// Converts another system's nodes to a tree of messages: each branch begins with a question, and
// questions and answers alternate. Parents are used, lists of children are not; cycles are cut; nodes
// that do not fit are moved, joined or given an empty partner, and noted.

import ChatProtocol

/// Nodes whose parents exist and lead to a root.
struct ForeignTree {
    /// The nodes; ids are unique.
    private(set) var nodes: [ForeignNode] = []
    /// The index of each node's parent.
    private(set) var parents: [Int?] = []
    /// The corrections, with the node that each was made to.
    private(set) var changes: [(node: String, reason: ImportReason)] = []

    init(_ all: [ForeignNode]) {
        var places: [String: Int] = [:]
        for node in all {
            if let place = places[node.id] {
                changes.append((node.id, .idTwice))
                nodes[place] = node
            } else {
                places[node.id] = nodes.count
                nodes.append(node)
            }
        }
        for node in nodes {
            let parent = node.parent.flatMap { places[$0] }
            if node.parent != nil, parent == nil {
                changes.append((node.id, .missingParent))
            }
            parents.append(parent)
        }
        cutCycles()
    }

    /// Cuts each cycle of parents: its oldest node becomes a root.
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
                changes.append((nodes[oldest].id, .parentsInCycle))
            }
            for place in path { marks[place] = .done }
        }
    }

    private func isOlder(_ one: Int, _ other: Int) -> Bool {
        let oneTime = nodes[one].time?.milliseconds ?? .max
        let otherTime = nodes[other].time?.milliseconds ?? .max
        return (oneTime, one) < (otherTime, other)
    }

    /// The indices of all nodes, each after its parent, siblings in file order.
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

    /// The indices of each node's children.
    static func children(of parents: [Int?]) -> [[Int]] {
        var children = [[Int]](repeating: [], count: parents.count)
        for (place, parent) in parents.enumerated() {
            if let parent { children[parent].append(place) }
        }
        return children
    }
}
