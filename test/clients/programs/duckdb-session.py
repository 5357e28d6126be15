"""DuckDB, with its extension httpfs from the package that carries it."""

import os
import pathlib
import sys

import duckdb
import duckdb_extension_httpfs

if sys.argv[1:] == ["version"]:
    print(duckdb.__version__)
    sys.exit(0)

extension = next(pathlib.Path(duckdb_extension_httpfs.__file__).parent.rglob("httpfs.duckdb_extension"))
endpoint = os.environ["AWS_ENDPOINT_URL"].removeprefix("http://")
at = f"s3://{os.environ['VARVE_BUCKET']}"
db = duckdb.connect()
db.execute(f"LOAD '{extension}'")
db.execute(
    f"""CREATE SECRET (TYPE s3, KEY_ID '{os.environ["AWS_ACCESS_KEY_ID"]}', SECRET '{os.environ["AWS_SECRET_ACCESS_KEY"]}',
    REGION '{os.environ["AWS_REGION"]}', ENDPOINT '{endpoint}', URL_STYLE 'path', USE_SSL false)"""
)
# The size of parts is this by the number of parts: 5 MiB and a bit.
db.execute("SET s3_uploader_max_filesize = '60GB'")
rows = 400_000
db.execute(
    f"CREATE TABLE t AS SELECT i, i % 4 AS part, md5(i::VARCHAR) AS word, (hash(i) % 256)::UTINYINT AS byte FROM range({rows}) r(i)"
)
digest = "SELECT count(*), sum(i), bit_xor(hash(word)), sum(byte) FROM "
wanted = db.execute(f"{digest} t").fetchone()


def same(source):
    found = db.execute(f"{digest} {source}").fetchone()
    assert found == wanted, (source, found, wanted)


db.execute(f"COPY t TO '{at}/table.parquet' (FORMAT parquet, COMPRESSION uncompressed)")
same(f"'{at}/table.parquet'")
db.execute(f"COPY t TO '{at}/parts' (FORMAT parquet, PARTITION_BY (part))")
same(f"read_parquet('{at}/parts/*/*.parquet', hive_partitioning = true)")
assert db.execute(f"SELECT count(*) FROM read_parquet('{at}/parts/part=3/*.parquet')").fetchone() == (rows // 4,)
db.execute(f"COPY t TO '{at}/ä table + 100%.csv' (FORMAT csv, HEADER)")
same(f"read_csv('{at}/ä table + 100%.csv')")
assert db.execute(f"SELECT count(*) FROM glob('{at}/parts/**')").fetchone()[0] >= 4

size, sha256 = db.execute(f"SELECT size, sha256(content) FROM read_blob('{at}/table.parquet')").fetchone()
assert size > 8 << 20, size
db.execute(f"COPY (SELECT * FROM '{at}/table.parquet') TO 'back.parquet' (FORMAT parquet, COMPRESSION uncompressed)")
same("'back.parquet'")
try:
    db.execute(f"SELECT * FROM '{at}/none.parquet'")
except duckdb.Error as refused:
    assert "404" in str(refused), refused
else:
    raise AssertionError("what is not there was read")
