// An answer's text as it grows: deltas with byte offsets go in, the text comes out. A value without
// input or output of its own, so that each rule of the protocol about offsets is a line of a test.

import { indexOfByte, utf8Length } from "./utf8.js";

/** The text of one answer and the run that writes it. */
export class GrowingText {
    /** What is known of the text. */
    text = "";
    /** Its length in UTF-8 bytes: where the next delta begins. */
    byteCount = 0;
    /** The run that wrote it; null while none has begun. */
    run = null;

    /** Begins with what a message object says. */
    constructor(text = "", run = null) {
        this.replace(text, run);
    }

    /** Takes `text` for the whole text so far. */
    replace(text, run) {
        this.text = text;
        this.byteCount = utf8Length(text);
        this.run = run;
    }

    /**
     * Takes the text between two offsets. What is known already is skipped.
     * @returns whether it fitted; where it did not, a part is missing and must be asked for again.
     */
    append({ run, at, to, text }) {
        if (run !== this.run) {
            // Another run that nobody told of: only a beginning at 0 can be taken.
            if (this.run !== null && at !== 0) return false;
            if (this.run !== null) this.replace("", run);
            this.run = run;
        }
        if (at > this.byteCount || to - at !== utf8Length(text)) return false;
        if (to <= this.byteCount) return true;
        const start = indexOfByte(text, this.byteCount - at);
        if (start === null) return false;
        this.text += text.slice(start);
        this.byteCount = to;
        return true;
    }

    /**
     * Goes on under another run from byte `at`: what came after that is void.
     * @returns whether the text reaches that far and has a character's end there.
     */
    goOn(run, at) {
        this.run = run;
        return this.cut(at);
    }

    /**
     * Takes what a watch reply says of a growing text: the first `at` bytes that are known, and then
     * `text`.
     * @returns whether it fitted.
     */
    adopt({ run, at, to, text }) {
        if (to - at !== utf8Length(text) || !this.goOn(run, at)) return false;
        this.text += text;
        this.byteCount = to;
        return true;
    }

    /**
     * Makes the text end at byte `to`, as an answer does that was stopped behind its reader.
     * @returns whether the text reaches that far and has a character's end there.
     */
    cut(to) {
        const end = to <= this.byteCount ? indexOfByte(this.text, to) : null;
        if (end === null) return false;
        this.text = this.text.slice(0, end);
        this.byteCount = to;
        return true;
    }
}
