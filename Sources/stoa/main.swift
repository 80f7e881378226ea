print("stoa")
