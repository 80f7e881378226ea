#!/usr/bin/env python3
"""Asks a running server for answers with 100 schemas, which pydantic makes: each by instructor, and several times by
OpenAI's client at small limits, which jsonschema validates.

    pip install openai instructor jsonschema
    STOA_TOKEN=stoa_… Tools/structured_answers_check.py http://127.0.0.1:8080 [ANSWERS OF EACH SCHEMA]

The key needs the scope `complete`. Exits with 77 if a package is missing.
"""

import concurrent.futures
import datetime
import enum
import importlib.metadata
import json
import os
import random
import re
import sys
import typing
import uuid

try:
    import instructor
    import jsonschema
    import openai
    import pydantic
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

QUESTION = "Tell me about the capital of Finland."
SCHEMAS = 100


class Color(enum.Enum):
    red = "red"
    green = "green"


class Node(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")
    value: int = pydantic.Field(ge=0, le=9)
    next: typing.Optional["Node"] = None


class Cat(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")
    kind: typing.Literal["cat"]
    lives: int = pydantic.Field(ge=1, le=9)


class Dog(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")
    kind: typing.Literal["dog"]
    name: str = pydantic.Field(max_length=8)


def messages():
    """A new list for each request, since instructor writes the schema into it."""
    return [{"role": "user", "content": QUESTION}]


def scalar(chance):
    low = chance.randint(-20, 20)
    return chance.choice([
        bool, int, typing.Optional[int], Color, datetime.date, datetime.datetime, uuid.UUID,
        typing.Literal["one", "two", 3],
        typing.Annotated[str, pydantic.Field(max_length=chance.randint(1, 12))],
        typing.Annotated[str, pydantic.Field(min_length=2, max_length=6)],
        typing.Annotated[str, pydantic.Field(pattern=r"^[A-Z]{2}-[0-9]{1,3}$")],
        typing.Annotated[int, pydantic.Field(ge=low, le=low + 30)],
        typing.Annotated[float, pydantic.Field(gt=low, lt=low + 1.5)],
        typing.Annotated[int, pydantic.Field(ge=0, le=100, multiple_of=5)],
    ])


def field(chance, depth):
    kind = chance.random()
    if kind < 0.15 and depth < 3:
        return model(chance, depth + 1)
    if kind < 0.3:
        return typing.Annotated[list[field(chance, depth + 1)], pydantic.Field(max_length=3)]
    if kind < 0.4:
        return typing.Union[scalar(chance), None]
    if kind < 0.45:
        return Node
    if kind < 0.5:
        return typing.Annotated[typing.Union[Cat, Dog], pydantic.Field(discriminator="kind")]
    return scalar(chance)


def model(chance, depth=0):
    """A model with some fields, required or with a default."""
    fields = {}
    for name in chance.sample(["name", "size", "tags", "when", "größe", "ident", "notes"], chance.randint(1, 5)):
        kind = field(chance, depth)
        fields[name] = (kind, ...) if chance.random() < 0.7 else (typing.Optional[kind], None)
    return pydantic.create_model(
        f"Model{chance.randrange(10 ** 6)}", __config__=pydantic.ConfigDict(extra="forbid"), **fields)


def by_instructor(url, key, name, schemas):
    client = instructor.from_openai(
        openai.OpenAI(base_url=url, api_key=key, max_retries=0), mode=instructor.Mode.JSON_SCHEMA)
    return run([lambda number=number, schema=schema: client.chat.completions.create(
        model=name, messages=messages(), response_model=schema, max_retries=0, temperature=1, seed=number,
        max_tokens=1000) for number, schema in enumerate(schemas)])


def by_jsonschema(url, key, name, schemas, count):
    """Each limit is the smallest that suffices, or somewhat above it."""
    client = openai.OpenAI(base_url=url, api_key=key, max_retries=0)

    def ask(schema, seed):
        form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": True}}
        limit = 1
        while True:
            try:
                choice = client.chat.completions.create(
                    model=name, messages=messages(), response_format=form, temperature=1, seed=seed,
                    max_tokens=limit).choices[0]
                break
            except openai.BadRequestError as error:
                needed = re.search(r"takes up to (\d+) tokens", str(error))
                if not needed or int(needed[1]) <= limit:
                    raise
                limit = int(needed[1]) + seed % 5 * 8
        assert choice.finish_reason in ("stop", "length"), choice.finish_reason
        jsonschema.validate(
            json.loads(choice.message.content), schema,
            format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)

    return run([lambda schema=schema.model_json_schema(), seed=seed: ask(schema, seed)
                for schema in schemas for seed in range(count)])


def run(calls):
    """The number of calls that returned, and the errors of the others."""
    errors = []
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for future in [pool.submit(call) for call in calls]:
            try:
                future.result()
            except Exception as error:
                errors.append(f"{type(error).__name__}: {error}")
    return len(calls) - len(errors), errors


def main():
    if len(sys.argv) not in (2, 3) or "STOA_TOKEN" not in os.environ:
        sys.exit(__doc__)
    url, key = sys.argv[1].rstrip("/") + "/v1", os.environ["STOA_TOKEN"]
    count = int(sys.argv[2]) if len(sys.argv) == 3 else 10
    name = openai.OpenAI(base_url=url, api_key=key).models.list().data[0].id
    chance = random.Random(22)
    schemas = [model(chance) for _ in range(SCHEMAS)]
    failed = False
    for title, (right, errors) in [
        (f"instructor {importlib.metadata.version('instructor')}", by_instructor(url, key, name, schemas)),
        (f"jsonschema {importlib.metadata.version('jsonschema')}", by_jsonschema(url, key, name, schemas, count)),
    ]:
        print(f"{'FAILED' if errors else 'ok'}: {title}: {right} answers valid, {len(errors)} not")
        for error in errors[:10]:
            print("   ", error[:500])
        failed |= bool(errors)
    sys.exit(failed)


if __name__ == "__main__":
    main()
