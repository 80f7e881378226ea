// UTF-8 lengths and offsets of JavaScript strings. The protocol counts UTF-8 bytes, JavaScript
// UTF-16 units; this file converts between them.

/** The length of `text` in UTF-8 bytes. A lone surrogate counts as U+FFFD, as encoders write it. */
export function utf8Length(text) {
    let length = 0;
    for (let index = 0; index < text.length; index += 1) {
        length += unitBytes(text, index);
    }
    return length;
}

/**
 * The index in `text` at which its first `byteCount` UTF-8 bytes end, or null if that is inside a
 * character or beyond the text.
 */
export function indexOfByte(text, byteCount) {
    let bytes = 0;
    let index = 0;
    while (index < text.length && bytes < byteCount) {
        const isPair = isSurrogatePair(text, index);
        bytes += isPair ? 4 : unitBytes(text, index);
        index += isPair ? 2 : 1;
    }
    return bytes === byteCount ? index : null;
}

/** The bytes of one UTF-16 unit: a pair's first half counts all four, its second half none. */
function unitBytes(text, index) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) return 1;
    if (unit < 0x800) return 2;
    if (isSurrogatePair(text, index)) return 4;
    if (index > 0 && isSurrogatePair(text, index - 1)) return 0;
    return 3;
}

function isSurrogatePair(text, index) {
    return (text.charCodeAt(index) & 0xfc00) === 0xd800
        && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
}
