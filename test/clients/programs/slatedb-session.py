"""SlateDB: a database whose manifest takes one writer a version, by `If-None-Match: *`."""

import asyncio
import importlib.metadata
import os
import sys

from slatedb import uniffi as slatedb

if sys.argv[1:] == ["version"]:
    print(importlib.metadata.version("slatedb"))
    sys.exit(0)

os.environ["AWS_ENDPOINT"] = os.environ["AWS_ENDPOINT_URL"]
os.environ["AWS_ALLOW_HTTP"] = "true"
small, large = (open(os.environ[name], "rb").read() for name in ("VARVE_SMALL", "VARVE_LARGE"))
store = slatedb.ObjectStore.resolve(f"s3://{os.environ['VARVE_BUCKET']}")
path = "of session"
pieces = [large[at : at + (256 << 10)] for at in range(0, len(large), 256 << 10)]
everything = slatedb.KeyRange(start=None, start_inclusive=True, end=None, end_inclusive=True)


def opened():
    return slatedb.DbBuilder(path, store).build()


async def scan(of):
    rows = await of.scan(everything)
    found = {}
    while (row := await rows.next()) is not None:
        found[row.key] = row.value
    return found


async def session():
    db = await opened()
    wanted = {}
    for index, piece in enumerate(pieces):
        wanted[b"large/%05d" % index] = piece
    await asyncio.gather(*(db.put(key, value) for key, value in wanted.items()))
    for index in range(1000):
        wanted[b"small/%05d" % index] = small
    batch = slatedb.WriteBatch()
    for index in range(1000):
        batch.put(b"small/%05d" % index, small)
    await db.write(batch)
    await db.delete(b"small/00007")
    del wanted[b"small/00007"]
    assert await db.get(b"small/00008") == small and await db.get(b"small/00007") is None
    await db.flush()
    assert await scan(db) == wanted

    reader = await slatedb.DbReaderBuilder(path, store).build()
    assert await scan(reader) == wanted
    await reader.shutdown()

    # A second writer fences the first.
    second = await opened()
    await second.put(b"second", b"1")
    try:
        await db.put(b"first", b"1")
        await db.flush()
    except slatedb.Error.Closed as refused:
        assert "FENCED" in str(refused), refused
    else:
        raise AssertionError("the first writer was not fenced")
    await second.shutdown()

    again = await opened()
    assert await scan(again) == {**wanted, b"second": b"1"}
    await again.shutdown()


asyncio.run(session())
