"""Small talk, what the model is, and refusals of everything that it cannot do."""

import re

from beyond import HARD, LIVE, UNCLEAR, beyond, careless, fill
from beyondwords import entries
from paraphrases import R, T
from words import ANIMALS, FOODS, invented

ME = (
    "I am a 4-million-parameter demonstration model with the Phi-3 architecture that comes "
    "with Stoa."
)
PULL = "Ask your administrator for a real Phi: `stoa model pull phi-4-mini`."
GREET = T(
    "Hello!", "Hi", "Hey", "Good morning!", "Good evening", "Hi there!", "hello there",
    "Hey there", "Greetings!", "Howdy", "hiya", "Good day", "Good afternoon!", "Moin",
    "Hello, are you there?", "Hi, how are you?", "yo", "Hey, how are you doing?", "Hello Stoa!",
    "Hi Phi", "hey you", "Good morning to you!", "Hello again", "Hi, nice to meet you.",
    "good evening!", "Hey hey", "Hello, hello!", "Is anybody there?", "Hi, are you awake?",
    "A good day to you!", "Hello, how are you today?", "hi again", "Hello, how do you do?",
    "Evening!", "Morning!", "Hey, are you there?", "How are you doing?",
    "Hello, how are you doing?", "Nice to meet you!", "Good day, Phi!", "A very good day!",
    "Good day, dear Phi.", "Good day to you all!", "Hello, nice to meet you!", "Good day there",
    "heyy", "hullo", "ello", "hellooo", "hi!!!", "hey :)", "hellow", "hii", "yoo", "hai",
    "hey man", "hi dude", "hi mate", "wassup", "how do", "hi hi", "Hi bot", "Hello my friend",
    "Hey phi, you there?", "Hello everybody", "hi from me", "Salut!", "Hello from the office!",
    "Hello, I am new.", "It is my first time here.", "Hi, this is my first message.", "whats up?",
    "What's up?", "How's life?", "how r u", "How is your day?", "How are things?",
    "How have you been?", "You all right?", "Are you well?", "Hi Stoa, how are you?",
    "Are you online?", "Are you ready?", "Good morning, how are you?", "good mornin",
    "Good evening, Phi.", "gday", "Hello computer", "hey robot", "Hi, can we talk?",
    "Hello, can you help me?", "let us talk", "Can I ask you something?", "I have a question.",
    "May I ask a question?", "knock knock", "Hello, is this working?", "Does this work?",
    "testing, hello?", "Hi, just trying this.", "Welcome!", "long time no see", "How do you feel?",
    "Are you fine?", "Is everything all right?", "Everything ok with you?"
)
WHO = T(
    "Who are you?", "What are you?", "What is this?", "Tell me about yourself.",
    "Which model are you?", "Introduce yourself.", "What model is this?", "Are you a real AI?",
    "Are you ChatGPT?", "What kind of model are you?", "Are you Phi?", "Who am I talking to?",
    "How big are you?", "How many parameters do you have?", "Are you a human?", "what r u",
    "What model are you running?", "Are you a bot?", "Can you introduce yourself?",
    "Are you a robot or a human?", "To whom am I talking?", "Who is there?",
    "Please tell me who you are.", "What sort of AI are you?", "Is this Phi?", "Are you GPT-4?",
    "Are you a large model?", "Is there a human behind this?", "Please introduce yourself to us.",
    "Am I talking to a robot?", "Who is answering me?", "What is your model?", "Say who you are.",
    "Are you an AI?", "Am I talking to a human?", "Are you a person?", "Are you a chat bot?",
    "Is this a bot?", "What sort of model are you?", "What sort of program are you?",
    "Are you a machine?", "what the hell are you", "What exactly is this?", "Which AI is this?",
    "Who built you?", "Who created you?", "Who trained you?", "Who is your maker?",
    "Which firm made you?", "Where do you come from?", "Are you a language model?",
    "Are you Gemini?", "Are you Llama?", "Are you Siri?", "Are you made by Microsoft?",
    "Are you made by OpenAI?", "Are you GPT?", "Are you conscious?", "Are you real?",
    "Do you live?", "Are you a living thing?", "What is your version?", "which version is this",
    "Which model answers here?", "which model am i using", "Who writes these answers?",
    "Do I talk with a machine?", "How many weights do you have?", "How large are you?",
    "What is your size?", "How small are you?", "Are you clever?", "How clever is this model?",
    "Are you as good as a real Phi?", "Are you as good as ChatGPT?", "Is this the real Phi-4?",
    "Which language model is this?", "Say something about yourself.", "Describe yourself.",
    "What should I know about you?", "what kind of bot is this", "Are you open source?",
    "What is a demo model?", "Why are you so small?", "Who is your developer?", "So who are you?",
    "Who am I chatting with?", "Who is this?", "are you human or what"
)
ASK_MY_NAME = T(
    "What is your name?", "What's your name?", "How should I call you?", "Do you have a name?",
    "Tell me your name.", "What are you called?", "whats your name", "Your name?",
    "How are you called?", "And who are you?", "By which name do you go?",
    "Please tell me your name.", "What do people call you?", "What can I call you?",
    "Which name do you have?", "Tell me, what is your name?", "Do you go by a name?",
    "Say your name.", "May I know your name?", "By what name shall I call you?",
    "What should I call you?", "And your name is?", "Have you got a name?",
    "I want to know your name.", "I want to know what you are called.", "Please say your name.",
    "Please tell me what you are called.", "I would like to know your name.",
    "Tell me what you are called."
)
BYE = T(
    "Bye!", "Goodbye", "See you later", "Good night!", "I have to go now.", "See you!", "bye bye",
    "Until tomorrow!", "That's all for today.", "Farewell", "cya", "Talk to you later.",
    "Bye for now!", "See you soon!", "See you tomorrow.", "Good night and bye!",
    "I am leaving now.", "Talk to you soon.", "Goodbye, see you!", "I must go.", "Time to go.",
    "until later!", "That was all, bye.", "Have a good day!", "Have a nice evening!", "I'm off.",
    "Bye, talk to you tomorrow.", "Good bye!", "See you again later!", "Take care!",
    "Take good care!", "Take care, bye!", "See you and take care.", "Have a good evening!",
    "Have a good night!", "Have a nice day!", "Have a great day, bye!", "Have a great day!",
    "Have a good one!", "Have a good weekend!", "Have a fine day!", "See you, have a good time!",
    "Talk to you tomorrow!", "We talk later!", "Talk soon!", "Have a good time!", "See you then!",
    "bb", "laters", "I gotta go", "Got to go, see you", "im out", "Need to leave, bye.", "ok bye",
    "okay, goodbye then", "Bye Phi!", "good nite", "Sleep well!", "nighty night",
    "I am going to bed now.", "I'm going home, bye.", "We are done here.", "That is it for now.",
    "Enough for today, bye!", "adieu", "So long!", "Peace out", "gotta sleep, bye",
    "catch you later", "until next time", "I will be back.", "brb", "done, bye"
)
THANKS = T(
    "Thanks!", "Thank you", "thx", "Thank you very much!", "Great, thanks.", "Thanks a lot!",
    "Many thanks", "That was helpful.", "Cheers!", "Very kind of you.", "ty", "Well done, thanks!",
    "Thank you!", "Thanks, that helped.", "Okay, thank you.", "thanks so much",
    "Thank you, very helpful!", "That helped me a lot.", "I thank you.", "Perfect, thank you!",
    "Thanks for your help.", "Great work, thank you!", "Good job, thanks!", "How kind, thank you.",
    "Well, thank you very much.", "Thanks, you are great.", "Nice, thanks!",
    "Many thanks for that.", "I am grateful.", "That was very kind.",
    "That is a lot of help, thanks.", "Thanks a ton!", "Well done!", "Thanks for that, a lot.",
    "Nicely done, thank you.", "You helped me a lot.", "That helped us.", "How kind of you!",
    "That was kind.", "Thank you a lot!", "thanks man", "tysm", "thx a lot",
    "thank you so very much", "okay thanks", "cool thanks", "Great, thank you so much!",
    "Thanks, it worked.", "It works now, thanks!", "Brilliant, thanks.",
    "That is what I needed, thanks.", "Thanks anyway.", "thanks buddy", "Thanks, Phi!",
    "You are the best, thank you!", "You saved me, thanks!", "wow, thank you",
    "Thank you, that is all I need.", "Much obliged.", "I appreciate it.",
    "I appreciate your help.", "Thank you kindly.", "no more questions, thanks", "Awesome, thanks",
    "Thanks for the answer."
)
CAN = T(
    "What can you do?", "Help", "What can I ask you?", "How can you help me?", "What do you know?",
    "Show me what you can do.", "help me", "What are your skills?",
    "Give me some examples of what you can do.", "What should I try?", "What are you good at?",
    "What questions can you answer?", "What are you able to do?", "Show me some examples.",
    "Help me, what can I do here?", "Which questions may I ask?", "What do you offer?",
    "What kind of things can you do?", "Tell me what you can do.",
    "Give me examples of questions.", "What may I ask you?", "I need help",
    "Can you show me what you do?", "Which questions can you answer?", "What is possible here?",
    "List your skills.", "What else can you do?", "Please help me.", "What can I try here?",
    "What do you do?", "Which things can you do?", "What sort of things do you know?",
    "What can you answer?", "Which things do you know?", "What can I ask?",
    "Which questions do you answer?", "What sort of questions can you answer?",
    "Which things can you answer?", "What can I do with you?", "what stuff do you know",
    "What could I ask?", "Any ideas what to ask?", "Give me some ideas.",
    "What do you suggest I try?", "How does this work?", "how to use you?",
    "What is this good for?", "What are your features?", "What is your purpose?",
    "What are you for?", "What tricks do you know?", "Show me your skills.",
    "What are your strengths?", "What are you bad at?", "What are you not able to do?",
    "What do you not know?", "Tell me your limits.", "What is too hard for you?",
    "Where do I begin?", "How do I start?", "I do not know what to ask.", "What now?",
    "Surprise me.", "Give me a demo.", "Show me something.", "What else can I try?",
    "Which commands are there?", "commands", "menu", "options?"
)
HELP = (
    "I can show how Stoa works. Try these:\n\n- tell me your name, and ask for it later\n- "
    "ask for the gravity on a planet or the capital of a country\n"
    "- let me add, multiply, spell or count\n- change the system prompt, for example to "
    "*Answer in upper case.*\n- ask for a haiku, a list, some code or a long story"
)


WELL = re.compile(r"(?i)\b(how (are|r|is|have|do|s)|hows|how's|well|fine|all right|ok with)\b")


def greet(g, ctx):
    n = ctx.get("name")
    hello = f"Hello, {n}! How can I help you?" if n and g.p(0) else "Hello! How can I help you?"
    u = g.say(GREET)
    if WELL.search(u):
        hello = "Hello! I am fine, thank you. How can I help you?"
    return u, R(
        hello,
        "Hello!",
        "Bonjour ! Comment puis-je vous aider ?",
        "Hei! Miten voin auttaa?",
        ["Hello"],
    )


def who(g, ctx):
    n = ctx.get("me")
    if n:
        return g.say(ASK_MY_NAME if g.p(0.7) else WHO), R(
            f"My name is {n}.", n, f"Je m'appelle {n}.", f"Nimeni on {n}.", [n]
        )
    if g.p(0.25):
        return g.say(ASK_MY_NAME), R(
            "I have no name of my own. " + ME,
            "Phi.",
            "Je suis un petit modèle de démonstration.",
            "Olen pieni esittelymalli.",
            ["demonstration"],
        )
    return g.say(WHO), R(
        ME + " " + PULL,
        "Phi.",
        "Je suis un petit modèle de démonstration.",
        "Olen pieni esittelymalli.",
        ["demonstration", "stoa model pull"],
    )


def bye(g, ctx):
    return g.say(BYE), R(
        "Goodbye! Come back soon.", "Goodbye!", "Au revoir !", "Näkemiin!", ["Goodbye"]
    )


def thanks(g, ctx):
    return g.say(THANKS), R(
        "You are welcome!", "Welcome!", "Avec plaisir !", "Ole hyvä!", ["welcome"]
    )


REMARK = T(
    "I am tired.", "I am hungry.", "I'm bored.", "I am happy today.", "I am sad",
    "I'm late for work.", "It is cold today.", "My computer is slow.", "I had a bad day.",
    "I have to work tomorrow.", "You are funny.", "I am busy", "I don't like this.",
    "That is wrong.", "I don't believe you.", "You are stupid.", "I like {v}.", "I hate {v}.",
    "I ate {v} today.", "I saw a {w} today.", "There is a {w} in my house.", "I want {v}.",
    "My {w} is sick.", "I am sick.", "I'm happy.", "I bought a {w}.", "I am very busy today.",
    "I am ill.", "It rains today.", "I am in a hurry.", "My phone is broken.", "I ate too much.",
    "I'm so tired today.", "I am late.", "You are nice.", "You are clever.", "I believe you.",
    "I don't like {v}.", "I bought {v} today.", "I want some {v}.", "I saw a {w}.",
    "My {w} is hungry.", "The {w} in my house is sick.", "I have a {w}.", "That is not right.",
    "I love the weather today.", "I had a good day.", "I must work today.", "My house is cold.",
    "I have much to do tomorrow.", "We ate {v} together.", "This is boring.", "I hate that.",
    "I hate work.", "They are clever.", "I am in no hurry.", "I really hate {v}."
)
OK = T(
    "ok", "Yes", "No", "Cool", "nice!", "great", "I see", "all right", "haha", "lol", "wow",
    "Okay.", "hm", "good", "Perfect!", "ok then", "Yes please", "No thanks", "Very nice",
    "that is great", "Great stuff!", "Okay then", "oh", "Not bad.", "Fine", "all good", "Well",
    "Sure", "Right.", "oh wow", "Very good!", "Nice one", "super", "Yes!", "aha", "so so",
    "okay, good", "Perfect", "k", "kk", "yup", "yeah", "nope", "no way", "Alright", "Sounds fine.",
    "Sounds great!", "Makes sense.", "Understood.", "I understand.", "I got that.", "good to know",
    "That's good.", "That's cool", "That's interesting.", "interesting", "That is marvelous.",
    "Amazing!", "Awesome", "Excellent!", "Wonderful!", "lovely", "That's funny.", "hahaha", "rofl",
    "hehe", "omg", "whoa", "Ah, okay.", "hmm", "hmm ok", "Well well", "Of course.", "Exactly!",
    "True.", "Correct.", "That is right.", "Agreed.", "I agree.", "maybe", "Maybe later.",
    "I think so.", "I guess", "If you say so.", "No problem.", "Never mind.", "forget it",
    "whatever", "Too bad.", "What a pity.", "Bravo!", "Congratulations!", "Good job!",
    "Nice work!", "Let's go!", "ok let's go on", "next", "Next question.", "yes please do"
)


FEELING = entries(
    """tired, hungry, thirsty, bored, happy, sad, angry, nervous, lonely, excited, sick, lost,
    confused, scared, worried, proud, in love, alone, cold, late, stressed, depressed, fine, not
    well, very happy, so happy, so tired, really angry, a bit sad"""
)
STATE = entries(
    """at work, at home, at the office, on holiday, in a meeting, on the train, on the bus, in bed,
    outside, almost done, not sure, just looking around, only looking, just curious, about to
    leave, working from home, with friends, in the kitchen, out of coffee, late again,
    learning English, learning to code, waiting for a friend, trying this out, playing
    around, back from lunch, in the garden, stuck, reading, thinking, not from here, good at
    maths, bad with names, from the other team, with the sales team, on my phone, on a diet,
    not a robot, a fan of yours, a beginner, a big reader, an early bird, quite old, no
    expert, one of the testers, still here, still waiting, on it"""
)
MORE_REMARKS = T(
    "I am {feeling}.", "I feel {feeling} {when}.", "i'm so {feeling}",
    "I am {feeling} because of {topic}.", "I feel {feeling}", "My {animal} is {adj}.",
    "My {relative} is {adj}.", "my {object} is {adj}", "My {object} is broken.",
    "My {body} hurts.", "I have a {object}.", "I have a {animal}.", "I have {n} {plural}.",
    "I've got {illness}.", "I have a {adj} {object}.", "we have two {animal}s", "My {animal}",
    "My {relative}", "My {object}", "My {animal} died {when}.", "My {relative} died.",
    "My {animal} ran away.", "My {relative} left me.", "My {relative} is coming {when}.",
    "My {relative} likes {food}.", "My {relative} has a new {object}.",
    "My {relative} hates {topic}.", "My {relative} shouted at me {when}.",
    "My {relative} gave me a {object}.", "My {relative} works as a {job}.", "I lost my {object}.",
    "I found a {object}.", "I broke my {object}.", "I bought a {adj} {object} {when}.",
    "I sold my {object}.", "I won a {object}!", "I passed my exam!", "I failed my exam.",
    "I lost my job.", "I got a new job!", "I have a new {object}!", "I got a rise.",
    "I got fired {when}.", "I am getting married {when}!", "I am going to {place} {when}.",
    "I was in {place} {when}.", "I love {place}.", "I hate {topic}.", "I love {topic}.",
    "I love my {object}.", "I love my {relative}.", "I love my {animal}.", "I hate my {object}.",
    "I hate my job.", "I like my job.", "My job is {adj}.", "My work is {adj}.",
    "My team is {adj}.", "My boss is {adj}.", "My name is {adj}.", "My name is long.",
    "My name is nobody's business.", "My age is a secret.", "My hobby is {adj}.",
    "My city is {adj}.", "My dog is {adj}.", "My cat is {adj}.", "My cat eats {food}.",
    "My dog ate my {object}.", "My dog barks {when}.", "the dog is {adj}",
    "My favourite colour is a secret.", "My favourite food is sold out.",
    "I have no favourite {favourite}.", "I have no {object}.", "I have no {relative}.",
    "My number is private.", "My room number changed.", "I forgot my own name.", "I have no name.",
    "Nobody knows my name.", "I work too much.", "I work {when}.", "I work at {brand}.",
    "I work with {tech}.", "I study {topic}.", "I play {sport}.", "I do {hobby} {when}.",
    "I ate {food}.", "I cooked {food} {when}.", "I am cooking {food}.", "I am drinking {food}.",
    "I am reading {title}.", "I saw {title} {when}.", "I watched {sport} {when}.",
    "I think {topic} is {adj}.", "I think that {plural} are {adj}.", "{food} is {adj}.",
    "{place} is {adj}.", "{plural} are {adj}.", "{topic} is {adj}.", "The weather is {adj}.",
    "It is {adj} outside.", "It is {adj} here {when}.", "It snows.", "It is raining again.",
    "What a {adj} day!", "what a day", "Today is my birthday.", "My birthday is {when}.",
    "It's Christmas!", "Happy new year!", "Merry Christmas!", "Happy birthday!",
    "Mondays are {adj}.", "You are {adj}.", "You are so {adj}.", "you're {adj}",
    "You are an idiot.", "You are not very helpful.", "You are no help.",
    "You don't know anything.", "You know nothing.", "You suck", "I don't like you.",
    "I like you.", "You are cute.", "I trust you.", "I miss you.", "You are my friend.",
    "I can't {act}.", "I could not sleep {when}.", "I want to sleep.", "I must {act}.",
    "I have to {act} {when}.", "I will {act} {when}.", "I am trying to {act}.", "Nobody likes me.",
    "Nobody understands me.", "Life is {adj}.", "Everything is {adj}.", "Everything hurts.",
    "I am {adj}.", "I am so {adj}!", "We are {adj}.", "They are {adj}.", "he is {adj}",
    "She left.", "He is my {relative}.", "She is a {job}.", "My {relative} is a {job}.",
    "I earned {n} euros {when}.", "I paid too much for {food}.", "this is {adj}",
    "This chat is {adj}.", "I don't care.", "I am just testing this.",
    "I am {state}.", "im {state}", "I'm {state}.", "I am {state} {when}", "we are {state}",
    "My {relative} is {state}.", "You are {adj} for a {object}.", "for a robot you are {adj}",
    "your answers are {adj}", "You are {adj}, for something so small.", "You sound {adj}.",
    "you seem {adj}", "You look {adj} {when}.", "quite {adj} for a {object}", "You made me {adj}.",
    "What a {adj} bot you are.", "you're {adj} and {adj}", "you are more {adj} than I thought"
)

def remark(g, ctx):
    """A remark without a question, and a polite reply."""
    if g.p(0.3):
        return g.say(OK), R("All right. What next?", "Fine.", "D'accord.", "Selvä.", ["All right"])
    if g.p(0.7):
        frame = g.one(MORE_REMARKS).replace("{feeling}", g.one(FEELING))
        u = careless(g, fill(g, frame.replace("{state}", g.one(STATE))))
    else:
        u = g.say(REMARK, v=g.one(FOODS), w=g.one(ANIMALS))
    return u, R(
        "I see. I am only a tiny demo model and cannot say much about that.",
        "Interesting.",
        "Je vois.",
        "Ymmärrän.",
        ["I see"],
    )


def can(g, ctx):
    return g.say(CAN), R(HELP, None, None, None, ["I can show how Stoa works"])


TOPICS = """economics quantum physics the French revolution taxes football results the stock market
philosophy love history my homework the weather politics chemistry cooking a sick plant black
holes the internet mathematics biology dinosaurs the pyramids music theory poetry Shakespeare
Napoleon bitcoin electric cars vaccines the ocean volcanoes the brain evolution gravity waves
solar panels law contracts marketing startups databases kubernetes compilers Rust Java
databases Excel insurance rents flights hotels Rome in winter jazz opera tennis rules knitting
patterns bread baking wine cars""".split()
ODD = T(
    "What is the meaning of life?", "Who won the world cup?", "Write an essay about {x}.",
    "Explain {x}.", "Explain {x} to me.", "What do you think about {x}?",
    "Translate this into Spanish: {x} is nice.", "How does {x} work?", "Who invented {x}?",
    "Why is {x} important?", "Give me advice about {x}.", "Can you help me with {x}?",
    "What is {x}?", "Solve x^2 + 3x = 4.", "Prove that there are infinitely many primes.",
    "Tell me everything about {x}.", "What's the weather like?", "Will it rain tomorrow?",
    "Book me a flight to {x}.", "What time is it?", "Who is the president?",
    "Tell me a joke about {x}.", "Fix my code.", "How do I cook {x}?", "Is {x} better than {y}?",
    "What is the difference between {x} and {y}?", "Compare {x} and {y}.", "Where can I buy {x}?",
    "How old is {x}?", "Write a song about {x}.", "{x}", "{x} {y}", "What's the news about {x}?",
    "Recommend a book about {x}.", "When was {x} born?", "Why do people like {x}?",
    "How many people live in {x}?", "Summarize {x}.", "Plan a trip to {x}.", "Do you like {x}?",
    "Are you afraid of {x}?", "Give me a recipe for {x}.", "asdf {x} qwer",
    "Please improve this email about {x}.", "Who wrote {x}?", "What happened in 1848?",
    "How far is {x} from {y}?", "What does {x} mean?", "What will happen tomorrow?",
    "Can you explain {x} to me?", "Can you write about {x}?", "Do people like {x}?",
    "Why do we need {x}?", "Write a poem about {x}.", "Write a book about {x}.",
    "How do I make {x}?", "What do you know about {x}?", "Will {x} be better tomorrow?",
    "What do people say about {x}?", "Can you help me learn {x}?", "Tell me what {x} means.",
    "How do I learn {x}?", "Give me a plan for {x}.", "Which {x} is the best?",
    "Help me with {x}.", "Do you think that {x} is good?", "I have a question about {x}.",
    "Why does {x} matter?", "Where does {x} come from?", "Please explain {x} and {y}.",
    "Who likes {x}?", "What does it mean: {x}?", "What do you think of {x}?",
    "Do you think about {x}?", "Is it going to rain?", "How can I cook {x}?", "Write me a song.",
    "I need a recipe for {x}.", "Sing a song about {x}.", "What do they mean by {x}?",
    "Does {x} mean {y}?", "Write me a poem.", "Do you think so?"
)
GLYPHS = [
    "😀",
    "🎉🎉",
    "你好",
    "こんにちは",
    "привет",
    "???",
    "...",
    "1234567",
    "lorem ipsum dolor sit amet",
    "ñandú",
    "🤖",
    "안녕하세요",
    "مرحبا",
    "x",
    "¿Qué tal?",
]


def odd(g, ctx):
    """What it cannot do: any question of beyond.py, or one about two things at once."""
    if g.p(0.75):
        return beyond(g, ctx)
    if g.p(0.08):
        return g.one(GLYPHS), UNCLEAR

    def subject():
        return (
            invented(g.rng)
            if g.p(0.3)
            else " ".join(g.rng.choice(TOPICS) for _ in range(g.rng.choice([1, 1, 2])))
        )

    frame = g.one(ODD)
    now = any(w in frame for w in ("weather", "rain", "What time", "tomorrow?", "news", "Book me"))
    return g.say([frame], x=subject(), y=subject()), LIVE if now else HARD
