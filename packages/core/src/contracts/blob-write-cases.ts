/** Cases for writes of blobs: all or nothing, and errors of a source or a caller pass through unchanged. */
import type { BlobStore, ByteSource } from '../ports/index.ts'
import { assert, assertBytes, assertCode, assertEqual, failureOf } from './assert.ts'
import { contractCase, type Subject } from './contract.ts'
import { blobId, bytesOf, chunked, handSignal, pattern } from './material.ts'
import { listed, readWhole } from './read-blob.ts'

const mebibyte = 1024 * 1024

export const blobWriteCases = [
  contractCase<BlobStore>('starts empty', async ({ now: blobs }) => {
    assertEqual((await listed(blobs)).length, 0, 'blobs')
    assertEqual(await blobs.discardUnfinished(), 0, 'unfinished writes')
  }),

  contractCase<BlobStore>('gives back what was written, whatever its size and its chunks', async ({ now: blobs }) => {
    const shapes = [
      [0, 1],
      [1, 1],
      [1000, 1],
      [70_000, 16_384],
      [mebibyte - 1, 65_536],
      [mebibyte, mebibyte],
      [mebibyte + 1, 3 * mebibyte],
      [5 * mebibyte + 7, 100_003],
    ] as const
    for (const [n, [size, chunkSize]] of shapes.entries()) {
      const bytes = pattern(size, n + 1)
      assertEqual(await blobs.write(blobId(n), chunked(bytes, chunkSize)), size, 'bytes written')
    }
    for (const [n, [size]] of shapes.entries()) {
      assertBytes(await readWhole(blobs, blobId(n)), pattern(size, n + 1), `blob of ${size} bytes`)
    }
    assertEqual((await listed(blobs)).length, shapes.length, 'blobs')
  }),

  contractCase<BlobStore>('takes sources without chunks and with empty chunks', async ({ now: blobs }) => {
    assertEqual(await blobs.write(blobId(1), sourceOf([])), 0, 'no chunk')
    assertEqual(
      await blobs.write(blobId(2), sourceOf([bytesOf(), bytesOf(1), bytesOf(), bytesOf(2), bytesOf()])),
      2,
      'bytes',
    )
    assertBytes(await readWhole(blobs, blobId(1)), bytesOf(), 'empty blob')
    assertBytes(await readWhole(blobs, blobId(2)), bytesOf(1, 2), 'blob')
  }),

  contractCase<BlobStore>('writes many blobs at once without mixing them up', async ({ now: blobs }) => {
    const all = Array.from({ length: 24 }, (_, n) => n)
    await Promise.all(all.map((n) => blobs.write(blobId(n), chunked(pattern(50_000 + n, n), 4096))))
    await Promise.all(
      all.map(async (n) => assertBytes(await readWhole(blobs, blobId(n)), pattern(50_000 + n, n), `blob ${n}`)),
    )
  }),

  contractCase<BlobStore>('passes on what the source throws and leaves nothing', async (subject) => {
    const failure = new RangeError('the client went away')
    for (const [n, after] of [0, 10, 3 * mebibyte].entries()) {
      const outcome = await failureOf(() => subject.now.write(blobId(n), failingSource(after, failure)))
      assert(outcome?.error === failure, `the very error of the source, got ${String(outcome?.error)}`)
      await assertNothingLeft(subject, n)
    }
  }),

  contractCase<BlobStore>('ends a source it no longer wants', async ({ now: blobs }) => {
    const { signal, abort } = handSignal()
    let ended = false
    async function* source(): ByteSource {
      try {
        yield bytesOf(1)
        abort(new Error('enough'))
        yield bytesOf(2)
        yield bytesOf(3)
      } finally {
        ended = true
      }
    }
    await failureOf(() => blobs.write(blobId(1), source(), signal))
    for (let turn = 0; turn < 50 && !ended; turn++) await Promise.resolve()
    assert(ended, 'the source is returned to, so that it can let go of what it holds')
  }),

  contractCase<BlobStore>('stops at an abort with its reason and leaves nothing', async (subject) => {
    const reason = new RangeError('aborted')
    const early = handSignal()
    early.abort(reason)
    let isRequested = false
    async function* watched(): ByteSource {
      isRequested = true
      yield bytesOf(1)
    }
    const first = await failureOf(() => subject.now.write(blobId(1), watched(), early.signal))
    assert(first?.error === reason, `the abort reason, got ${String(first?.error)}`)
    assert(!isRequested, 'a source is not started for a write that was aborted before')
    await assertNothingLeft(subject, 1)

    const late = handSignal()
    async function* stalled(): ByteSource {
      yield pattern(2 * mebibyte)
      late.abort(reason)
      await new Promise<never>(() => undefined)
    }
    const second = await failureOf(() => subject.now.write(blobId(2), stalled(), late.signal))
    assert(second?.error === reason, `the abort reason, though the source never answers; got ${String(second?.error)}`)
    await assertNothingLeft(subject, 2)
  }),

  contractCase<BlobStore>('takes no notice of an abort after the write', async ({ now: blobs }) => {
    const { signal, abort } = handSignal()
    await blobs.write(blobId(1), sourceOf([bytesOf(1)]), signal)
    abort(new Error('too late'))
    assertBytes(await readWhole(blobs, blobId(1)), bytesOf(1), 'blob')
  }),

  contractCase<BlobStore>('requests a chunk only after the one before is handled', async ({ now: blobs }) => {
    const chunk = pattern(256 * 1024)
    let open = 0
    async function* source(): ByteSource {
      for (let n = 0; n < 24; n++) {
        assertEqual(++open, 1, 'chunks requested at once')
        await Promise.resolve()
        open--
        yield chunk
        chunk.fill(n)
      }
    }
    assertEqual(await blobs.write(blobId(1), source()), 24 * chunk.length, 'bytes written')
    const bytes = await readWhole(blobs, blobId(1))
    assertBytes(bytes.subarray(0, chunk.length), pattern(chunk.length), 'the first chunk')
    for (let n = 1; n < 24; n++) assertEqual(bytes[n * chunk.length], n - 1, `first byte of chunk ${n}`)
  }),

  contractCase<BlobStore>('never shows part of a blob', async ({ now: blobs }) => {
    const bytes = pattern(3 * mebibyte)
    async function* source(): ByteSource {
      for (let at = 0; at < bytes.length; at += 128 * 1024) {
        await assertCode('BlobMissing', () => blobs.open(blobId(1)), 'an unfinished blob')
        assertEqual((await listed(blobs)).length, 0, 'blobs while one is unfinished')
        yield bytes.subarray(at, at + 128 * 1024)
      }
    }
    let written = false
    const writing = blobs.write(blobId(1), source()).finally(() => {
      written = true
    })
    while (!written) {
      const outcome = await failureOf(async () => assertBytes(await readWhole(blobs, blobId(1)), bytes, 'blob'))
      if (outcome !== undefined) await assertCode('BlobMissing', () => Promise.reject(outcome.error), 'a racing read')
    }
    await writing
    assertBytes(await readWhole(blobs, blobId(1)), bytes, 'the finished blob')
  }),
]

/** Asserts that neither the blob nor an orphan is left. */
async function assertNothingLeft(subject: Subject<BlobStore>, n: number): Promise<void> {
  await assertCode('BlobMissing', () => subject.now.open(blobId(n)), 'a blob that was not written')
  assertEqual((await listed(subject.now)).length, 0, 'blobs after a failed write')
  const blobs = await subject.reopen()
  assertEqual(await blobs.discardUnfinished(), 0, 'unfinished writes after a failed write')
}

async function* sourceOf(chunks: readonly Uint8Array[]): ByteSource {
  yield* chunks
}

async function* failingSource(after: number, failure: Error): ByteSource {
  if (after > 0) yield* chunked(pattern(after), 65_536)
  throw failure
}
