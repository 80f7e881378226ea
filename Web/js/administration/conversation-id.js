/** The id of a conversation in a text, which may be its address; null if there is none. */
export function conversationIn(value) {
    const found = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/iu.exec(value);
    return found ? found[0].toLowerCase() : null;
}
