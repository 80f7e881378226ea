// The page of a signed-in user: creates the parts and connects their events. The address contains
// the open conversation, so that reload and the back button keep it.

import { linkOf, sharedTokenOf, takeLink } from "./address.js";
import { AdministrationEntry } from "./administration/entry.js";
import { Allowances } from "./allowance.js";
import { Announcer } from "./announcer.js";
import { signOut } from "./backend.js";
import { randomKey } from "./checksum.js";
import { Connection } from "./connection.js";
import { ConversationList } from "./conversation-list.js";
import { byId } from "./element.js";
import { FoundMessage } from "./found-message.js";
import { CommandTarget, followKeyboard } from "./keyboard.js";
import { text } from "./language.js";
import { messageActions } from "./message-actions.js";
import { Models } from "./models.js";
import { Notifier } from "./notifier.js";
import { Offline } from "./offline/offline.js";
import { Outbox } from "./outbox.js";
import { Reader } from "./reader.js";
import { clearValues } from "./tab-storage.js";
import { Teams } from "./teams.js";
import { threadSource } from "./thread-source.js";
import { TreeActions } from "./tree-actions.js";
import { AccountDialog } from "./views/account-dialog.js";
import { AllowanceView } from "./views/allowance-view.js";
import { Composer } from "./views/composer.js";
import { ContextGauge } from "./views/context-gauge.js";
import { ConversationActions } from "./views/conversation-actions.js";
import { ConversationHead } from "./views/conversation-head.js";
import { followDeviceRequests } from "./views/device-entry.js";
import { prepareDialogs } from "./views/dialogs.js";
import { followFileDrops } from "./views/file-drop.js";
import { ModelsDialog } from "./views/models-dialog.js";
import { showOfflineNote } from "./views/offline-note.js";
import { ReceiptDialog } from "./views/receipt-dialog.js";
import { Search } from "./views/search.js";
import { Sidebar } from "./views/sidebar.js";
import { TeamViews } from "./views/team-views.js";
import { addTemporaryMenu } from "./views/temporary-menu.js";
import { Thread } from "./views/thread.js";
import { showToast } from "./views/toast.js";
import { Welcome } from "./views/welcome.js";
import { Watcher } from "./watcher.js";

/** The workspace. Dispatches "signed-out" (detail: `{note, isWanted}`: why, and whether on request). */
export class Workspace extends EventTarget {
    #user;
    #connection;
    #list;
    #models;
    #teams;
    #teamViews;
    #watcher;
    #reader;
    #announcer = new Announcer();
    #notifier;
    #outbox;
    #account;
    #administration;
    #allowance;
    #gauge = new ContextGauge();
    #actions;
    #conversationActions;
    #receipts;
    #sidebar;
    #search;
    #thread;
    #composer;
    #head;
    #welcome;
    #epoch = null;
    #found;

    /** The workspace of `user`. */
    constructor(user) {
        super();
        this.#user = user;
        this.#connection = new Connection(user);
        this.#list = new ConversationList(this.#connection);
        this.#models = new Models(this.#connection);
        this.#teams = new Teams(this.#connection, user);
        this.#teamViews = new TeamViews(this.#connection, this.#teams, user);
        this.#watcher = new Watcher(this.#connection);
        this.#reader = new Reader(this.#connection, this.#list, this.#watcher);
        this.#search = new Search(this.#connection, this.#teams, () => this.#openID);
        showOfflineNote(new Offline({
            connection: this.#connection, list: this.#list, watcher: this.#watcher, user,
        }));
        const allowances = new Allowances(this.#connection);
        this.#allowance = new AllowanceView(allowances, this.#announcer);
        this.#outbox = new Outbox(this.#connection, user, allowances);
        this.#conversationActions = new ConversationActions(this.#connection, this.#teams, user, {
            open: (id) => this.#show(id), openID: () => this.#openID,
            leaf: () => this.#watcher.timeline?.leaf ?? null,
            whole: () => this.#watcher.timeline?.conversation ?? null,
        });
        this.#sidebar = new Sidebar(
            this.#connection, this.#list, this.#teams, user, this.#conversationActions);
        this.#composer = new Composer(user);
        this.#head = new ConversationHead({
            connection: this.#connection, watcher: this.#watcher, models: this.#models,
            teams: this.#teams, user, announcer: this.#announcer, actions: this.#conversationActions,
        });
        new ModelsDialog(this.#models, user);
        this.#account = new AccountDialog(this.#connection, user);
        this.#administration = new AdministrationEntry(this.#connection, this.#models, user);
        this.#welcome = new Welcome(this.#models, user, {
            ask: (question) => this.#send(question),
            choose: (name) => this.#head.chooseModel(name).then(() => this.#drawThread()),
        });
        this.#actions = new TreeActions(this.#connection, this.#watcher, user, allowances);
        this.#receipts = new ReceiptDialog(() => this.#watcher.timeline);
        const source = threadSource(
            this.#watcher, () => this.#outbox.itemsOf(this.#openID),
            () => ({ mayWrite: this.#mayWrite, isOwner: this.#conversation?.role === "owner" }));
        this.#thread = new Thread(user, source, messageActions({
            tree: this.#actions, outbox: this.#outbox, receipts: this.#receipts,
            watcher: this.#watcher, thread: () => this.#thread,
        }));
        this.#found = new FoundMessage({
            watcher: this.#watcher, actions: this.#actions, thread: this.#thread,
            show: (id) => this.#show(id),
        });
        this.#notifier = new Notifier(this.#connection, this.#list, (id) => this.#show(id));
        prepareDialogs();
        followFileDrops();
        this.#followConnection();
        this.#followViews();
        this.#followData();
    }

    /** Connects and shows the conversation in the address; `invite` is a team link's token. */
    start(invite) {
        if (invite) this.#teamViews.join(invite);
        window.addEventListener("hashchange", () => this.#followAddress());
        this.#openFromAddress();
        this.#connection.open();
        this.#sidebar.draw();
        followDeviceRequests(this.#connection);
    }

    /** Resumes after the same user has signed in again. */
    resume() {
        this.#connection.open();
        this.#composer.focus();
    }

    get #openID() {
        return this.#watcher.timeline?.id ?? null;
    }

    /** The open conversation's object, with this user's own role in it. */
    get #conversation() {
        const { timeline } = this.#watcher;
        if (!timeline) return null;
        const known = timeline.conversation ?? this.#list.get(timeline.id);
        if (!known) return null;
        const own = known.members?.find(({ user }) => user.id === this.#user.id);
        return { ...known, role: own?.role ?? known.role };
    }

    get #mayWrite() {
        return this.#conversation?.role !== "viewer";
    }

    /** The name of the model that was chosen here; undefined selects the server's default. */
    get #wantedModel() {
        return this.#conversation?.model ?? this.#head.modelForNewConversation;
    }

    #followConnection() {
        this.#connection.addEventListener("welcome", ({ detail }) => {
            if (this.#epoch !== null && this.#epoch !== detail.epoch) {
                this.#watcher.forgetEverything();
                this.#list.forgetNumbers();
            }
            this.#epoch = detail.epoch;
            this.#composer.textBytesMax = detail.limits?.text_bytes ?? Infinity;
            this.#list.connected(detail.u);
            this.#watcher.watch();
            this.#drawHead();
        });
        this.#connection.addEventListener("signed-out", () => this.#signedOut(text("sign-in.ended")));
    }

    #followViews() {
        byId("new-conversation").addEventListener("click", () => this.#create());
        addTemporaryMenu((seconds) => this.#create(seconds));
        byId("archive-open").addEventListener("click", () => this.#account.openArchive());
        this.#account.addEventListener("sign-out", () => this.#signOut());
        this.#administration.addEventListener("closed", () => this.#drawHead());
        this.#account.addEventListener("deleted", () => this.#leave(text("account.deleted")));
        this.#sidebar.addEventListener("open", ({ detail }) => this.#show(detail));
        this.#teamViews.addEventListener("open", ({ detail }) => this.#show(detail));
        this.#search.addEventListener("open", ({ detail }) => this.#found.open(detail));
        followKeyboard(new CommandTarget({
            list: this.#list, connection: this.#connection, openID: () => this.#openID,
            open: (id) => this.#show(id), openMessage: (found) => this.#found.open(found),
            action: (name) => this.#head.action(name),
        }));
        this.#composer.addEventListener("send", (event) => {
            if (!this.#send(event.detail)) event.preventDefault();
        });
        this.#composer.addEventListener("typed", () => this.#head.typed());
        this.#composer.addEventListener("stop", () => {
            const answer = this.#watcher.timeline?.pendingAnswer;
            if (answer) this.#actions.stop(answer);
        });
    }

    #followData() {
        this.#list.addEventListener("changed", () => {
            this.#drawHead();
            this.#reader.look();
        });
        for (const source of [this.#models, this.#teams]) {
            source.addEventListener("changed", () => this.#drawHead());
        }
        this.#outbox.addEventListener("changed", () => this.#drawThread());
        this.#outbox.addEventListener("sent", ({ detail }) => this.#notifier.await(detail));
        this.#outbox.addEventListener("conversation-created", ({ detail }) => {
            this.#list.put(detail.conversation);
            if (this.#openID === null) this.#show(detail.conversation.id);
        });
        this.#actions.addEventListener("asked", ({ detail }) => this.#notifier.await(detail));
        this.#actions.addEventListener("forked", ({ detail }) => {
            this.#list.put(detail);
            this.#show(detail.id);
            showToast(text("conversations.copied"));
        });
        this.#watcher.addEventListener("opened", () => this.#opened());
        this.#watcher.addEventListener("changed", ({ detail }) => {
            this.#changed(detail);
            this.#reader.look();
        });
        this.#watcher.addEventListener("caught-up", () => {
            this.#drawThread();
            this.#drawHead();
            this.#reader.look();
            this.#found.reveal();
        });
        this.#watcher.addEventListener("gone", ({ detail }) => {
            // The user who archived or deleted it gets an undo button instead.
            if (!this.#conversationActions.hasRemoved(detail.conversation)) showToast(detail.sentence);
            if (!this.#administration.isOpen) this.#show(null);
        });
    }

    #followAddress() {
        const link = linkOf(location.hash);
        if (link?.purpose === "team-invite") this.#teamViews.join(takeLink().token);
        // The sign-in card, which the page starts with, handles other links.
        else if (link || sharedTokenOf(location.hash)) location.reload();
        else this.#openFromAddress();
    }

    #openFromAddress() {
        if (this.#administration.follow()) return;
        const id = new URLSearchParams(location.hash.slice(1)).get("conversation");
        if (id !== this.#openID) this.#watcher.open(id);
        if (id === null) this.#opened();
    }

    /** Opens a conversation by changing the address; null for none. */
    #show(id) {
        this.#sidebar.toggleDrawer(false);
        if (id === null) history.replaceState(null, "", location.pathname + location.search);
        else if (id !== this.#openID) location.hash = `conversation=${encodeURIComponent(id)}`;
        else return;
        this.#openFromAddress();
    }

    #opened() {
        this.#thread.clear();
        this.#announcer.reset();
        this.#outbox.dropSentExcept(this.#openID);
        this.#sidebar.select(this.#openID);
        this.#composer.open(this.#openID);
        this.#drawThread();
        this.#drawHead();
        this.#composer.focus();
    }

    #changed(outcome) {
        const { timeline } = this.#watcher;
        this.#outbox.settle(timeline);
        if (outcome.reordered || outcome.conversationChanged) this.#drawThread();
        this.#thread.update(outcome.changed);
        for (const id of outcome.changed) {
            const message = timeline.messages.get(id);
            if (message) this.#announcer.follow(message);
        }
        if (outcome.conversationChanged) this.#drawHead();
        this.#drawComposer();
    }

    #drawThread() {
        const { timeline } = this.#watcher;
        const isEmpty = !timeline?.messages.size && this.#outbox.itemsOf(this.#openID).length === 0;
        // A conversation that is still loading is not an empty one.
        const isShown = isEmpty && (timeline === null || timeline.n !== null);
        this.#welcome.show(isShown, { mayWrite: this.#mayWrite, wanted: this.#wantedModel });
        this.#thread.draw();
        this.#drawComposer();
    }

    #drawHead() {
        if (!this.#administration.isOpen) this.#head.show(this.#conversation, this.#mayWrite);
        this.#drawComposer();
    }

    #drawComposer() {
        this.#allowance.show(this.#openID, this.#mayWrite);
        this.#gauge.show({
            timeline: this.#watcher.timeline, conversation: this.#conversation,
            model: this.#models.answering({ model: this.#wantedModel }), mayWrite: this.#mayWrite,
        });
        this.#composer.show({
            isGrowing: Boolean(this.#watcher.timeline?.pendingAnswer),
            mayWrite: this.#mayWrite,
        });
    }

    /** Puts a text into the outbox. Returns whether it was accepted. */
    #send(question) {
        if (!this.#outbox.hasRoom) {
            showToast(text("composer.too-many"));
            return false;
        }
        this.#outbox.add(this.#openID, question, {
            model: this.#head.modelForNewConversation,
            team: this.#teams.forNewConversation,
            leaf: this.#watcher.timeline?.leaf,
        });
        this.#thread.scrollToEnd();
        return true;
    }

    /** Whether the open conversation is a new one, which can be used instead of another. */
    get #isOpenNew() {
        const { timeline } = this.#watcher;
        return timeline?.isUnusedIn(this.#teams.forNewConversation) === true
            && this.#outbox.itemsOf(timeline.id).length === 0;
    }

    /**
     * Creates a conversation, unless the open one is new; with `lifetime`, in seconds, always, and one
     * that ends after it.
     */
    async #create(lifetime) {
        this.#sidebar.toggleDrawer(false);
        this.#search.clear();
        if (!lifetime && this.#isOpenNew) {
            this.#composer.focus();
            return;
        }
        // Text written from now on belongs to the new one, however long creating it takes. What is to
        // be temporary must not go into a permanent one.
        if (!lifetime) this.#show(null);
        try {
            const { conversation } = await this.#connection.request("conversation.create", {
                key: randomKey(),
                model: this.#head.modelForNewConversation,
                team: this.#teams.forNewConversation,
                expires_in: lifetime,
            });
            this.#list.put(conversation);
            // A user who is typing already stays: the message creates its own conversation.
            const isUntouched = this.#openID === null && this.#composer.isEmpty
                && this.#outbox.itemsOf(null).length === 0;
            if (lifetime || isUntouched) this.#show(conversation.id);
        } catch (error) {
            // Without a connection, the first message creates it later.
            if (lifetime) showToast(error.message);
        }
    }

    async #signOut() {
        try {
            await signOut();
            this.#leave("");
        } catch (error) {
            showToast(error.message);
        }
    }

    /** Signs out on the user's request: nothing of theirs stays in this tab. */
    #leave(note) {
        clearValues();
        this.#signedOut(note, true);
    }

    #signedOut(note, isWanted = false) {
        this.#connection.close();
        this.dispatchEvent(new CustomEvent("signed-out", { detail: { note, isWanted } }));
    }
}
