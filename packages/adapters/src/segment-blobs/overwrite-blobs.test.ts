import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobStore } from '@varve/core'
import { expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { inspectSegments } from './inspect-segments.ts'
import { createTieredDirectories, tieredBlobs } from './tiered-blobs.ts'

const scratch = scratchDirectory()
const id = (n: number) => n.toString(16).padStart(32, '0')
const textOf = (n: number) => `secret-${n}-`.repeat(100 * n)

async function filled() {
  const directory = scratch.next()
  await mkdir(directory)
  await createTieredDirectories(directory)
  const open = () => tieredBlobs(directory, { segmentBytes: 20_000, clearing: 'on-request' })
  const blobs = await open()
  for (let n = 1; n <= 12; n++) {
    const source = async function* () {
      yield Buffer.from(textOf(n))
    }
    await blobs.write(id(n), source())
  }
  const contents = async () => {
    const names = await readdir(join(directory, 'segments'))
    // A file that is being replaced may be gone by now.
    const bytesOf = (name: string) => readFile(join(directory, 'segments', name)).catch(() => Buffer.alloc(0))
    return Buffer.concat(await Promise.all(names.map(bytesOf)))
  }
  return { directory, blobs, open, has: async (n: number) => (await contents()).includes(`secret-${n}-`) }
}

async function textIn(blobs: BlobStore, n: number): Promise<string> {
  const handle = await blobs.open(id(n))
  const bytes = Buffer.alloc(handle.size)
  await handle.read(bytes, 0)
  await handle.close()
  return bytes.toString()
}

it('leaves nothing of purged blobs in the segments, and the others whole, also after a reopening', async () => {
  const { directory, blobs, open, has } = await filled()
  const purged = [1, 4, 11, 12]
  // Deleted before, and the process may have ended since.
  await blobs.delete([id(4)])
  expect(await has(4)).toBe(true)
  expect(await blobs.purge?.(purged.map(id))).toBe(true)
  for (const n of purged) expect(await has(n)).toBe(false)
  await blobs.close()

  expect((await inspectSegments(directory)).divergences).toEqual([])
  const again = await open()
  for (let n = 1; n <= 12; n++) {
    if (purged.includes(n)) await expect(again.open(id(n))).rejects.toMatchObject({ code: 'BlobMissing' })
    else expect(await textIn(again, n)).toBe(textOf(n))
  }
  await again.compact()
  for (const n of [2, 3, 10]) expect(await textIn(again, n)).toBe(textOf(n))
  await again.close()
})

it('keeps the bytes for open handles, and overwrites them when called again later', async () => {
  const { blobs, has } = await filled()
  const handle = await blobs.open(id(5))
  expect(await blobs.purge?.([id(5), id(6)])).toBe(false)
  expect([await has(5), await has(6)]).toEqual([true, false])
  const bytes = Buffer.alloc(handle.size)
  await handle.read(bytes, 0)
  expect(bytes.toString()).toBe(textOf(5))
  await handle.close()
  expect(await blobs.purge?.([id(5), id(6)])).toBe(true)
  expect(await has(5)).toBe(false)
  await blobs.close()
})

it('takes overwritten bytes for no damage when the index of the segment is lost', async () => {
  const { directory, blobs, open } = await filled()
  await blobs.purge?.([id(2), id(12)])
  expect((await inspectSegments(directory)).divergences).toEqual([])
  // The open segment has no index yet, so the second store has to scan it.
  const again = await open()
  expect(await textIn(again, 11)).toBe(textOf(11))
  await expect(again.open(id(12))).rejects.toMatchObject({ code: 'BlobMissing' })
  await again.close()
  await blobs.close()
})
