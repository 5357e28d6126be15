"""obstore, the object_store of Rust as a library of Python."""

import importlib.metadata
import os
import sys
from datetime import timedelta
from urllib.request import urlopen

import obstore
from obstore.exceptions import AlreadyExistsError, NotModifiedError, PreconditionError
from obstore.store import S3Store
from refused import refused

if sys.argv[1:] == ["version"]:
    print(importlib.metadata.version("obstore"))
    sys.exit(0)

small, large = (open(os.environ[name], "rb").read() for name in ("VARVE_SMALL", "VARVE_LARGE"))
s3 = S3Store(
    os.environ["VARVE_BUCKET"],
    endpoint=os.environ["AWS_ENDPOINT_URL"],
    region=os.environ["AWS_REGION"],
    access_key_id=os.environ["AWS_ACCESS_KEY_ID"],
    secret_access_key=os.environ["AWS_SECRET_ACCESS_KEY"],
    virtual_hosted_style_request=False,
    client_options={"allow_http": True},
)


def read(key, **options):
    return bytes(obstore.get(s3, key, **options).bytes())


obstore.put(s3, "small", small, attributes={"Content-Type": "text/x-session", "colour": "green"})
obstore.put(s3, "empty", b"")
obstore.put(s3, "large", open(os.environ["VARVE_LARGE"], "rb"), chunk_size=8 << 20, max_concurrency=3)
assert read("small") == small and read("empty") == b"" and read("large") == large
assert obstore.get(s3, "small").attributes["colour"] == "green"
assert bytes(obstore.get_range(s3, "large", start=1000, end=2000)) == large[1000:2000]
found = obstore.get_ranges(s3, "large", starts=[0, 5_000_000, 10_000_000], lengths=[10, 20, 30])
assert [bytes(one) for one in found] == [large[at : at + size] for at, size in ((0, 10), (5_000_000, 20), (10_000_000, 30))]
assert read("large", options={"range": {"suffix": 100}}) == large[-100:]
assert read("large", options={"range": {"offset": len(large) - 100}}) == large[-100:]
with obstore.open_writer(s3, "written", buffer_size=6 << 20) as writer:
    for at in range(0, len(large), 1 << 20):
        writer.write(large[at : at + (1 << 20)])
assert read("written") == large

# A counter that is incremented by comparing ETags.
first = obstore.put(s3, "once", b"1", mode="create")
refused(AlreadyExistsError, lambda: obstore.put(s3, "once", b"2", mode="create"))
second = obstore.put(s3, "once", b"2", mode={"e_tag": first["e_tag"]})
refused(PreconditionError, lambda: obstore.put(s3, "once", b"3", mode={"e_tag": first["e_tag"]}))
refused(PreconditionError, lambda: read("once", options={"if_match": first["e_tag"]}))
refused(NotModifiedError, lambda: read("once", options={"if_none_match": second["e_tag"]}))
assert read("once") == b"2"
refused(FileNotFoundError, lambda: read("none"))

names = ["with space", "a+b", "100%", "a%20b", "ünïcödé", "日本語/🪨", "!*'()", "a&b=c", "#first", "a;b,c@d", "a?b"]
for name in names:
    obstore.put(s3, f"odd/{name}", name.encode())
    assert read(f"odd/{name}") == name.encode()
listed = {one["path"].removeprefix("odd/") for page in obstore.list(s3, "odd/", chunk_size=3) for one in page}
assert listed == set(names), listed ^ set(names)
assert obstore.list_with_delimiter(s3, "odd/")["common_prefixes"] == ["odd/日本語"]
obstore.copy(s3, "odd/a+b", "odd copy/ü+1")
obstore.rename(s3, "odd copy/ü+1", "renamed")
assert read("renamed") == b"a+b"
obstore.delete(s3, [f"odd/{name}" for name in names])
assert [*obstore.list(s3, "odd/")] == []

assert urlopen(obstore.sign(s3, "GET", "large", timedelta(minutes=5))).read() == large
