"""Apache Arrow's S3FileSystem, and a data set of Parquet files on it."""

import os
import sys

import pyarrow as pa
import pyarrow.dataset as ds
from pyarrow import fs

if sys.argv[1:] == ["version"]:
    print(pa.__version__)
    sys.exit(0)

bucket = os.environ["VARVE_BUCKET"]
small, large = (open(os.environ[name], "rb").read() for name in ("VARVE_SMALL", "VARVE_LARGE"))
s3 = fs.S3FileSystem(
    endpoint_override=os.environ["VARVE_HOSTED_ENDPOINT"].removeprefix("http://"),
    scheme="http",
    region=os.environ["AWS_REGION"],
    force_virtual_addressing=True,
)


def write(key, body):
    with s3.open_output_stream(f"{bucket}/{key}") as stream:
        for at in range(0, len(body), 1 << 20):
            stream.write(body[at : at + (1 << 20)])


def read(key):
    with s3.open_input_stream(f"{bucket}/{key}") as stream:
        return stream.read()


write("large", large)
write("small", small)
write("empty", b"")
assert read("large") == large and read("small") == small and read("empty") == b""
with s3.open_input_file(f"{bucket}/large") as file:
    assert file.size() == len(large)
    file.seek(1000)
    assert file.read(1000) == large[1000:2000]

names = ["with space", "a+b", "100%", "a%20b", "ünïcödé", "日本語/🪨", "!*'()", "a&b=c", "#first", "a;b,c@d", "a?b"]
for name in names:
    write(f"odd/{name}", name.encode())
    assert read(f"odd/{name}") == name.encode()
listed = s3.get_file_info(fs.FileSelector(f"{bucket}/odd", recursive=True))
files = {info.path.removeprefix(f"{bucket}/odd/") for info in listed if info.is_file}
assert files == set(names), files ^ set(names)

s3.copy_file(f"{bucket}/small", f"{bucket}/copy")
s3.move(f"{bucket}/copy", f"{bucket}/moved")
assert read("moved") == small
assert s3.get_file_info(f"{bucket}/copy").type == fs.FileType.NotFound
s3.delete_dir(f"{bucket}/odd")
assert s3.get_file_info(f"{bucket}/odd").type == fs.FileType.NotFound

rows = 200_000
table = pa.table({"i": range(rows), "part": [i % 4 for i in range(rows)], "word": [f"word {i * 7}" for i in range(rows)]})
ds.write_dataset(table, f"{bucket}/set", filesystem=s3, format="parquet", partitioning=["part"], partitioning_flavor="hive")
found = ds.dataset(f"{bucket}/set", filesystem=s3, format="parquet", partitioning="hive")
assert found.count_rows() == rows
third = found.to_table(filter=ds.field("part") == 3, columns=["i", "word"]).sort_by("i")
assert third.equals(table.filter(ds.field("part") == 3).select(["i", "word"]))
