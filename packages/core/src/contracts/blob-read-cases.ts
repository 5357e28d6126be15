/** Cases for reads, deletes and lists of blobs, and for blobs after a reopen. */
import type { BlobStore } from '../ports/index.ts'
import { assertBytes, assertCode, assertEqual } from './assert.ts'
import { contractCase } from './contract.ts'
import { blobId, chunked, pattern } from './material.ts'
import { listed, readRange, readWhole } from './read-blob.ts'

const mebibyte = 1024 * 1024

export const blobReadCases = [
  contractCase<BlobStore>('reads exactly the bytes of a range', async ({ now: blobs }) => {
    const bytes = pattern(2 * mebibyte + 11)
    await blobs.write(blobId(1), chunked(bytes, 65_536))
    const handle = await blobs.open(blobId(1))
    assertEqual(handle.size, bytes.length, 'size')
    const ranges = [
      [0, 1],
      [0, bytes.length],
      [5, 5],
      [100, 228],
      [mebibyte - 1, mebibyte + 1],
      [bytes.length - 1, bytes.length],
      [bytes.length, bytes.length],
      [17, 2 * mebibyte + 3],
    ] as const
    for (const [start, end] of ranges) {
      assertBytes(await readRange(handle, start, end), bytes.subarray(start, end), `bytes ${start} to ${end}`)
    }
    await Promise.all(
      ranges.map(async ([start, end]) => {
        assertBytes(await readRange(handle, start, end), bytes.subarray(start, end), `bytes ${start} to ${end} at once`)
      }),
    )
    await handle.close()
    await handle.close()
  }),

  contractCase<BlobStore>('fills what it is given, and nothing around it', async ({ now: blobs }) => {
    const bytes = pattern(2 * mebibyte)
    await blobs.write(blobId(1), chunked(bytes, mebibyte))
    const handle = await blobs.open(blobId(1))
    const room = new Uint8Array(mebibyte + 20)
    await handle.read(room.subarray(10, mebibyte + 10), 5)
    assertBytes(room.subarray(10, mebibyte + 10), bytes.subarray(5, mebibyte + 5), 'the bytes')
    assertBytes(room.subarray(0, 10), new Uint8Array(10), 'before them')
    assertBytes(room.subarray(mebibyte + 10), new Uint8Array(10), 'behind them')
    await handle.close()
  }),

  contractCase<BlobStore>('fails rather than give fewer bytes than requested', async ({ now: blobs }) => {
    await blobs.write(blobId(1), chunked(pattern(10), 10))
    const handle = await blobs.open(blobId(1))
    await assertCode('BlobFailed', () => readRange(handle, 5, 11), 'a range past the end')
    await handle.close()
  }),

  contractCase<BlobStore>('fails with BlobMissing for a blob that does not exist', async ({ now: blobs }) => {
    await assertCode('BlobMissing', () => blobs.open(blobId(1)), 'never written')
    await blobs.write(blobId(1), chunked(pattern(10), 10))
    await blobs.delete([blobId(1)])
    await assertCode('BlobMissing', () => blobs.open(blobId(1)), 'deleted')
  }),

  contractCase<BlobStore>('deletes what is there and minds nothing else', async ({ now: blobs }) => {
    await blobs.delete([])
    await blobs.delete([blobId(1), blobId(2)])
    for (const n of [1, 2, 3]) await blobs.write(blobId(n), chunked(pattern(10, n), 10))
    await blobs.delete([blobId(1), blobId(9), blobId(3), blobId(1)])
    assertEqual((await listed(blobs)).join(), blobId(2), 'blobs')
    await Promise.all([blobs.delete([blobId(2)]), blobs.delete([blobId(2)])])
    assertEqual((await listed(blobs)).length, 0, 'blobs')
  }),

  contractCase<BlobStore>('keeps the bytes of an open handle readable after a delete', async ({ now: blobs }) => {
    const bytes = pattern(2 * mebibyte)
    await blobs.write(blobId(1), chunked(bytes, mebibyte))
    const handle = await blobs.open(blobId(1))
    await blobs.delete([blobId(1)])
    await assertCode('BlobMissing', () => blobs.open(blobId(1)), 'a deleted blob')
    assertBytes(await readRange(handle, 0, bytes.length), bytes, 'the bytes behind the handle')
    await handle.close()
  }),

  contractCase<BlobStore>('lists every blob once', async ({ now: blobs }) => {
    const ids = Array.from({ length: 40 }, (_, n) => blobId(n))
    for (const id of ids) await blobs.write(id, chunked(pattern(3), 3))
    assertEqual([...(await listed(blobs))].sort().join(), [...ids].sort().join(), 'ids')
    for await (const id of blobs.list()) {
      assertEqual(id.length, 32, 'length of an id')
      break
    }
  }),

  contractCase<BlobStore>('shows every blob again after it was reopened', async (subject) => {
    for (const n of [1, 2, 3]) await subject.now.write(blobId(n), chunked(pattern(1000, n), 300))
    await subject.now.delete([blobId(2)])
    const blobs = await subject.reopen()
    assertEqual(await blobs.discardUnfinished(), 0, 'unfinished writes')
    assertEqual([...(await listed(blobs))].sort().join(), [blobId(1), blobId(3)].sort().join(), 'ids')
    assertBytes(await readWhole(blobs, blobId(3)), pattern(1000, 3), 'a blob')
    await blobs.write(blobId(2), chunked(pattern(1000, 5), 300))
    assertBytes(await readWhole(blobs, blobId(2)), pattern(1000, 5), 'an id that is free again')
  }),

  contractCase<BlobStore>('can be closed more than once', async ({ now: blobs }) => {
    await Promise.all([blobs.close(), blobs.close()])
    await blobs.close()
  }),
]
