"""OpenDAL's service of S3."""

import importlib.metadata
import os
import sys

import opendal
from opendal.exceptions import ConditionNotMatch, NotFound
from refused import refused

if sys.argv[1:] == ["version"]:
    print(importlib.metadata.version("opendal"))
    sys.exit(0)

small, large = (open(os.environ[name], "rb").read() for name in ("VARVE_SMALL", "VARVE_LARGE"))
s3 = opendal.Operator(
    "s3",
    bucket=os.environ["VARVE_BUCKET"],
    region=os.environ["AWS_REGION"],
    endpoint=os.environ["AWS_ENDPOINT_URL"],
    access_key_id=os.environ["AWS_ACCESS_KEY_ID"],
    secret_access_key=os.environ["AWS_SECRET_ACCESS_KEY"],
    root="/",
)

s3.check()
s3.write("small", small, content_type="text/x-session", user_metadata={"colour": "green"})
s3.write("empty", b"")
s3.write("large", large, chunk=8 << 20, concurrent=3)
assert s3.read("small") == small and s3.read("empty") == b"" and s3.read("large") == large
stat = s3.stat("large")
assert stat.content_length == len(large) and stat.etag.endswith('-3"'), stat
assert s3.stat("small").content_type == "text/x-session"
assert s3.read("large", offset=1000, size=1000) == large[1000:2000]
with s3.open("large", "rb") as file:
    file.seek(len(large) - 1000)
    assert file.read() == large[-1000:]
with s3.open("opened", "wb") as file:
    for at in range(0, len(large), 1 << 20):
        file.write(large[at : at + (1 << 20)])
assert s3.read("opened") == large


s3.write("once", small, if_not_exists=True)
refused(ConditionNotMatch, lambda: s3.write("once", b"other", if_not_exists=True))
refused(ConditionNotMatch, lambda: s3.read("once", if_match='"another"'))
refused(ConditionNotMatch, lambda: s3.read("once", if_none_match=s3.stat("once").etag))
assert s3.read("once") == small
refused(NotFound, lambda: s3.read("none"))

names = ["with space", "a+b", "100%", "a%20b", "ünïcödé", "日本語/🪨", "!*'()", "a&b=c", "#first", "a;b,c@d", "a?b"]
for name in names:
    s3.write(f"odd/{name}", name.encode())
    assert s3.read(f"odd/{name}") == name.encode()
listed = {entry.path.removeprefix("odd/") for entry in s3.list("odd/", recursive=True) if not entry.path.endswith("/")}
assert listed == set(names), listed ^ set(names)
s3.copy("odd/a+b", "odd copy/ü+1")
assert s3.read("odd copy/ü+1") == b"a+b"
s3.remove_all("odd/")
assert [entry.path for entry in s3.list("odd/")] in ([], ["odd/"])
s3.delete("opened")
assert not s3.exists("opened")
