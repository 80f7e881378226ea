// The user's teams as kept by the page.

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

    /** Answers the oldest request, and lets waiting code run. */
    async answer(reply) {
        this.waiting.shift()(reply);
        await new Promise(setImmediate);
    }

    emit(name, detail = {}) {
        this.dispatchEvent(new CustomEvent(name, { detail }));
    }
}

async function begun(teams) {
    const connection = new FakeConnection();
    const known = new Teams(connection, { id: "ann" });
    connection.emit("welcome");
    await connection.answer({ teams, u: 4 });
    return { connection, known };
}

test("teams are added, changed and removed by events, once each", async () => {
    const { connection, known } = await begun([millers]);
    const updated = [];
    known.addEventListener("updated", ({ detail }) => updated.push(detail));
    connection.emit("event", { ev: "team.changed", team: bakers, u: 5, after: 4 });
    assert.deepEqual(known.all, [bakers, millers]);
    const renamed = { ...bakers, name: "Pastry cooks" };
    connection.emit("event", { ev: "team.changed", team: renamed, u: 7, after: 5 });
    connection.emit("event", { ev: "team.changed", team: bakers, u: 6, after: 5 });
    assert.deepEqual(known.all, [millers, renamed]);
    connection.emit("event", { ev: "team.left", team: "m", u: 8, after: 7 });
    assert.deepEqual(known.all, [renamed]);
    assert.deepEqual(updated, ["b", "b", "m"]);
    assert.equal(connection.waiting.length, 0);
});

test("a list that is older than an event is requested again", async () => {
    const { connection, known } = await begun([millers]);
    known.refresh();
    connection.emit("event", { ev: "team.left", team: "m", u: 5, after: 4 });
    await connection.answer({ teams: [millers], u: 4 });
    assert.deepEqual(known.all, []);
    await connection.answer({ teams: [bakers], u: 6 });
    assert.deepEqual(known.all, [bakers]);
    // After a reconnect to a restored database the reply counts.
    connection.emit("welcome");
    await connection.answer({ teams: [millers], u: 1 });
    assert.deepEqual(known.all, [millers]);
});

test("a team's text shows the user's role, and how long the team keeps conversations", () => {
    assert.equal(teamNoteOf(bakers), "You are in this team.");
    assert.match(teamNoteOf({ ...bakers, retention_days: 30 }), /deleted after 30 days in which/);
    assert.match(teamNoteOf({ ...bakers, retention_days: 1 }), /deleted after a day in which/);
});
