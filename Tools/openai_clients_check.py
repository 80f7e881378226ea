#!/usr/bin/env python3
"""Asks a running server one question by each client of OpenAI's API that is installed.

    pip install llm litellm langchain-openai instructor
    STOA_TOKEN=stoa_… Tools/openai_clients_check.py http://127.0.0.1:8080

The key needs the scope `complete`. Exits with 77 if none of the clients is installed.
"""

import importlib.metadata
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

QUESTION = "What is 2 + 3?"


def ask_llm(url, key, model):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "extra-openai-models.yaml").write_text(json.dumps(
            [{"model_id": "stoa", "model_name": model, "api_base": url, "api_key_name": "stoa"}]))
        return subprocess.run(
            [sys.executable, "-m", "llm", "-m", "stoa", "--key", key, QUESTION],
            env=os.environ | {"LLM_USER_PATH": folder}, capture_output=True, text=True,
            check=True).stdout


def ask_litellm(url, key, model):
    # Its prices are those of the package, not downloaded.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm
    chunks = litellm.completion(
        model=f"openai/{model}", api_base=url, api_key=key, stream=True,
        messages=[{"role": "user", "content": QUESTION}])
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)


def ask_langchain(url, key, model):
    from langchain_openai import ChatOpenAI
    chat = ChatOpenAI(model=model, base_url=url, api_key=key)
    return "".join(chunk.text for chunk in chat.stream(QUESTION)) and chat.invoke(QUESTION).text


def ask_instructor(url, key, model):
    import instructor
    import openai
    client = instructor.from_openai(openai.OpenAI(base_url=url, api_key=key))
    return client.chat.completions.create(
        model=model, response_model=None,
        messages=[{"role": "user", "content": QUESTION}]).choices[0].message.content


CLIENTS = {"llm": ask_llm, "litellm": ask_litellm, "langchain-openai": ask_langchain,
           "instructor": ask_instructor}


def main():
    if len(sys.argv) != 2 or "STOA_TOKEN" not in os.environ:
        sys.exit(__doc__)
    url, key = sys.argv[1].rstrip("/") + "/v1", os.environ["STOA_TOKEN"]
    request = urllib.request.Request(url + "/models", headers={"Authorization": f"Bearer {key}"})
    model = json.load(urllib.request.urlopen(request))["data"][0]["id"]
    asked = 0
    failed = False
    for name, ask in CLIENTS.items():
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            print(f"skipped: {name} is not installed")
            continue
        asked += 1
        try:
            text = ask(url, key, model)
        except Exception as error:
            print(f"FAILED: {name} {version}: {type(error).__name__}: {error}")
            failed = True
            continue
        failed |= not text
        print(f"{'ok' if text else 'FAILED'}: {name} {version}: {text[:60]!r}")
    sys.exit(1 if failed else 0 if asked else 77)


if __name__ == "__main__":
    main()
