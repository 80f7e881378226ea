// Parses Markdown with cmark-gfm, and copies its tree into values.

import CCMarkGFM

/// Parses documents.
package enum MarkdownParser {
    /// A block, and the line of the source where it begins, from 0.
    package struct Located: Hashable, Sendable {
        package var block: MarkdownBlock
        package var line: Int
    }

    /// Deeper nodes are shown as plain text, so that the tree cannot exhaust the stack.
    private static let depthMax = 24
    private static let extensions = ["table", "strikethrough", "autolink", "tasklist"]

    /// The blocks of a text. Complexity: linear.
    package static func blocks(_ text: String) -> [Located] {
        cmark_gfm_core_extensions_ensure_registered()
        guard let parser = cmark_parser_new(CMARK_OPT_DEFAULT) else { return [] }
        defer { cmark_parser_free(parser) }
        for name in extensions {
            if let found = cmark_find_syntax_extension(name) {
                cmark_parser_attach_syntax_extension(parser, found)
            }
        }
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                cmark_parser_feed(parser, characters.baseAddress, characters.count)
            }
        }
        guard let document = cmark_parser_finish(parser) else { return [] }
        defer { cmark_node_free(document) }
        return children(document).flatMap { node in
            let line = max(Int(cmark_node_get_start_line(node)) - 1, 0)
            return block(node, depth: 0).map { Located(block: $0, line: line) }
        }
    }

    private typealias Node = OpaquePointer

    private static func children(_ node: Node) -> [Node] {
        var nodes: [Node] = []
        var next = cmark_node_first_child(node)
        while let child = next {
            nodes.append(child)
            next = cmark_node_next(child)
        }
        return nodes
    }

    private static func kind(_ node: Node) -> String {
        cmark_node_get_type_string(node).map { String(cString: $0) } ?? ""
    }

    private static func literal(_ node: Node) -> String {
        cmark_node_get_literal(node).map { String(cString: $0) } ?? ""
    }

    private static func plain(_ node: Node) -> String {
        guard let text = cmark_render_plaintext(node, CMARK_OPT_DEFAULT, 0) else { return "" }
        defer { cmark_get_default_mem_allocator().pointee.free(text) }
        return String(cString: text)
    }

    // MARK: Blocks

    private static func inner(_ node: Node, depth: Int) -> [MarkdownBlock] {
        children(node).flatMap { block($0, depth: depth + 1) }
    }

    private static func block(_ node: Node, depth: Int) -> [MarkdownBlock] {
        guard depth < depthMax else { return [.paragraph([.text(plain(node))])] }
        switch kind(node) {
        case "paragraph": return [.paragraph(inlines(node, depth: depth))]
        case "heading":
            let level = Int(cmark_node_get_heading_level(node))
            return [.heading(level: level, inlines(node, depth: depth))]
        case "code_block":
            let info = cmark_node_get_fence_info(node).map { String(cString: $0) } ?? ""
            let language = info.split(separator: " ").first.map(String.init) ?? ""
            return [.code(language: language, text: literal(node))]
        case "block_quote": return [.quote(inner(node, depth: depth))]
        case "list": return [.list(list(node, depth: depth))]
        case "table": return [.table(table(node, depth: depth))]
        case "thematic_break": return [.rule]
        // HTML is shown as it was written.
        case "html_block": return [.code(language: "", text: literal(node))]
        default: return [.paragraph([.text(plain(node))])]
        }
    }

    private static func list(_ node: Node, depth: Int) -> MarkdownList {
        let isOrdered = cmark_node_get_list_type(node) == CMARK_ORDERED_LIST
        return MarkdownList(
            start: isOrdered ? Int(cmark_node_get_list_start(node)) : nil,
            isTight: cmark_node_get_list_tight(node) != 0,
            items: children(node).map { item in
                let isTask = kind(item) == "tasklist"
                return MarkdownList.Item(
                    isDone: isTask
                        ? cmark_gfm_extensions_get_tasklist_item_checked(item) : nil,
                    blocks: inner(item, depth: depth + 1)
                )
            }
        )
    }

    private static func table(_ node: Node, depth: Int) -> MarkdownTable {
        let count = Int(cmark_gfm_extensions_get_table_columns(node))
        let letters = cmark_gfm_extensions_get_table_alignments(node)
        return MarkdownTable(
            alignments: (0..<count).map { column in
                switch letters?[column] {
                case UInt8(ascii: "c"): .center
                case UInt8(ascii: "r"): .right
                default: .left
                }
            },
            rows: children(node).map { row in
                children(row).map { inlines($0, depth: depth + 1) }
            }
        )
    }

    // MARK: Inlines

    private static func inlines(_ node: Node, depth: Int) -> [MarkdownInline] {
        children(node).map { inline($0, depth: depth + 1) }
    }

    private static func inline(_ node: Node, depth: Int) -> MarkdownInline {
        guard depth < depthMax else { return .text(plain(node)) }
        switch kind(node) {
        case "text", "html_inline": return .text(literal(node))
        case "softbreak": return .softBreak
        case "linebreak": return .lineBreak
        case "code": return .code(literal(node))
        case "emph": return .emphasis(inlines(node, depth: depth))
        case "strong": return .strong(inlines(node, depth: depth))
        case "strikethrough": return .strikethrough(inlines(node, depth: depth))
        case "link", "image":
            let address = cmark_node_get_url(node).map { String(cString: $0) } ?? ""
            return .link(inlines(node, depth: depth), address: address)
        default: return .text(plain(node))
        }
    }
}
