// Searches a template's syntax tree.

extension TemplateNode {
    /// Whether one of its expressions, or an expression in one, is of a kind.
    func contains(_ isOfKind: (TemplateExpression) -> Bool) -> Bool {
        switch self {
        case .text: false
        case .output(let expression): expression.contains(isOfKind)
        case .loop(let body), .group(let body): body.contains { $0.contains(isOfKind) }
        case .choice(let branches, let otherwise):
            branches.contains { branch in
                branch.condition.contains(isOfKind)
                    || branch.body.contains { $0.contains(isOfKind) }
            } || otherwise.contains { $0.contains(isOfKind) }
        }
    }
}

extension TemplateExpression {
    /// Whether it, or an expression in it, is of a kind.
    func contains(_ isOfKind: (TemplateExpression) -> Bool) -> Bool {
        if isOfKind(self) { return true }
        switch self {
        case .literal, .field, .variable, .message, .position, .addGenerationPrompt, .truth, .none:
            return false
        case .joined(let operands), .list(let operands), .all(let operands), .any(let operands):
            return operands.contains { $0.contains(isOfKind) }
        case .equal(let left, let right), .contained(let left, let right):
            return left.contains(isOfKind) || right.contains(isOfKind)
        case .isNone(let operand), .isDefined(let operand), .not(let operand):
            return operand.contains(isOfKind)
        }
    }
}
