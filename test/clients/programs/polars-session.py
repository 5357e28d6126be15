"""Polars: Parquet and other files of data frames, in a bucket."""

import os
import sys

# Before the import, which reads it: parts of 8 MiB, not of 64.
os.environ["POLARS_UPLOAD_CHUNK_SIZE"] = str(8 << 20)

import polars as pl

if sys.argv[1:] == ["version"]:
    print(pl.__version__)
    sys.exit(0)

at = f"s3://{os.environ['VARVE_BUCKET']}"
options = {
    "aws_endpoint_url": os.environ["AWS_ENDPOINT_URL"],
    "aws_region": os.environ["AWS_REGION"],
    "aws_access_key_id": os.environ["AWS_ACCESS_KEY_ID"],
    "aws_secret_access_key": os.environ["AWS_SECRET_ACCESS_KEY"],
    "aws_allow_http": "true",
}
rows = 1_500_000
frame = pl.DataFrame({"i": range(rows)}).with_columns(
    part=pl.col("i") % 4, word=pl.col("i").hash(7), share=pl.col("i").hash(9) / 2**64
)

frame.write_parquet(f"{at}/table.parquet", compression="uncompressed", storage_options=options)
assert pl.read_parquet(f"{at}/table.parquet", storage_options=options).equals(frame)
frame.lazy().sink_parquet(f"{at}/sunk.parquet", storage_options=options)
assert pl.scan_parquet(f"{at}/sunk.parquet", storage_options=options).collect().equals(frame)
third = frame.filter(pl.col("part") == 3).select("word")
found = pl.scan_parquet(f"{at}/table.parquet", storage_options=options).filter(pl.col("part") == 3).select("word")
assert found.collect().equals(third)

for part in range(4):
    key = f"{at}/parts/part={part}/ä part + 100.parquet"
    frame.filter(pl.col("part") == part).drop("part").write_parquet(key, storage_options=options)
parts = pl.scan_parquet(f"{at}/parts/**/*.parquet", hive_partitioning=True, storage_options=options)
assert parts.filter(pl.col("part") == 3).select("word").collect().equals(third)
assert parts.collect().sort("i").select(frame.columns).equals(frame)

few = frame.head(1000)
few.lazy().sink_csv(f"{at}/few.csv", storage_options=options)
assert pl.read_csv(f"{at}/few.csv", schema=few.schema, storage_options=options).select("i", "word").equals(few.select("i", "word"))
few.lazy().sink_ipc(f"{at}/few.arrow", storage_options=options)
assert pl.scan_ipc(f"{at}/few.arrow", storage_options=options).collect().equals(few)
few.lazy().sink_ndjson(f"{at}/few.jsonl", storage_options=options)
assert pl.scan_ndjson(f"{at}/few.jsonl", storage_options=options).collect().height == 1000

try:
    pl.scan_parquet(f"{at}/none.parquet", storage_options=options).collect()
except Exception as refused:
    assert "none.parquet" in str(refused), refused
else:
    raise AssertionError("what is not there was read")
