// The user's teams as the page keeps them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Teams } from "../../Web/js/teams.js";
import { teamNoteOf } from "../../Web/js/wording.js";

const bakers = { id: "b", name: "Bakers", role: "member" };
const millers = { id: "m", name: "millers", role: "owner" };

/** A connection whose replies a test gives, in the order of the requests. */
class FakeConnection extends EventTarget {
    waiting = [];

    request() {
        return new Promise((resolve) => {
            this.waiting.push(resolve);
        });
    }

    /** Answers the oldest request, and lets what waits for that go on. */
    async answer(reply) {
        this.waiting.shift()(reply);
        await new Promise(setImmediate);
    }

    tell(name, detail = {}) {
        this.dispatchEvent(new CustomEvent(name, { detail }));
    }
}

async function begun(teams) {
    const connection = new FakeConnection();
    const known = new Teams(connection, { id: "ann" });
    connection.tell("welcome");
    await connection.answer({ teams, u: 4 });
    return { connection, known };
}

test("teams come, change and go as the server tells, each once", async () => {
    const { connection, known } = await begun([millers]);
    const told = [];
    known.addEventListener("told", ({ detail }) => told.push(detail));
    connection.tell("event", { ev: "team.changed", team: bakers, u: 5, after: 4 });
    assert.deepEqual(known.all, [bakers, millers]);
    const renamed = { ...bakers, name: "Pastry cooks" };
    connection.tell("event", { ev: "team.changed", team: renamed, u: 7, after: 5 });
    connection.tell("event", { ev: "team.changed", team: bakers, u: 6, after: 5 });
    assert.deepEqual(known.all, [millers, renamed]);
    connection.tell("event", { ev: "team.left", team: "m", u: 8, after: 7 });
    assert.deepEqual(known.all, [renamed]);
    assert.deepEqual(told, ["b", "b", "m"]);
    assert.equal(connection.waiting.length, 0);
});

test("a list that is older than what was told is asked for again", async () => {
    const { connection, known } = await begun([millers]);
    known.refresh();
    connection.tell("event", { ev: "team.left", team: "m", u: 5, after: 4 });
    await connection.answer({ teams: [millers], u: 4 });
    assert.deepEqual(known.all, []);
    await connection.answer({ teams: [bakers], u: 6 });
    assert.deepEqual(known.all, [bakers]);
    // After a reconnect, to a database that was restored too, the reply counts.
    connection.tell("welcome");
    await connection.answer({ teams: [millers], u: 1 });
    assert.deepEqual(known.all, [millers]);
});

test("a team says what one is in it, and how long it keeps conversations", () => {
    assert.equal(teamNoteOf(bakers), "You are in this team.");
    assert.match(teamNoteOf({ ...bakers, retention_days: 30 }), /deleted after 30 days in which/);
    assert.match(teamNoteOf({ ...bakers, retention_days: 1 }), /deleted after a day in which/);
});
