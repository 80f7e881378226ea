// What a user may do with a conversation, in the order of its menu. Pure functions.

/**
 * The names of the actions on `conversation` (a row of the list, or the object), in groups.
 * `isAdministrator`: of the server; `teamCount`: the user's teams that it could be moved to.
 */
export function actionGroupsOn(conversation, { isAdministrator = false, teamCount = 0 } = {}) {
    const { role, team } = conversation;
    const isOwner = role === "owner";
    const mayWrite = role !== "viewer";
    const groups = [
        [mayWrite && "rename", mayWrite && "settings", isOwner && "invite", isOwner && "share"],
        ["pin", "organise", "archive", isOwner && !team && teamCount > 0 && "move", "export"],
        [isAdministrator && "hold", isOwner ? "delete" : "leave"],
    ];
    return groups.map((group) => group.filter(Boolean)).filter((group) => group.length > 0);
}
