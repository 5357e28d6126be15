import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isStorageError } from '@varve/core'
import { expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { inspectSegments } from './inspect-segments.ts'
import { createTieredDirectories, tieredBlobs } from './tiered-blobs.ts'

const scratch = scratchDirectory()
const id = (n: number) => n.toString(16).padStart(32, '0')
const bytesOf = (n: number) => Buffer.alloc(200 + 37 * n, n)
const count = 20

/** Two segments, with an index and without, in which every fifth blob was deleted. */
async function written(): Promise<string> {
  const directory = scratch.next()
  await mkdir(directory)
  await createTieredDirectories(directory)
  const blobs = await tieredBlobs(directory, { segmentBytes: 8000, clearing: 'on-request' })
  const write = async (n: number) =>
    blobs.write(
      id(n),
      (async function* () {
        yield bytesOf(n)
      })(),
    )
  for (let n = 1; n <= count; n++) await write(n)
  await blobs.delete([5, 10, 15, 20].map(id))
  await cp(join(directory, 'segments'), join(directory, 'open'), { recursive: true })
  await blobs.close()
  await cp(join(directory, 'segments'), join(directory, 'closed'), { recursive: true })
  return directory
}

let state = 12345
const below = (end: number) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return Math.floor((state / 2 ** 32) * end)
}

/** Something of what disks do to files. */
function spoiled(bytes: Buffer): Buffer {
  const at = below(bytes.length)
  const end = Math.min(bytes.length, at + 1 + below(300))
  switch (below(4)) {
    case 0:
      bytes[at] = (bytes[at] ?? 0) ^ (1 << below(8))
      return bytes
    case 1:
      return bytes.subarray(0, at)
    case 2:
      return bytes.fill(below(256), at, end)
    default:
      bytes.copy(bytes, below(bytes.length), at, end)
      return bytes
  }
}

it('is an error or a blob that is not there, whatever becomes of the files, and never another blob', async () => {
  const directory = await written()
  const seen = { whole: 0, refused: 0, changed: 0, missing: 0 }
  for (let round = 0; round < 60; round++) {
    await rm(join(directory, 'segments'), { recursive: true })
    await cp(join(directory, round % 2 === 0 ? 'open' : 'closed'), join(directory, 'segments'), { recursive: true })
    const names = (await readdir(join(directory, 'segments'))).sort()
    const path = join(directory, 'segments', names[below(names.length)] ?? '')
    await writeFile(path, spoiled(await readFile(path)))

    const outside = await listed((await inspectSegments(directory)).blobs)
    const blobs = await tieredBlobs(directory, { clearing: 'on-request' })
    const there = await listed(blobs)
    expect(there).toEqual(outside)
    for (const each of there) {
      const n = Number.parseInt(each, 16)
      expect(n >= 1 && n <= count, each).toBe(true)
      const handle = await blobs.open(each)
      expect(handle.size).toBe(bytesOf(n).length)
      try {
        const bytes = Buffer.alloc(handle.size)
        await handle.read(bytes, 0)
        if (bytes.equals(bytesOf(n))) seen.whole++
        else seen.changed++
      } catch (error) {
        expect(isStorageError(error, 'BlobFailed')).toBe(true)
        seen.refused++
      }
      await handle.close()
    }
    seen.missing += Math.max(0, count - 4 - there.length)
    await blobs.compact()
    expect((await listed(blobs)).filter((each) => !there.includes(each))).toEqual([])
    await blobs.close()
  }
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(0)
}, 60_000)

async function listed(blobs: { list(): AsyncIterable<string> }): Promise<readonly string[]> {
  const ids = []
  for await (const each of blobs.list()) ids.push(each)
  return ids.sort()
}
