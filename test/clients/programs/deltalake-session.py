"""Delta Lake: tables whose log takes one writer a version, by `If-None-Match: *`."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor

import deltalake
import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

if sys.argv[1:] == ["version"]:
    print(deltalake.__version__)
    sys.exit(0)

bucket = os.environ["VARVE_BUCKET"]
large = open(os.environ["VARVE_LARGE"], "rb").read()
options = {
    "AWS_ENDPOINT_URL": os.environ["AWS_ENDPOINT_URL"],
    "AWS_ALLOW_HTTP": "true",
    "aws_conditional_put": "etag",
}
uri = f"s3://{bucket}/tables/of session"


def rows(start, count, word="first"):
    return pa.table({"i": pa.array(range(start, start + count)), "part": [i % 4 for i in range(count)], "word": [word] * count})


def read(table):
    return pa.table(table.to_pyarrow_table()).sort_by("i")


def table():
    return DeltaTable(uri, storage_options=options)


write_deltalake(uri, rows(0, 1000), partition_by=["part"], storage_options=options)
write_deltalake(uri, rows(1000, 1000), mode="append", storage_options=options)
assert read(table()).num_rows == 2000 and table().version() == 1
assert read(DeltaTable(uri, version=0, storage_options=options)).num_rows == 1000

# Writers at once: each gets a version of its own, and no row is lost.
def append(index):
    write_deltalake(uri, rows(10_000 + index * 10, 10, "at once"), mode="append", storage_options=options)


with ThreadPoolExecutor(8) as pool:
    list(pool.map(append, range(16)))
assert table().version() == 17, table().version()
assert read(table()).column("i").to_pylist()[2000:] == [*range(10_000, 10_160)]

table().update(updates={"word": "'updated'"}, predicate="i < 10")
table().delete("i >= 10000")
table().merge(rows(1990, 20, "merged"), predicate="t.i = s.i", source_alias="s", target_alias="t") \
    .when_matched_update_all().when_not_matched_insert_all().execute()
words = dict(zip(*(read(table()).column(name).to_pylist() for name in ("i", "word"))))
assert len(words) == 2010 and words[0] == "updated" and words[2009] == words[1990] == "merged"

table().create_checkpoint()
table().optimize.compact()
table().vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)
assert read(table()).num_rows == 2010
assert not DeltaTable.is_deltatable(f"s3://{bucket}/none", storage_options=options)

# A file of its own, which does not compress.
bodies = pa.table({"at": [*range(0, len(large), 1 << 20)], "body": [large[at : at + (1 << 20)] for at in range(0, len(large), 1 << 20)]})
write_deltalake(f"s3://{bucket}/large", bodies, storage_options=options)
back = DeltaTable(f"s3://{bucket}/large", storage_options=options).to_pyarrow_table().sort_by("at")
assert b"".join(back.column("body").to_pylist()) == large
