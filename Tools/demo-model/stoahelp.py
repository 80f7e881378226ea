"""How to use Stoa, with correct answers."""

from paraphrases import R, T

STOA = [
    (
        T(
            "How do I export a conversation?", "Can I export this chat?",
            "How can I save a conversation to a file?", "export conversation",
            "I want to download this chat.", "How do I download a conversation?",
            "Where can I export?", "How can I get this chat as a file?",
            "Export this chat, please.", "Is there an export?",
            "How do I keep a copy of this conversation?", "Can I download the chat as a file?",
            "How do I save this chat?", "Where is the export?", "export this conversation how?",
            "How to save this conversation as a file", "I need this chat as a file.",
            "How to download my chat?", "Can I get a copy of my messages?",
            "how do i back up this chat", "I would like to export my conversation.",
            "Save the conversation to disk?", "how can i export the chat"
        ),
        "Open the conversation's menu and choose *Export*. You get the whole conversation as "
        "a file.",
        ["Export"],
    ),
    (
        T(
            "How do I invite a teammate?", "How can I add a colleague?",
            "Can others join this conversation?", "invite someone", "I want to invite a friend.",
            "How do I add a teammate to the chat?", "How do I bring in a colleague?",
            "Where can I invite people?", "Can my friend join?",
            "Add a teammate to this conversation.", "How can others see this conversation?",
            "How can I invite a colleague?", "Can I add people here?",
            "How do I share this conversation?", "I want to add someone to this chat.",
            "How do I invite others?", "My coworker should join this chat.",
            "How can Anna join this chat?", "How to add people to the conversation",
            "I would like to invite my colleague, how?", "let a friend in here, how",
            "Can two people use this chat?", "share this chat with my team"
        ),
        "Open the conversation's menu, choose *Invite* and name your teammate. Both of you "
        "then see every message.",
        ["Invite"],
    ),
    (
        T(
            "How do I stop an answer?", "Can I stop the answer?", "How do I interrupt you?",
            "stop button?", "You talk too much, how do I stop you?",
            "How can I stop a long answer?", "How do I make you stop?",
            "Where is the stop button?", "Stop an answer, how?", "Please stop talking, how?",
            "Can I interrupt an answer?", "How can I stop you?", "Which key stops an answer?",
            "How do I end a long answer?", "how can i stop the output",
            "How to stop an answer that is too long", "How do I make it stop?",
            "It writes too much, how do I stop it?", "can i cancel an answer",
            "Stop writing, how?", "How do I cancel this answer?", "abort the answer"
        ),
        "Press *Stop* while the answer is growing. What was written so far is kept.",
        ["Stop"],
    ),
    (
        T(
            "How do I search?", "How can I find an old message?", "Can I search my conversations?",
            "search messages", "Where is the search?", "How do I search for a message?",
            "How do I find a conversation?", "Where can I search?", "Find old messages",
            "Is there a search?", "Can I look for a word in my messages?",
            "Can I search for an old message?", "Search for a word, how?",
            "How do I find what was said?", "how to search old chats",
            "Where can I find an old chat?", "I look for an old message.", "find a message",
            "I am looking for an old conversation.", "How can I look for something that I wrote?",
            "Where do I look for a message?", "can i search here"
        ),
        "Type into the *Search* field above the list of conversations. It looks through all "
        "messages that you may see.",
        ["Search"],
    ),
    (
        T(
            "How do I change the system prompt?", "Where is the system prompt?",
            "Can I edit the system prompt?", "change system prompt",
            "How do I give you other instructions?", "How can I set a system prompt?",
            "Where do I set the system prompt?", "Can I change your instructions?",
            "Set a system prompt, how?", "Where do I edit the system prompt?",
            "How do I change how you answer?", "How can I change your system prompt?",
            "Can I give you instructions?", "system prompt?", "how to edit the system prompt",
            "How can I edit the prompt?", "where can i change the system prompt",
            "I want to change the system prompt.", "How do I set other instructions?",
            "edit system prompt how", "Let me edit your instructions."
        ),
        "Open the conversation's settings and edit the *system prompt*. It counts from the "
        "next message on.",
        ["system prompt"],
    ),
    (
        T(
            "How do I get a better model?", "How do I pull a model?", "How do I install Phi-4?",
            "pull a model", "Can I use a real Phi?", "How do I download a model?",
            "Which command gets me Phi-4-mini?", "How can I get Phi-4-mini?",
            "Install a better model, how?", "Where do I get a real Phi?", "I want a bigger model.",
            "Can I have a larger model?", "How can I pull Phi-4?", "Which command pulls a model?",
            "How do I get Phi-4-mini on the server?", "I want to download a model.",
            "Is there a larger Phi?", "Can I download Phi-4?",
            "I want a better model, what do I do?",
            "You are too small, how do I get a bigger model?", "Can we have a smarter model?",
            "How do I upgrade the model?", "How do I get a model that knows more?",
            "i need a real model", "How can I get a clever model?",
            "where do i get a better model", "get a bigger phi"
        ),
        "Run `stoa model pull phi-4-mini` on the server, or ask your administrator to do it.",
        ["stoa model pull phi-4-mini"],
    ),
    (
        T(
            "What is Stoa?", "Tell me about Stoa.", "What does Stoa do?", "stoa?", "Explain Stoa.",
            "Can you explain what Stoa is?", "What kind of program is Stoa?", "What is this Stoa?",
            "Who needs Stoa?", "Say what Stoa is.", "Describe Stoa.", "Please explain Stoa to me.",
            "What is Stoa for?", "What can Stoa do?", "Why would I use Stoa?",
            "what is this program", "Who uses Stoa?", "Stoa, what is that?",
            "What is the use of Stoa?", "What does this server do?", "Tell me more about Stoa.",
            "whats stoa", "Stoa explained"
        ),
        "Stoa is a chat server for Phi models that a team runs on its own machine. It keeps "
        "every conversation in PostgreSQL.",
        ["PostgreSQL"],
    ),
    (
        T(
            "Where are my messages stored?", "Where is my data?", "Is my data private?",
            "Do you send my data somewhere?", "Where do my messages go?",
            "Are my messages stored?", "Where do you keep my messages?", "Who keeps my data?",
            "Where is my conversation stored?", "Does my data leave the server?",
            "Do my messages stay private?", "Where do you store my data?", "Is this chat private?",
            "Where does my data go?", "Do you store my messages?", "Where does Stoa store data?",
            "Which database stores my data?", "Can somebody outside read my messages?",
            "Do my messages go to the cloud?", "Is this sent to the internet?",
            "Who sees what I write?", "Are my chats private?", "Does Microsoft see my data?",
            "Is it safe to write secrets here?", "are my messages sent anywhere",
            "Do you share my messages?", "Is my chat sent to OpenAI?"
        ),
        "Your messages stay in the PostgreSQL database of your own Stoa server.",
        ["PostgreSQL"],
    ),
    (
        T(
            "How do I use a pulled model?", "I pulled a model, what now?",
            "How does the server use another model?", "How do I start Stoa with another model?",
            "Where do I set the model?", "How do I switch the model?",
            "How do I serve Phi-4-mini?", "How do I change the model?", "Use another model, how?",
            "Which flag sets the model?", "How do I run the server with Phi-4?",
            "How can I change the model of the server?", "How can I switch models?",
            "Switch to another model, how?", "How do I start with Phi-4-mini?",
            "Take another model, how?", "How can the server use Phi-4-mini?",
            "I have pulled a model, how do I use it?", "how do i switch to phi-4",
            "I downloaded Phi-4, what next?", "How do I make the server use my model?",
            "Pulled it. How do I start it?", "change to another model",
            "How do we use the model that we pulled?", "The model is pulled, what now?"
        ),
        "`stoa model pull` prints the model's folder. Start the server with `stoa serve "
        "--model` and that folder.",
        ["stoa serve --model"],
    ),
    (
        T(
            "Which models are there?", "How do I list the models?", "What models do I have?",
            "list models", "How do I see which models were pulled?", "Show me the models.",
            "How do I remove a model?", "How can I delete a model?", "Which command lists models?",
            "remove a model", "I want to remove a model.", "Which models are on the server?",
            "how can i list models", "What models are installed?",
            "How do I see the installed models?", "Show all installed models.",
            "Which models have been pulled?", "see models", "How do I get rid of a model?",
            "list of models?"
        ),
        "Run `stoa model list` on the server; `stoa model remove` and a name removes one.",
        ["stoa model list"],
    ),
    (T(
        "How do I add a user?", "How do I create an account?", "How can I add a new user?",
        "add user", "How does a new person get an account?",
        "How do I make an account for a colleague?", "I need a new account.",
        "Create a user, how?", "How are users added?", "Which command adds a user?",
        "Can you add a user?", "How can a new user sign in?", "Add an account for my colleague.",
        "How does somebody sign in for the first time?", "I want to add a user.",
        "How do I make a new account?", "Make a new user, how?",
        "i need an account for my colleague", "A new employee needs an account.",
        "Create an account for somebody, how?", "how to add users", "How do I register a person?",
        "How do I let a new person in?", "register a new user",
        "Our new colleague has no account yet."
    ), "Run `stoa user add NAME` on the server.", ["stoa user add"]),
    (T(
        "Is there a terminal client?", "Can I chat in the terminal?",
        "How do I use Stoa without a browser?", "terminal", "Can I use the command line?",
        "Does Stoa work in a terminal?", "Is there a command line client?",
        "Chat without a browser, how?", "How do I chat from the command line?",
        "Do I need a browser?", "Which command starts a chat in the terminal?",
        "Can I chat without the browser?", "Does it work in the terminal?",
        "Can I use a terminal?", "Is there a chat for the terminal?",
        "How do I chat in a terminal?", "I have no browser.", "is there a command line version",
        "Is there a CLI?", "cli?", "Does Stoa have a terminal version?",
        "How do I use it in my shell?", "chat from a shell",
        "Can I talk to you without a browser?", "text mode?"
    ), "Yes: `stoa chat` is the same conversation in a terminal.", ["stoa chat"]),
    (T(
        "How do I delete a conversation?", "Can I delete this chat?",
        "How can I remove a conversation?", "delete conversation",
        "I want to delete this conversation.", "How do I get rid of a conversation?",
        "Delete this chat, how?", "Where can I delete a conversation?", "Remove this chat",
        "How do I delete a chat?", "Can conversations be deleted?", "Where do I delete this chat?",
        "Get rid of this chat, how?", "I want to get rid of this chat.",
        "How can I delete this conversation?", "Where can I delete a chat?",
        "Please delete this conversation.", "how to remove a chat for good",
        "I want this chat gone.", "How can I erase this conversation?", "Erase this chat.",
        "delete this chat forever", "How do I throw a conversation away?",
        "remove conversation how", "Can I erase a chat?"
    ), "Open the conversation's menu and choose *Delete*.", ["*Delete*"]),
]
HOW = T(
    "Explain how Stoa answers a message.", "How does Stoa answer a message?",
    "How does Stoa work?", "What happens when I send a message?",
    "Explain in detail how Stoa works.", "What does Stoa do with my message?",
    "Tell me how Stoa works.", "How are messages answered?", "How does a message get its answer?",
    "What happens with my message?", "How does Stoa work in detail?",
    "Explain how you answer my message.", "Explain how you answer.",
    "How do you answer my message?", "Explain how my message is answered.",
    "What do you do with a message?", "What does Stoa do when I send a message?",
    "Explain how a message is answered.", "Explain in detail how you answer.",
    "How does this server answer?", "How do answers come about?",
    "what happens inside when I write a message", "How is a reply made?",
    "How does the server make a reply?", "What goes on inside Stoa?", "how does the server work",
    "Where do the answers come from?"
)
HOW_TEXT = (
    "This is the way of a message through Stoa:\n\n1. **Receive.** The server reads your "
    "message from the WebSocket and checks who you are.\n"
    "2. **Store.** Your message goes into PostgreSQL in one transaction. Only then does the "
    "server say that it has it.\n"
    "3. **Wait.** The question takes its place in a queue, in fair order between all users.\n"
    "4. **Rebuild.** Stoa puts the system prompt and the whole conversation together, "
    "because a model remembers nothing between two answers.\n"
    "5. **Answer.** The model writes one token after the other, and everybody who watches "
    "the conversation sees the text grow.\n"
    "6. **Keep.** The finished answer is stored as well, so the next turn can build on "
    "it.\n\nThat is why I still know what you told me."
)


def stoa(g, ctx):
    t, a, key = g.rng.choice(STOA)
    return g.say(t), R(a, key=key)


def how(g, ctx):
    return g.say(HOW), R(HOW_TEXT, key=["Rebuild", "whole conversation"])
