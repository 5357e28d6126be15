/** The end of the log beside blobs in a bucket: written by several processes, which may be slow. */
import { memoryJournal } from '@varve/adapters'
import { openS3Blobs, type S3Blobs } from '@varve/adapters/s3'
import { openStore } from 'varve'
import type { TestS3 } from 'varve/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freshPrefix, serverOf, startServer } from './support/bucket.ts'

let s3: TestS3
const opened: S3Blobs[] = []

beforeAll(async () => {
  s3 = await startServer()
})
afterEach(async () => {
  s3.faults.clear()
  for (const blobs of opened.splice(0)) await blobs.close()
})
afterAll(() => s3.stop())

async function open(prefix: string): Promise<S3Blobs> {
  const blobs = await openS3Blobs({ ...serverOf(s3), prefix, retries: 1 })
  opened.push(blobs)
  return blobs
}

const tip = (seq: number) => ({ seq, hash: `hash-${seq}` })

async function listed(blobs: S3Blobs): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const id of blobs.list()) ids.push(id)
  return ids
}

describe('a witness in a bucket', () => {
  it('never goes back, whoever writes it', async () => {
    const prefix = freshPrefix()
    const [one, other] = [await open(prefix), await open(prefix)]
    expect(await one.witness.read()).toBeUndefined()
    await one.witness.write(tip(7))
    await other.witness.write(tip(9))
    await one.witness.write(tip(8))
    expect(await one.witness.read()).toEqual(tip(9))
    const writing = [one, other, one, other, one].map(({ witness }, i) => witness.write(tip(10 + i)))
    await Promise.all(writing)
    expect(await other.witness.read()).toEqual(tip(14))
    await one.witness.replace(tip(3))
    expect(await other.witness.read()).toEqual(tip(3))
    // It is no blob, and the prefix is still one of a store.
    expect(await listed(await open(prefix))).toEqual([])
  })

  it('moves blobs aside, where no listing finds them, and may be called again', async () => {
    const blobs = await open(freshPrefix())
    const ids = ['a'.repeat(32), 'b'.repeat(32)]
    for (const id of ids)
      await blobs.write(
        id,
        (async function* () {
          yield Buffer.from(id)
        })(),
      )
    await blobs.setAside([ids[0] as string])
    await blobs.setAside([ids[0] as string])
    expect(await listed(blobs)).toEqual([ids[1]])
    await expect(blobs.open(ids[0] as string)).rejects.toMatchObject({ code: 'BlobMissing' })
  })
})

describe('a store with a witness in a bucket', () => {
  it('refuses a journal that is older, and deletes nothing', async () => {
    const blobs = await open(freshPrefix())
    const journal = await memoryJournal()
    const store = await openStore({ journal, blobs, witness: blobs.witness })
    await store.buckets.create('box')
    await store.objects.put('box', 'k', new Uint8Array(100_000))
    await store.close()
    await journal.close()
    const older = openStore({ journal: await memoryJournal(), blobs, witness: blobs.witness }, { sweepOrphans: true })
    await expect(older).rejects.toMatchObject({ code: 'AcknowledgedWritesLost', details: { head: 0 } })
    expect(await listed(blobs)).toHaveLength(1)
  })

  it('commits and closes while the bucket refuses everything', async () => {
    const blobs = await open(freshPrefix())
    const journal = await memoryJournal()
    const store = await openStore({ journal, blobs, witness: blobs.witness })
    s3.faults.add({ fault: { kind: 'error', code: 'AccessDenied' } })
    await store.buckets.create('box')
    await store.objects.put('box', 'k', 'short')
    await store.close()
    await journal.close()
  })
})
