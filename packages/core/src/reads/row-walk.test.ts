import { describe, expect, it } from 'vitest'
import { compareBytes } from '../bytes/bytes.ts'
import type { RowReader } from '../ports/index.ts'
import { codeOf } from '../api/answers.fixture.ts'
import { memoryJournal, memoryPorts } from '../api/memory-ports.fixture.ts'
import { RowEncoder } from '../views/row-codec.ts'
import type { BucketRow } from '../views/rows.ts'
import { bucketTable } from '../views/tables.ts'
import { walkRows } from './row-walk.ts'

const { hashing } = memoryPorts()
const range = bucketTable.range('')
const nameOf = (i: number) => `b${String(i).padStart(4, '0')}`
const row: BucketRow = { since: 1, incarnation: 1, createdAt: 0, region: 'eu', owner: { id: 'a', name: 'ada' } }

/** So many rows, some of them damaged, and how many were requested each time. */
async function rowsOf(count: number, damaged: readonly number[] = []) {
  const journal = memoryJournal()
  const encoder = new RowEncoder(hashing)
  const rows = Array.from({ length: count }, (_, i) => {
    const { bytes: key } = bucketTable.key(nameOf(i))
    const value = encoder.encode(key, row)
    if (damaged.includes(i)) value[value.length - 2] = (value.at(-2) as number) ^ 1
    return { key, value }
  })
  await journal.commit({ expectedHead: 0, events: [], rows })
  const requested: number[] = []
  const reader: RowReader = {
    ...journal,
    cursor(of) {
      const cursor = journal.cursor(of)
      return { ...cursor, next: (most) => (requested.push(most), cursor.next(most)) }
    },
  }
  return { reader, requested }
}

async function take(walk: ReturnType<typeof walkRows<BucketRow>>, count: number): Promise<string[]> {
  const names: string[] = []
  for (let i = 0; i < count; i++) {
    const found = await walk.next()
    if (found === undefined) break
    names.push(bucketTable.name(found.key))
  }
  return names
}

const namesOf = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => nameOf(from + i))

describe('a walk over rows', () => {
  it('reads the announced number of rows at once', async () => {
    const { reader, requested } = await rowsOf(1500)
    const walk = walkRows<BucketRow>(reader, hashing, range, { wanted: 1001 })
    walk.skipTo(bucketTable.key(nameOf(3)).bytes)
    expect(await take(walk, 1001)).toEqual(namesOf(3, 1004))
    expect(requested).toEqual([1001])
  })

  it('reads few where nothing is known, then more and more, and few again behind a jump', async () => {
    const { reader, requested } = await rowsOf(1500)
    const walk = walkRows<BucketRow>(reader, hashing, range)
    expect(await take(walk, 100)).toEqual(namesOf(0, 100))
    walk.skipTo(bucketTable.key(nameOf(1200)).bytes)
    expect(await take(walk, 2)).toEqual(namesOf(1200, 1202))
    expect(requested).toEqual([16, 64, 256, 16])
  })

  it('steps within what it has read ahead', async () => {
    const { reader, requested } = await rowsOf(50)
    const walk = walkRows<BucketRow>(reader, hashing, range)
    expect(await take(walk, 2)).toEqual(namesOf(0, 2))
    walk.skipTo(bucketTable.key(nameOf(9)).bytes)
    expect(await take(walk, 1)).toEqual([nameOf(9)])
    expect(requested).toEqual([16])
  })

  /** Only each `apart`-th row is meant. */
  const each = (apart: number) => (key: Uint8Array) => {
    const number = Number(bucketTable.name(key).slice(1))
    return number % apart === 0 ? undefined : bucketTable.key(nameOf(Math.ceil(number / apart) * apart)).bytes
  }

  it('reads over rows that are not meant where they are few', async () => {
    const { reader, requested } = await rowsOf(3000)
    const walk = walkRows<BucketRow>(reader, hashing, range, { passing: each(10) })
    expect(await take(walk, 300)).toEqual(Array.from({ length: 300 }, (_, i) => nameOf(i * 10)))
    expect(requested.length).toBeLessThan(16)
  })

  it('jumps over rows that are not meant where they are many, and then reads few', async () => {
    const { reader, requested } = await rowsOf(3000)
    const walk = walkRows<BucketRow>(reader, hashing, range, { passing: each(100) })
    expect(await take(walk, 30)).toEqual(Array.from({ length: 30 }, (_, i) => nameOf(i * 100)))
    expect(requested.reduce((sum, count) => sum + count)).toBeLessThan(200)
  })

  it('reads over them again where rows that are meant come closer', async () => {
    const { reader, requested } = await rowsOf(3000)
    const passing = (key: Uint8Array) => each(Number(bucketTable.name(key).slice(1)) < 1000 ? 100 : 5)(key)
    const walk = walkRows<BucketRow>(reader, hashing, range, { passing })
    expect(await take(walk, 410)).toHaveLength(410)
    expect(requested.length).toBeLessThan(45)
  })

  it('never goes back', async () => {
    const { reader } = await rowsOf(20)
    const walk = walkRows<BucketRow>(reader, hashing, range)
    expect(await take(walk, 16)).toEqual(namesOf(0, 16))
    walk.skipTo(bucketTable.key(nameOf(3)).bytes)
    expect(await take(walk, 9)).toEqual(namesOf(16, 20))
  })

  it.each([undefined, 40])(
    'fails at the damaged row and not before, and goes on behind it, with %o wanted',
    async (wanted) => {
      const { reader } = await rowsOf(40, [20, 21])
      const walk = walkRows<BucketRow>(reader, hashing, range, { wanted })
      expect(await take(walk, 20)).toEqual(namesOf(0, 20))
      for (let i = 0; i < 2; i++) expect(await codeOf(take(walk, 1))).toBe('RowCorrupt')
      expect(await take(walk, 30)).toEqual(namesOf(22, 40))
      expect(await walk.next()).toBeUndefined()
    },
  )

  it('gives its rows in the order of their bytes, however many reads they took', async () => {
    const { reader } = await rowsOf(3000)
    const walk = walkRows<BucketRow>(reader, hashing, range, { wanted: 1001 })
    const keys: Uint8Array[] = []
    for (let found = await walk.next(); found !== undefined; found = await walk.next()) keys.push(found.key)
    expect(keys).toHaveLength(3000)
    expect(keys.every((key, i) => i === 0 || compareBytes(keys[i - 1] as Uint8Array, key) < 0)).toBe(true)
  })
})
