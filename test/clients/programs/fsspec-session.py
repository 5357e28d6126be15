"""s3fs of fsspec: a bucket as a file system of Python."""

import os
import sys

import fsspec
import s3fs
from refused import refused

if sys.argv[1:] == ["version"]:
    print(s3fs.__version__)
    sys.exit(0)

bucket = os.environ["VARVE_BUCKET"]
small, large = (open(os.environ[name], "rb").read() for name in ("VARVE_SMALL", "VARVE_LARGE"))
options = {"endpoint_url": os.environ["AWS_ENDPOINT_URL"], "client_kwargs": {"region_name": os.environ["AWS_REGION"]}}
s3 = s3fs.S3FileSystem(**options)


s3.pipe(f"{bucket}/small", small)
s3.pipe(f"{bucket}/empty", b"")
with s3.open(f"{bucket}/large", "wb", block_size=8 << 20) as file:
    for at in range(0, len(large), 1 << 20):
        file.write(large[at : at + (1 << 20)])
assert s3.cat(f"{bucket}/small") == small and s3.cat(f"{bucket}/empty") == b"" and s3.cat(f"{bucket}/large") == large
assert s3.cat_file(f"{bucket}/large", start=1000, end=2000) == large[1000:2000]
with s3.open(f"{bucket}/large", "rb") as file:
    file.seek(-100, 2)
    assert file.read() == large[-100:]
with s3.open(f"{bucket}/small", "ab") as file:
    file.write(b"and more")
assert s3.cat(f"{bucket}/small") == small + b"and more"
s3.put_file(os.environ["VARVE_LARGE"], f"{bucket}/put")
s3.get_file(f"{bucket}/put", "got")
assert open("got", "rb").read() == large

s3.pipe_file(f"{bucket}/once", small, mode="create")
refused(FileExistsError, lambda: s3.pipe_file(f"{bucket}/once", b"other", mode="create"))
with s3.open(f"{bucket}/large once", "xb", block_size=8 << 20) as file:
    file.write(large)


def write_again():
    with s3.open(f"{bucket}/large once", "xb", block_size=8 << 20) as file:
        file.write(large[:-1])


refused(FileExistsError, write_again)
assert s3.cat(f"{bucket}/once") == small and s3.cat(f"{bucket}/large once") == large
refused(FileNotFoundError, lambda: s3.cat(f"{bucket}/none"))

names = ["with space", "a+b", "100%", "a%20b", "ünïcödé", "日本語/🪨", "!'()", "a&b=c", "#first", "a;b,c@d"]
for name in names:
    s3.pipe(f"{bucket}/odd/{name}", name.encode())
    assert s3.cat(f"{bucket}/odd/{name}") == name.encode()
listed = {path.removeprefix(f"{bucket}/odd/") for path in s3.find(f"{bucket}/odd")}
assert listed == set(names), listed ^ set(names)
s3.copy(f"{bucket}/odd/a+b", f"{bucket}/odd copy/ü+1")
s3.mv(f"{bucket}/odd copy/ü+1", f"{bucket}/moved")
assert s3.cat(f"{bucket}/moved") == b"a+b" and not s3.exists(f"{bucket}/odd copy/ü+1")
s3.copy(f"{bucket}/large", f"{bucket}/large copy")
assert s3.cat(f"{bucket}/large copy") == large
s3.rm(f"{bucket}/odd", recursive=True)
s3.invalidate_cache()
assert not s3.exists(f"{bucket}/odd")

mapped = fsspec.get_mapper(f"s3://{bucket}/mapped", **options)
mapped["one/0.0"] = small
assert dict(mapped) == {"one/0.0": small}
with fsspec.open(f"s3://{bucket}/of session.gz", "wb", compression="gzip", **options) as file:
    file.write(large)
with fsspec.open(f"s3://{bucket}/of session.gz", "rb", compression="infer", **options) as file:
    assert file.read() == large
