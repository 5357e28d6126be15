/**
 * LevelDB without a store above it. It writes a row of 250 bytes and the object's bytes, in one batch for all waiting
 * writes.
 */
import { type LevelDatabase, openLevelDirectory } from '@varve/adapters'
import { grouped } from './grouped.ts'
import { type ObjectTarget, pageEntries } from './object-target.ts'

const rowBytes = Buffer.alloc(250, 'r')
const rowKey = (key: string) => Buffer.from(`r/${key}`)
const bodyKey = (key: string) => Buffer.from(`b/${key}`)
const pastRows = Buffer.from('r0')

export const openRawLevel = (directory: string): Promise<LevelDatabase> =>
  openLevelDirectory(directory, { createIfMissing: true })

interface Change {
  readonly key: string
  readonly body: Uint8Array | undefined
}

export async function rawLevelTarget(directory: string, sync: boolean): Promise<ObjectTarget> {
  const db = await openRawLevel(directory)
  const change = grouped<Change>(async (group) => {
    const batch = db.batch()
    for (const { key, body } of group) {
      if (body === undefined) {
        batch.del(rowKey(key))
        batch.del(bodyKey(key))
      } else {
        batch.put(rowKey(key), rowBytes)
        batch.put(bodyKey(key), body)
      }
    }
    await batch.write({ sync })
  })
  return {
    put: (key, body) => change({ key, body }),
    delete: (key) => change({ key, body: undefined }),
    get: (key) => Promise.resolve(db.getSync(rowKey(key)) && db.getSync(bodyKey(key))),
    head: (key) => Promise.resolve(db.getSync(rowKey(key)) && db.getSync(bodyKey(key))?.length),
    list: (after) => countRows(db, Buffer.from(`r/${after}\0`), pageEntries),
    close: () => db.close(),
  }
}

/** Writes `count` rows, named in order. */
export async function fillRows(db: LevelDatabase, count: number): Promise<void> {
  for (let i = 0; i < count; ) {
    const batch = db.batch()
    for (const end = Math.min(count, i + pageEntries); i < end; i++) batch.put(rowKey(rowName(i, count)), rowBytes)
    await batch.write({ sync: false })
  }
}

/** Ten prefixes, as the listing by delimiter has them. */
export const rowName = (i: number, count: number): string =>
  `${Math.floor((i * 10) / Math.max(count, 1))}/${String(i).padStart(8, '0')}`

/** Reads up to `limit` rows, a thousand at a time. */
export async function countRows(db: LevelDatabase, gte: Uint8Array, limit: number): Promise<number> {
  const iterator = db.iterator({ gte, lt: pastRows, highWaterMarkBytes: 1024 * 1024 })
  try {
    let count = 0
    while (count < limit) {
      const { length } = await iterator.nextv(Math.min(pageEntries, limit - count))
      if (length === 0) break
      count += length
    }
    return count
  } finally {
    await iterator.close()
  }
}

export const allRows = Buffer.from('r/')

/** Reads one row, then seeks past its prefix, until there is none: the least work of a listing by delimiter. */
export async function countPrefixes(db: LevelDatabase): Promise<number> {
  const iterator = db.iterator({ gte: allRows, lt: pastRows })
  try {
    let count = 0
    for (;;) {
      const [row] = await iterator.nextv(1)
      if (row === undefined) return count
      count++
      const key = Buffer.from(row[0]).toString()
      iterator.seek(Buffer.from(`${key.slice(0, key.indexOf('/', 2))}0`))
    }
  } finally {
    await iterator.close()
  }
}
