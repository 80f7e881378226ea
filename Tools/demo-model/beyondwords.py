"""The words that fill the frames of beyond.py.

Commas separate the entries; an entry may have slots of its own.
"""


def entries(text):
    """The entries of a list with commas, each on one line."""
    return [" ".join(part.split()) for part in text.split(",") if part.strip()]


ANIMALS = """
dog, cat, horse, cow, spider, snake, shark, whale, bat, mosquito, bee, ant, lion, tiger, elephant,
giraffe, zebra, monkey, gorilla, penguin, owl, eagle, parrot, pigeon, duck, goose, swan, frog, toad,
lizard, crocodile, turtle, salmon, octopus, squid, crab, snail, worm, butterfly, moth, fly, rat,
mouse, hamster, rabbit, hedgehog, squirrel, fox, wolf, bear, panda, koala, kangaroo, camel, sheep,
goat, pig, chicken, turkey, deer, moose, seal, dolphin, jellyfish, beetle, wasp, llama, donkey,
otter, badger, cheetah, leopard, hippo, rhino, ostrich
"""
OBJECTS = """
car, bike, bridge, tower, clock, phone, laptop, printer, fridge, oven, washing machine, lamp, chair,
table, sofa, bed, mirror, window, door, roof, wall, garden, tree, flower, house, flat, room,
kitchen, boat, ship, plane, train, bus, tram, truck, rocket, satellite, camera, microscope,
telescope, battery, engine, pump, heater, guitar, piano, violin, drum, book, newspaper, letter, pen,
pencil, knife, fork, spoon, plate, cup, glass, bottle, bag, backpack, suitcase, coat, jacket, shirt,
dress, shoe, hat, sock, glove, umbrella, ring, watch, wallet, key, lock, ticket, passport, contract,
invoice, report, meeting, project, computer, keyboard, screen, monitor, router, cable, charger,
tablet, headset, microphone, speaker, television, radio, drone, robot, tent, sleeping bag, carpet,
curtain, pillow, blanket, towel, shower, bathtub, sink, toilet, tap, pipe, drill, hammer, saw,
screw, nail, ladder, lawn mower, wheel, tyre, brake, mattress, vacuum cleaner, dishwasher, coffee
machine, toaster, kettle, pan, pot
"""
PLURALS = """
cats, dogs, birds, fish, bees, ants, spiders, snakes, sharks, whales, cows, horses, trees, flowers,
plants, leaves, mushrooms, stars, planets, comets, clouds, volcanoes, mountains, rivers, deserts,
islands, cities, bridges, cars, trains, planes, ships, rockets, robots, computers, phones,
batteries, magnets, lasers, engines, clocks, banks, schools, hospitals, lawyers, doctors, teachers,
politicians, children, babies, teenagers, women, men, people, kings, pyramids, castles, churches,
museums, books, films, songs, games, dreams, bones, muscles, teeth, eyes, germs, viruses, vaccines,
drugs, vitamins, eggs, apples, onions, potatoes, tomatoes, grapes, nuts, cakes, ghosts, witches,
dragons, vampires, aliens, diamonds, metals, crystals, waves, storms, tides, seasons, taxes, laws,
wars, elections, shares
"""
DO = """
fly, swim, sing, sleep, hunt, bite, jump, run, shine, fall, grow, die, move, float, sink, burn,
melt, break, explode, cry, laugh, smell, sweat, yawn, dream, change colour, lose leaves, make honey,
live so long, cost so much, get old, eat grass, hate water, like milk, see in the dark, sleep all
day, bark, howl, chirp, bury bones, lay eggs
"""
PLACES = """
Paris, London, Berlin, Rome, Madrid, Lisbon, Vienna, Prague, Oslo, Stockholm, Helsinki, Tampere,
Dublin, Moscow, Istanbul, Cairo, Lagos, Nairobi, Cape Town, Dubai, Mumbai, Delhi, Bangkok,
Singapore, Hanoi, Beijing, Shanghai, Seoul, Osaka, Sydney, Auckland, New York, Boston, Chicago,
Miami, Dallas, Seattle, Toronto, Montreal, Mexico, Lima, Rio, Buenos Aires, France, Germany, Italy,
Spain, Portugal, Poland, Greece, Turkey, Egypt, Kenya, Nigeria, Ethiopia, Iran, Iraq, India, Nepal,
Thailand, Vietnam, Japan, Korea, Australia, New Zealand, Canada, Brazil, Peru, Chile, Argentina,
Iceland, Greenland, Norway, Sweden, Finland, Denmark, Scotland, Wales, Ireland, Europe, Asia,
Africa, America, Antarctica, the Alps, the Sahara, the Amazon, the Black Sea, the North Pole, the
Vatican, Hawaii, California, Texas, Alaska, Siberia, Tibet, Bavaria, Sicily, Crete, Venice, Naples,
Munich, Hamburg, Zurich, Geneva, my town, space
"""
PERSONS = """
Napoleon, Caesar, Cleopatra, Mozart, Beethoven, Bach, Picasso, Van Gogh, Einstein, Newton, Darwin,
Marie Curie, Tesla, Galileo, Plato, Socrates, Aristotle, Kant, Nietzsche, Marx, Lenin, Gandhi,
Mandela, Lincoln, Washington, Kennedy, Churchill, Queen Victoria, Obama, Merkel, Putin, Macron, the
pope, the king of England, the chancellor, the mayor of {place}, the boss of {brand}, Bill Gates,
Steve Jobs, Taylor Swift, Madonna, Michael Jackson, Elvis, the Beatles, Queen, Adele, Beyonce,
Messi, Ronaldo, Federer, Tom Hanks, Brad Pitt, Harry Potter, Batman, Superman, Sherlock Holmes,
Robin Hood, Columbus, Magellan, Kafka, Goethe, Tolstoy, Tolkien, Agatha Christie, Hemingway, Homer,
Buddha, Jesus, Moses, Alan Turing, Ada Lovelace, Linus Torvalds, my neighbour, the author of {title}
"""
TITLES = """
Hamlet, Macbeth, the Bible, Faust, Moby Dick, Don Quixote, War and Peace, The Hobbit, Dune, Star
Wars, Star Trek, Titanic, Avatar, The Matrix, Frozen, Shrek, Casablanca, Jaws, Alien, The Godfather,
Friends, Lost, Breaking Bad, Yesterday, Imagine, Hey Jude, Thriller, Bohemian Rhapsody, the ninth
symphony, the Magic Flute, Emma, Dracula, Frankenstein, Ulysses, Animal Farm, Brave New World, the
Odyssey, Alice in Wonderland, Peter Pan, Pinocchio
"""
TOPICS = """
gravity, electricity, magnetism, evolution, inflation, democracy, capitalism, socialism, climate
change, global warming, nuclear power, solar energy, wind power, quantum physics, relativity, black
holes, the big bang, dark matter, atoms, molecules, cells, genes, proteins, enzymes, bacteria,
cancer, diabetes, the immune system, the heart, the brain, sleep, memory, psychology, philosophy,
logic, ethics, religion, yoga, meditation, music, jazz, opera, poetry, grammar, history, geography,
economics, the stock market, interest rates, mortgages, taxes, insurance, pensions, bitcoin, money,
work, stress, burnout, happiness, love, marriage, divorce, friendship, parenting, school,
university, homework, exams, football, tennis, chess, cooking, baking, gardening, fishing, hiking,
travel, fashion, art, painting, photography, cinema, theatre, video games, machine learning,
artificial intelligence, neural networks, language models, databases, the internet, encryption,
passwords, privacy, social media, advertising, marketing, startups, management, leadership, agile
work, remote work, statistics, algebra, geometry, calculus, trigonometry, prime numbers,
probability, chemistry, acids, oxygen, carbon, iron, gold, plastic, recycling, water, rain, snow,
thunder, earthquakes, tsunamis, volcanoes, dinosaurs, fossils, the ice age, the Middle Ages, the
Renaissance, colonialism, slavery, human rights, justice, crime, prisons, the police, elections,
parliaments, the constitution, migration, poverty, hunger, war, peace, time travel, magic,
astrology, dreams, ghosts, vegan food, coffee, tea, wine, beer, cheese, chocolate, sugar, salt
"""
FOODS = """
pasta, pizza, rice, soup, salad, bread, cake, cookies, muffins, waffles, omelette, scrambled eggs,
fried chicken, roast beef, steak, meatballs, burgers, fries, mashed potatoes, goulash, curry, chili,
tacos, burritos, sushi, ramen, dumplings, spring rolls, fried rice, paella, risotto, gnocchi, pesto,
carbonara, moussaka, hummus, falafel, kebab, salmon, tuna, shrimps, mussels, tofu, lentils, beans,
peas, carrots, broccoli, spinach, cabbage, mushrooms, onions, garlic, pumpkin, zucchini, avocado,
tomato sauce, apple pie, cheesecake, tiramisu, ice cream, pudding, jam, honey, yoghurt, porridge,
granola, lemonade, iced tea, hot chocolate, coffee, mulled wine, beer, milk, butter, cheese
"""
ACTS = """
buy a house, sell my {object}, rent a flat, move to {place}, travel to {place}, learn {tongue},
learn to swim, learn to drive, lose ten kilos, run a marathon, stop smoking, drink less, eat less
sugar, sleep more, get up earlier, save money, ask my boss for a rise, change my job, start a
company, write a book, paint my {object}, build a {object}, fix my {object}, clean the {object},
find a {job}, find a partner, get married, have children, adopt a {animal}, call my {relative},
forgive {friend}, plant {food}, bake {food}, cook {food}, cut my hair, grow a beard, buy a {object},
return a {object}, throw away my {object}, wash a {object}, pack for {place}, prepare for {event},
celebrate {event}, study {topic}, read {title}, see {title}, play the {object}, climb a mountain,
sail to {place}, drive to {place}, take a taxi, fly to {place}, pay my taxes, open a bank account,
invest in {brand}, cancel a contract, complain about a {object}, sue my {relative}, vote, pray,
dance, sing, juggle, ride a horse, tell the truth
"""
SLOTS = {
    "animal": entries(ANIMALS),
    "object": entries(OBJECTS),
    "plural": entries(PLURALS),
    "do": entries(DO),
    "place": entries(PLACES),
    "person": entries(PERSONS),
    "title": entries(TITLES),
    "topic": entries(TOPICS),
    "food": entries(FOODS),
    "act": entries(ACTS),
    "thing": entries(
        """the sea, the ocean, the desert, the moon, the universe, fire, ice, glass, blood, fog, a
        rainbow, the wind, the Great Wall, the Titanic, the Colosseum, the Eiffel Tower, the
        Nile, the Danube, Lake Baikal, the Grand Canyon, the ozone layer, an atom, a cell, a
        virus, a star, a comet, a volcano, a tornado, a glacier, autumn, winter, a diamond, the
        internet, a black hole"""
    ),
    "event": entries(
        """the French revolution, the Second World War, the First World War, the cold war, the moon
        landing, the fall of the Berlin wall, the world cup, the Olympic games, the last
        election, the plague, the Vietnam war, the battle of Waterloo, the industrial
        revolution, Christmas, Easter, Ramadan, Halloween, New Year, the wedding, the party, the
        exam, the marathon, Brexit"""
    ),
    "job": entries(
        """teacher, nurse, doctor, lawyer, judge, engineer, plumber, electrician, baker, butcher,
        cook, waiter, pilot, sailor, soldier, farmer, gardener, painter, singer, actor, writer,
        poet, journalist, scientist, chemist, dentist, vet, priest, manager, accountant,
        programmer, designer, architect, driver, tailor, hairdresser, boss, landlord, customer,
        colleague, notary"""
    ),
    "relative": entries(
        """mother, father, mum, dad, brother, sister, son, daughter, wife, husband, girlfriend,
        boyfriend, uncle, aunt, cousin, grandmother, grandfather, friend, best friend,
        neighbour, boss, colleague, teacher, child, roommate, ex"""
    ),
    "friend": entries(
        """Anna, Tom, Maria, Peter, Lisa, Mike, Ben, Sara, Lucas, Mia, my mother, my boss, my
        sister, my team, our customer, my brother, my landlord, my teacher, my doctor, my uncle,
        my wife, my husband, everybody"""
    ),
    "body": entries(
        """head, back, neck, knee, foot, hand, arm, leg, stomach, tooth, eye, ear, shoulder,
        throat, chest, hip, finger, toe"""
    ),
    "illness": entries(
        """a cold, the flu, a cough, fever, a sore throat, back pain, a toothache, a migraine, an
        allergy, a rash, a burn, a hangover, insomnia, anxiety, a broken arm, high blood
        pressure, asthma, nausea, cramps, sunburn, a bee sting"""
    ),
    "shop": entries(
        """supermarket, bakery, pharmacy, bank, post office, library, museum, gym, restaurant,
        café, hotel, school, hospital, station, airport, swimming pool, cinema, bookshop,
        butcher, florist, petrol station, garage, pub, bar, market, zoo, shop"""
    ),
    "hobby": entries(
        """drawing, knitting, running, swimming, sailing, skiing, climbing, cycling, boxing,
        dancing, surfing, diving, archery, woodworking, pottery, calligraphy, painting, chess,
        poker, golf, karate, judo, riding, singing, blogging, birdwatching, yoga, smoking"""
    ),
    "when": entries(
        """today, tomorrow, tonight, this week, next week, next month, on Sunday, on Monday, on
        Friday, yesterday, last week, in summer, in winter, this evening, at noon, next year, on
        my birthday, at the weekend, at night, in May, in December, last year, right now"""
    ),
    "team": entries(
        """Liverpool, Arsenal, Real Madrid, Barcelona, Bayern, Ajax, the Lakers, the Yankees,
        Finland, Brazil, Germany, our team, Juventus"""
    ),
    "sport": entries(
        """football, tennis, hockey, basketball, baseball, handball, rugby, cricket, golf, boxing,
        chess, poker, volleyball"""
    ),
    "brand": entries(
        """Google, Apple, Microsoft, Amazon, Facebook, Tesla, Nokia, Samsung, Sony, Toyota,
        Volkswagen, Ikea, Nike, Adidas, Lego, Netflix, Spotify, YouTube, Instagram, TikTok,
        LinkedIn, Wikipedia, Uber, Airbnb, Coca-Cola, Pepsi, Nestle, OpenAI, Anthropic, Gemini,
        Llama, Mistral, Windows, Linux, Android, Firefox, Chrome, Outlook, Teams, Zoom,
        WhatsApp, Signal, Discord"""
    ),
    "tech": entries(
        """Docker, Kubernetes, Linux, Windows, Ubuntu, Debian, Excel, Word, PowerPoint, Outlook,
        Photoshop, VS Code, Vim, Emacs, Git, GitHub, Postgres, MySQL, MongoDB, Redis, Kafka,
        nginx, Apache, Node, React, Vue, Angular, Django, Flask, Spring, TensorFlow, PyTorch,
        pandas, CUDA, HTML, CSS, JSON, XML, YAML, HTTP, TCP, DNS, SSH, VPN, WLAN, USB, RAM, CPU,
        GPU, SSD, API, SQL, NATO, UNESCO, WebSocket, OAuth, a firewall, a cloud, my mail program"""
    ),
    "lang": entries(
        """Java, JavaScript, TypeScript, C, C++, C#, Go, Ruby, PHP, Perl, Kotlin, Scala, Haskell,
        Lisp, Lua, R, Julia, Fortran, Cobol, Bash, assembler, Dart, Elixir, Erlang, Zig, Pascal,
        Basic, Matlab, HTML, CSS, OCaml, Prolog, PowerShell"""
    ),
    "codeact": entries(
        """sort a list, read a file, write to a file, parse JSON, parse a date, send an email,
        download a page, open a socket, reverse a string, find the largest number, remove
        duplicates, count words, draw a circle, compute a mean, connect to a database, join two
        tables, delete old rows, resize pictures, generate passwords, encrypt a text, start a
        thread, handle errors, test a class, make a list of files, log in a user, build a
        website, scrape a shop, plot a graph, check a palindrome, compute Fibonacci numbers,
        solve a sudoku, play tic tac toe"""
    ),
    "cs": entries(
        """pointer, hash table, linked list, binary tree, stack, queue, closure, generator,
        decorator, mutex, thread, process, deadlock, compiler, interpreter, linker, virtual
        machine, container, load balancer, cache, transaction, index, foreign key, regular
        expression, monad, class"""
    ),
    "error": entries(
        """TypeError: x is not a function, NullPointerException, index out of range, connection
        refused, permission denied, file not found, 404 not found, out of memory, syntax error
        near line {n}, undefined reference to main, fatal: not a git repository, command not
        found: {word}, ImportError: no module named {word}, broken pipe, kernel panic, error
        code {huge}, access violation, segfault at 0"""
    ),
    "snippet": entries(
        """for (i = 0; i < {n}; i++), x = [i for i in range({n})], if a == b: return c, SELECT
        {word} FROM {word}, let x = {n};, printf("{word}"), while true do, def {word}(): pass,
        int main() { return 0; }, $x = $y + {n};, print({word}), console.log({word}), a = b or
        c, rm -rf {word}, ls -la | grep {word}"""
    ),
    "tongue": entries(
        """German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Finnish, Norwegian,
        Danish, Polish, Czech, Russian, Greek, Turkish, Arabic, Hebrew, Hindi, Chinese,
        Japanese, Korean, Thai, Vietnamese, Latin, Esperanto, Estonian, Hungarian, Irish,
        Ukrainian, Swahili, English"""
    ),
    "foreign": entries(
        """merci, hola, ciao, danke, gracias, adios, guten Tag, bonne nuit, la maison, der Hund,
        das Wetter, te quiero, je t'aime, ich liebe dich, carpe diem, ad hoc, kiitos, terve,
        sauna, tack, hej, obrigado, spasibo, sayonara, arigato, namaste, salam, shalom, faux
        pas, deja vu, Schadenfreude, c'est la vie"""
    ),
    "word": entries(
        """hello, goodbye, please, house, water, bread, love, friend, cat, dog, mother, father,
        school, work, money, happy, sad, beautiful, big, small, red, blue, summer, winter,
        morning, night, table, window, street, city, country, world, time, year, book, letter,
        number, question, answer, music, silver, month, purple, cheese, apple, orange, coffee,
        sugar, river, mountain, island, castle, garden, flower, banana split, listening, rhythm,
        knowledge, necessary"""
    ),
    "small": entries(
        """a, an, as, at, by, he, she, her, his, him, us, our, was, were, had, has, do, did, than,
        them, these, those, such, some, any, each, every, both, few, many, most, other, so
        that, too, only, also, still, just, very, about, above, after, again, because of,
        down, up, from, into, off, over, under, until, while, then, and, or, but, if, is,
        it, this, that, here, there, now, never, maybe, someone, nothing, something, one,
        two, yes and no, more, less, my, your, we, they, when, where, who, how, which,
        because, of, with, without, to be, word, thing, stuff, test test, testing, again and
        again, xyz, abc, foo, hmm what, eh, huh, help what"""
    ),
    "verb": entries(
        """run, walk, eat, drink, sing, write, read, think, go, stop, wait, sleep, open, close,
        show, make, print, list, count, say, tell, show me, give, take, search, find, delete,
        send, call, play, start, end, save, load, calculate, translate, explain, answer, talk,
        listen, draw, define, compare, reverse, add"""
    ),
    "adj": entries(
        """good, bad, big, small, red, green, tall, short, fast, slow, rich, poor, dangerous,
        healthy, expensive, cheap, famous, popular, important, boring, lazy, weird, funny,
        stupid, clever, happy, sad, angry, nice, rude, old, young, cold, hot, sweet, salty,
        bitter, loud, quiet, dark, bright, wet, dry, round, flat, strong, weak"""
    ),
    "abstract": entries(
        """serendipity, irony, empathy, integrity, entropy, hypothesis, paradox, metaphor, analogy,
        altruism, karma, nostalgia, hubris, dignity, freedom, courage, wisdom, patience,
        ambiguous, arbitrary, obsolete, pragmatic, redundant, resilient, sustainable, tangible,
        ubiquitous, verbose, idempotent, asynchronous, deprecated"""
    ),
    "favourite": entries(
        """colour, food, film, book, song, band, animal, city, country, number, word, joke, season,
        sport, team, game, drink, place, language, day"""
    ),
    "sentence": entries(
        """I has two dog, he go to school yesterday, the weather are nice, she don't like it, we
        was late, it's color is red, i am agree, the car is broken and we are sad, please come
        to the office tomorrow, the train was late again, I would like to complain, our sales
        rose by ten percent, nobody knows what happened, my {relative} likes {food}, the
        {animal} is {adj}, I want to {act}, {friend} went to {place}, where is the {object}, all
        {plural} {do}, I am learning {tongue}, the {object} is on the {object}, two {plural} and
        a {animal} cross the street, everything was {adj} and {adj}, it was a dark and stormy
        night"""
    ),
    "nocapital": entries(
        """Nigeria's neighbour, Texas, California, Bavaria, Scotland, Wales, Catalonia, Quebec,
        Ontario, Florida, Ohio, New York State, Sicily, Lapland, Argentina, Bolivia, Colombia,
        Ecuador, Venezuela, Uruguay, Paraguay, Jamaica, Haiti, Panama, Honduras, Algeria,
        Tunisia, Libya, Sudan, Ethiopia, Somalia, Uganda, Tanzania, Zambia, Zimbabwe, Angola,
        Namibia, Botswana, South Africa, Senegal, Mali, Niger, Chad, Cameroon, Congo, Rwanda,
        Madagascar, Saudi Arabia, Yemen, Oman, Iraq, Syria, Jordan, Lebanon, Israel, Qatar,
        Pakistan, Afghanistan, Nepal, Bhutan, Bangladesh, Sri Lanka, Myanmar, Laos, Cambodia,
        Malaysia, Indonesia, the Philippines, Taiwan, North Korea, South Korea, Kazakhstan,
        Uzbekistan, Georgia, Armenia, Azerbaijan, Belarus, Moldova, Bulgaria, Serbia, Slovenia,
        Slovakia, Bosnia, Albania, Malta, Cyprus, Luxembourg, Monaco, Andorra, Fiji, Samoa, New
        Zealand, Greenland, Europe, Africa, Asia, the USA, the UK, England, the Netherlands,
        Narnia, Gondor, Mordor, Wakanda, the moon, Mars, my country, the world, Rome, Paris,
        Tokyo"""
    ),
    "nocapitalcity": entries(
        """Buenos Aires, Bogota, Caracas, Algiers, Tunis, Pretoria, Baghdad, Damascus, Kabul,
        Manila, Jakarta, Seoul, Sofia, Belgrade, Bratislava, Minsk, London, Washington, New
        York, Munich, Milan, Lyon, Kyoto"""
    ),
    "nogravity": entries(
        """the Sun, Titan, Europa, Io, Ganymede, Ceres, Charon, a black hole, a neutron star, a
        comet, an asteroid, Proxima, Alpha Centauri, the Milky Way, the space station, Phobos,
        Vulcan, Krypton, Tatooine, Everest, Paris, my table, the ground, a {object}, Eris,
        Callisto, Triton, Sirius, an exoplanet"""
    ),
    "noopposite": entries(
        """Monday, Thursday, March, banana, pizza, bread, table, water, blue, orange, yellow,
        seven, zero, music, a cat, a horse, Finland, Berlin, the sea, the moon, physics,
        science, justice, socialism, irony, gravity, a question, tea, salt, chocolate, Tuesday
        morning, my {relative}, the {object}, a {job}, {plural}, {food}, {topic}, {tongue}"""
    ),
    "opposite": entries(
        """cold, big, small, fast, slow, up, down, good, bad, light, dark, wet, dry, happy, early"""
    ),
    "nocolour": entries(
        """a car, a house, love, music, the wind, a mirror, water, glass, the universe, Monday, my
        {object}, your {object}, a {object}, the number {n}, Mars, a chameleon, a rainbow, fear,
        time, the {object}, her hair, air"""
    ),
    "nosound": entries(
        """giraffe, rabbit, fish, whale, worm, spider, snake, zebra, camel, hippo, penguin, shark,
        butterfly, snail, turtle, octopus, unicorn, dragon, robot, car, train, bell, {object},
        {job}, kangaroo, panda, otter"""
    ),
    "huge": entries(
        """a billion, infinity, a thousand, one hundred, hundred, two hundred, a trillion, fifty,
        sixty, ninety, forty, the end, ten thousand, pi, minus one, zero"""
    ),
}
