#!/usr/bin/env python3
"""Uses a running server by OpenAI's own Python client, with strict parsing of every reply.

    pip install openai
    STOA_TOKEN=stoa_… Tools/openai_client_check.py http://127.0.0.1:8080

The key needs the scope `complete`, and for the part about conversations also `read` and `write`.
Without the client it says so and exits with 77, as test programs do that are skipped.
"""

import json
import os
import sys
import uuid

try:
    import openai
except ModuleNotFoundError:
    print("skipped: the Python package openai is not installed")
    sys.exit(77)

QUESTION = [{"role": "user", "content": "Tell me a long story."}]


def check(name, holds, detail=""):
    if not holds:
        sys.exit(f"FAILED: {name} {detail}")
    print(f"ok: {name}")


def refused(kind, call):
    """The error of a call, which must be of a kind."""
    try:
        call()
    except kind as error:
        return error
    sys.exit(f"FAILED: no {kind.__name__}")


def responses(client, model):
    """Responses: whole, as events, continued, and read again."""
    def respond(**more):
        return client.responses.create(**{"model": model, "temperature": 0, **more})

    first = respond(input="What is 2 + 3?", instructions="You count.")
    check("a response", first.output_text and first.status == "completed")
    rated = respond(input="What is 2 + 3?", instructions="You count.", top_logprobs=2,
                    include=["message.output_text.logprobs"])
    tokens = rated.output[0].content[0].logprobs
    check("a response's logprobs", "".join(token.token for token in tokens) == first.output_text
          and all(len(token.top_logprobs) == 2 for token in tokens))
    check("a response's usage", first.usage.total_tokens
          == first.usage.input_tokens + first.usage.output_tokens)
    events = list(respond(input="What is 2 + 3?", instructions="You count.", stream=True))
    check("its events", events[0].type == "response.created"
          and events[-1].type == "response.completed"
          and [event.sequence_number for event in events] == list(range(len(events))))
    check("events have the same text", events[-1].response.output_text == first.output_text
          and "".join(event.delta for event in events
                      if event.type == "response.output_text.delta") == first.output_text)
    with client.responses.stream(model=model, temperature=0, instructions="You count.",
                                 input="What is 2 + 3?") as stream:
        collected = stream.get_final_response()
    check("the client's own collected response", collected.output_text == first.output_text)
    second = respond(input="And 3 + 4?", previous_response_id=first.id,
                     instructions="You count.")
    sent = respond(instructions="You count.", input=[
        {"role": "user", "content": "What is 2 + 3?"},
        *(item.model_dump(exclude_none=True) for item in first.output),
        {"role": "user", "content": "And 3 + 4?"}])
    check("a continued response", second.previous_response_id == first.id
          and second.output_text == sent.output_text
          and second.usage.input_tokens == sent.usage.input_tokens)
    again = client.responses.retrieve(second.id)
    check("a response read again", again.output_text == second.output_text
          and again.previous_response_id == first.id)
    cut = respond(input="Tell me a long story.", max_output_tokens=3)
    check("a cut response", cut.status == "incomplete"
          and cut.incomplete_details.reason == "max_output_tokens")
    client.responses.delete(second.id)
    refused(openai.NotFoundError, lambda: client.responses.retrieve(second.id))
    check("a deleted response", client.responses.retrieve(first.id).id == first.id)
    loose = respond(input="Hi!", store=False)
    refused(openai.NotFoundError, lambda: client.responses.retrieve(loose.id))
    check("a response that is not stored", True)
    error = refused(openai.BadRequestError, lambda: respond(input="Hi!", truncation="auto"))
    check("truncation is refused by name", error.param == "truncation")


WEATHER = {"type": "function", "function": {
    "name": "weather", "description": "The weather in a city.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}


def tools(client, model):
    """Calls of functions, if the model's chat template knows them."""
    def ask(**more):
        return client.chat.completions.create(**{
            "model": model, "messages": QUESTION, "temperature": 0, "max_completion_tokens": 40,
            "tools": [WEATHER], **more})

    forced = {"tool_choice": {"type": "function", "function": {"name": "weather"}}}
    try:
        choice = ask(**forced).choices[0]
    except openai.BadRequestError as error:
        check(f"{model}: tools are refused by name",
              error.param == "tools" and error.code == "unsupported_parameter")
        return
    call = choice.message.tool_calls[0]
    check(f"{model}: a call", call.type == "function" and call.function.name == "weather")
    parts = [part for chunk in ask(stream=True, **forced) for part in
             chunk.choices[0].delta.tool_calls or []]
    check("a streamed call", parts[0].id == call.id or parts[0].function.name == "weather")
    check("its arguments", "".join(part.function.arguments for part in parts if part.index == 0)
          == call.function.arguments)
    with client.chat.completions.stream(
            model=model, messages=QUESTION, temperature=0, max_completion_tokens=40,
            tools=[WEATHER], **forced) as stream:
        collected = [event.snapshot for event in stream if event.type == "chunk"][-1]
    check("the client's own collected call",
          collected.choices[0].message.tool_calls[0].function.name == "weather")
    call_ = {"id": "a", "type": "function",
             "function": {"name": "weather", "arguments": '{"city": "Riga"}'}}
    history = [*QUESTION, {"role": "assistant", "content": None, "tool_calls": [call_]},
               {"role": "tool", "tool_call_id": "a", "content": "21 degrees"}]
    check("an answer to a result", ask(messages=history).choices[0].message.role == "assistant")
    error = refused(openai.BadRequestError, lambda: ask(messages=history[:2]))
    check("a call without a result", error.param == "messages[1].role")
    check("no call of none", ask(tool_choice="none").choices[0].message.tool_calls is None)


def response_tools(client, model):
    """Calls of functions in responses, if the model's chat template knows them."""
    weather = {"type": "function", "strict": True, **WEATHER["function"], "parameters": {
        "type": "object", "properties": {"warm": {"type": "boolean"}}, "required": ["warm"],
        "additionalProperties": False}}

    def respond(**more):
        return client.responses.create(**{
            "model": model, "input": "How warm is it?", "temperature": 0, "max_output_tokens": 60,
            "tools": [weather], "parallel_tool_calls": False, **more})

    try:
        first = respond(tool_choice="required")
    except openai.BadRequestError as error:
        check(f"{model}: tools of responses are refused by name",
              error.param == "tools" and error.code == "unsupported_parameter")
        return
    call = first.output[-1]
    check(f"{model}: a response's call", call.type == "function_call" and call.name == "weather"
          and isinstance(json.loads(call.arguments)["warm"], bool)
          and first.tools[0].name == "weather" and first.tool_choice == "required")
    events = list(respond(tool_choice="required", stream=True))
    deltas = [event.delta for event in events
              if event.type == "response.function_call_arguments.delta"]
    check("its events", "".join(deltas) == call.arguments
          and [event.arguments for event in events
               if event.type == "response.function_call_arguments.done"] == [call.arguments]
          and [event.sequence_number for event in events] == list(range(len(events))))
    with client.responses.stream(
            model=model, input="How warm is it?", temperature=0, max_output_tokens=60,
            tools=[weather], parallel_tool_calls=False, tool_choice="required") as stream:
        collected = stream.get_final_response()
    check("the client's own collected response with a call",
          collected.output[-1].arguments == call.arguments)
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "It is."}
    second = respond(input=[result], previous_response_id=first.id)
    check("a result by the response's id", second.previous_response_id == first.id)
    sent = respond(input=[
        {"role": "user", "content": "How warm is it?"},
        *(item.model_dump(exclude_none=True) for item in first.output), result])
    check("a result after the response's items", sent.output)
    error = refused(openai.BadRequestError,
                    lambda: respond(input="And now?", previous_response_id=first.id))
    check("a call without a result is refused", error.param == "input")
    error = refused(openai.BadRequestError, lambda: respond(tools=[{"type": "web_search"}]))
    check("other tools are refused by name", error.param == "tools[0].type")


def options(client, ask, text):
    """Penalties, biases, the tokens' probabilities, and several answers."""
    penalized = ask(frequency_penalty=2, presence_penalty=1).choices[0].message.content
    check("penalties", penalized != text)
    check("penalties of 0", ask(frequency_penalty=0, logit_bias={}).choices[0].message.content
          == text)
    check("a bias", ask(logit_bias={"40": 100}, max_tokens=4).choices[0].message.content
          != ask(max_tokens=4).choices[0].message.content)
    rated = ask(logprobs=True, top_logprobs=4).choices[0]
    tokens = rated.logprobs.content
    check("logprobs", rated.message.content == text
          and b"".join(bytes(token.bytes) for token in tokens).decode() == text
          and all(len(token.top_logprobs) == 4 and token.logprob <= 0 for token in tokens))
    chunks = list(ask(logprobs=True, top_logprobs=4, stream=True))
    check("logprobs of a stream", [token for chunk in chunks if chunk.choices[0].logprobs
                                   for token in chunk.choices[0].logprobs.content] == tokens)
    seeds = [ask(temperature=1, seed=seed, max_tokens=20).choices[0].message.content
             for seed in (7, 8, 9)]
    several = ask(temperature=1, seed=7, n=3, max_tokens=20)
    check("several answers", [choice.message.content for choice in several.choices] == seeds)
    # The client's own stream collects only answers that end by themselves.
    short = {"messages": [{"role": "user", "content": "What is 2 + 3?"}], "temperature": 1,
             "seed": 7, "n": 3}
    with client.chat.completions.stream(model=several.model, logprobs=True, **short) as stream:
        final = stream.get_final_completion()
    check("a stream of several answers",
          [choice.message.content for choice in final.choices]
          == [choice.message.content for choice in ask(**short).choices]
          and all(choice.logprobs.content for choice in final.choices))
    error = refused(openai.BadRequestError, lambda: ask(logit_bias={"99999999": 1}))
    check("an unknown token is refused by name", error.param == "logit_bias")


def completions(client, model):
    """Text completions: of one prompt and of several, whole and streamed."""
    def complete(**more):
        return client.completions.create(**{"model": model, "temperature": 0, **more})

    first = complete(prompt="Once upon a time", max_tokens=12)
    text = first.choices[0].text
    check("a text completion", text and first.usage.completion_tokens <= 12)
    echo = complete(prompt=["Once upon a time", "2 + 3 ="], max_tokens=12, echo=True, n=2)
    check("text completions of several prompts", len(echo.choices) == 4
          and echo.choices[1].text == "Once upon a time" + text
          and echo.choices[2].text.startswith("2 + 3 ="))
    rated = complete(prompt="Once upon a time", max_tokens=12, logprobs=3).choices[0]
    check("their logprobs", "".join(rated.logprobs.tokens) == text
          and all(len(top) == 3 for top in rated.logprobs.top_logprobs)
          and rated.logprobs.text_offset[0] == 0)
    # The client's type allows no chunk without a finish_reason, though OpenAI sends such chunks.
    loose = openai.OpenAI(base_url=client.base_url, api_key=client.api_key)
    chunks = list(loose.completions.create(
        model=model, temperature=0, prompt="Once upon a time", max_tokens=12, stream=True,
        stream_options={"include_usage": True}))
    check("their stream", "".join(chunk.choices[0].text for chunk in chunks if chunk.choices)
          == text and chunks[-1].usage == first.usage)
    check("a prompt of tokens", complete(prompt=[40, 41, 42], max_tokens=3).usage.prompt_tokens == 3)
    error = refused(openai.BadRequestError, lambda: complete(prompt="a", best_of=2))
    check("best_of is refused by name", error.param == "best_of")


def main():
    if len(sys.argv) != 2 or "STOA_TOKEN" not in os.environ:
        sys.exit(__doc__)
    client = openai.OpenAI(
        base_url=sys.argv[1].rstrip("/") + "/v1",
        api_key=os.environ["STOA_TOKEN"],
        max_retries=0,
        # Replies that do not match the client's own types are errors.
        _strict_response_validation=True,
    )
    models = client.models.list().data
    check("models", models and all(model.object == "model" for model in models))
    model = models[0].id
    check("one model", client.models.retrieve(model).id == model)

    def ask(**more):
        return client.chat.completions.create(
            **{"model": model, "messages": QUESTION, "temperature": 0, **more})

    whole = ask()
    text = whole.choices[0].message.content
    check("a whole answer", text and whole.choices[0].finish_reason in ("stop", "length"))
    check("usage", whole.usage.total_tokens
          == whole.usage.prompt_tokens + whole.usage.completion_tokens)

    chunks = list(ask(stream=True, stream_options={"include_usage": True}))
    check("a stream has the same text",
          "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == text)
    check("a stream's usage", chunks[-1].usage.completion_tokens == whole.usage.completion_tokens)
    with client.chat.completions.stream(model=model, messages=QUESTION, temperature=0) as stream:
        final = stream.get_final_completion()
    check("the client's own collected stream", final.choices[0].message.content == text)

    short = ask(max_completion_tokens=3)
    check("a limit", short.choices[0].finish_reason == "length")
    stop = text.split()[3]
    check("a stop string", stop not in ask(stop=[stop]).choices[0].message.content)
    check("a seed", ask(temperature=1, seed=5).choices[0].message.content
          == ask(temperature=1, seed=5).choices[0].message.content)

    key = {"Idempotency-Key": str(uuid.uuid4())}
    check("a key", ask(temperature=1, extra_headers=key).id
          == ask(temperature=1, extra_headers=key).id)

    options(client, ask, text)
    completions(client, model)
    responses(client, model)
    for listed in models:
        tools(client, listed.id)
        response_tools(client, listed.id)

    error = refused(openai.BadRequestError, lambda: ask(verbosity="low"))
    check("verbosity is refused by name",
          error.param == "verbosity" and error.code == "unsupported_parameter")
    error = refused(openai.NotFoundError, lambda: ask(model="nothing"))
    check("an unknown model", error.code == "model_not_found")
    error = refused(openai.BadRequestError,
                    lambda: ask(messages=[{"role": "user", "content": "word " * 200_000}]))
    check("too long a prompt", error.code == "context_length_exceeded")
    refused(openai.AuthenticationError, client.with_options(api_key="stoa_wrong").models.list)
    check("a wrong key", True)


if __name__ == "__main__":
    main()
