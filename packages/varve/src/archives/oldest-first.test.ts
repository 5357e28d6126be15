/** Versions from the oldest to the newest, out of pages that have the newest first. */
import { describe, expect, it } from 'vitest'
import { oldestFirst, type ReadVersionsPage, type VersionPlace } from './oldest-first.ts'

/** `a3 a2 a1 b1`: the versions of each key, as a listing has them. */
const listed = (text: string): VersionPlace[] =>
  text
    .split(' ')
    .filter(Boolean)
    .map((one) => ({ key: one.slice(0, 1), versionId: one.slice(1) }))

/** Reads pages of a listing that others may change meanwhile. */
function pages(versions: VersionPlace[], limit: number, onRead: () => void = () => undefined) {
  const read: ReadVersionsPage<VersionPlace> = (after) => {
    onRead()
    const start = versions.findIndex((one) => one.key === after?.key && one.versionId === after.versionId) + 1
    const entries = versions.slice(start, start + limit)
    return Promise.resolve({ entries, isTruncated: start + limit < versions.length })
  }
  return read
}

async function read(from: ReadVersionsPage<VersionPlace>): Promise<string> {
  const found: string[] = []
  for await (const { key, versionId } of oldestFirst(from)) found.push(key + versionId)
  return found.join(' ')
}

describe('oldestFirst', () => {
  const all = 'a2 a1 b1 c9 c8 c7 c6 c5 c4 c3 c2 c1 d2 d1'
  const wanted = 'a1 a2 b1 c1 c2 c3 c4 c5 c6 c7 c8 c9 d1 d2'

  it.each([1, 2, 3, 4, 5, 7, 100])('returns each version once in pages of %i', async (limit) => {
    expect(await read(pages(listed(all), limit))).toBe(wanted)
  })

  it('returns nothing of an empty listing', async () => {
    expect(await read(pages([], 3))).toBe('')
  })

  it('reads a page again only where a key has several', async () => {
    let reads = 0
    await read(pages(listed('a2 a1 b1 c1'), 4, () => reads++))
    expect(reads).toBe(1)
  })

  it('leaves out what was added after its page was read', async () => {
    const versions = listed(all)
    let reads = 0
    const from = pages(versions, 2, () => {
      // Before the pages of the key are read again.
      if (++reads === 6) versions.splice(3, 0, ...listed('cX cY'))
    })
    expect((await read(from)).replaceAll(/ c[XY]/g, '')).toBe(wanted)
  })

  it('refuses pages of a key that come again, at the first reading and at the second', async () => {
    const cycle = ['a3 a2', 'a1', 'a5 a4']
    for (const before of [0, 3]) {
      let reads = 0
      const from: ReadVersionsPage<VersionPlace> = (after) => {
        const isGood = reads++ < before
        const entries = listed(isGood ? (['a9 a8', 'a7 a6', 'b1'][reads - 1] ?? '') : (cycle[reads % 3] ?? ''))
        return Promise.resolve({ entries, isTruncated: !isGood || after?.key !== 'a' || reads < before })
      }
      await expect(read(from)).rejects.toMatchObject({ code: 'SourceFailed', details: { kind: 'WrongAnswer' } })
    }
  })
})
