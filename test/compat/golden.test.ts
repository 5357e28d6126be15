/**
 * The disk format, pinned: what format 1 writes, event by event and row by row.
 *
 * If a test of events fails, the format changed. Give the event a new version, and keep these files as they are. If the
 * test of rows fails, raise `viewsVersion`. (`UPDATE_GOLDEN=1` writes the files, for a format that was never released.)
 */
import { readFile, writeFile } from 'node:fs/promises'
import { memoryBlobs, memoryJournal, memoryMedium, nodeHashing } from '@varve/adapters'
import { encodeEvent, eventTypes, type Journal, openEngine, type Store, type StorePorts } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { describeKey } from '#core/views/describe-key'
import { RowEncoder } from '#core/views/row-codec'
import { erasingTable, garbageTable, ownerSharedTable, unpinnedTable } from '#core/views/content-tables'
import { deletedBucketTable, newestChangeTable, taskTable } from '#core/views/tables'
import { fixedWorld, goldenSession } from './golden-session.ts'
import { secondGoldenSession } from './golden-session-2.ts'
import { thirdGoldenSession } from './golden-session-3.ts'
import { fourthGoldenSession } from './golden-session-4.ts'
import { fifthGoldenSession } from './golden-session-5.ts'
import { sixthGoldenSession } from './golden-session-6.ts'
import { seventhGoldenSession } from './golden-session-7.ts'
import { eighthGoldenSession } from './golden-session-8.ts'
import { ninthGoldenSession } from './golden-session-9.ts'
import { tenthGoldenSession } from './golden-session-10.ts'
import { eleventhGoldenSession } from './golden-session-11.ts'
import { twelfthGoldenSession } from './golden-session-12.ts'
import { thirteenthGoldenSession } from './golden-session-13.ts'
import { fourteenthGoldenSession } from './golden-session-14.ts'
import { fifteenthGoldenSession } from './golden-session-15.ts'
import { sixteenthGoldenSession } from './golden-session-16.ts'

const sessions = {
  1: goldenSession,
  2: secondGoldenSession,
  3: thirdGoldenSession,
  4: fourthGoldenSession,
  5: fifthGoldenSession,
  6: sixthGoldenSession,
  7: seventhGoldenSession,
  8: eighthGoldenSession,
  9: ninthGoldenSession,
  10: tenthGoldenSession,
  11: eleventhGoldenSession,
  12: twelfthGoldenSession,
  13: thirteenthGoldenSession,
  14: fourteenthGoldenSession,
  15: fifteenthGoldenSession,
  16: sixteenthGoldenSession,
}
const numbers = Object.keys(sessions) as unknown as readonly (keyof typeof sessions)[]
const everyRow = { gte: Uint8Array.of(0), lt: Uint8Array.of(0xff) }

const file = (name: string) => new URL(`./format-1/${name}`, import.meta.url)
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const secret = { read: async () => new Uint8Array(32) }

async function ports(): Promise<StorePorts> {
  return {
    journal: await memoryJournal(memoryMedium(), { exclusive: true }),
    blobs: memoryBlobs(),
    hashing: await nodeHashing(),
    secret,
    ...fixedWorld(),
  }
}

/** One line an event: its type for people, then its frame. */
async function eventLines(store: Store, journal: Journal): Promise<string> {
  const types: string[] = []
  for await (const { type } of store.log()) types.push(type)
  const lines: string[] = []
  for await (const { seq, bytes } of journal.events()) lines.push(`${types[seq - 1]} ${hex(bytes)}\n`)
  return lines.join('')
}

/** One line a row: its table for people, its key, its frame. */
async function rowLines(journal: Journal): Promise<string> {
  const cursor = journal.cursor(everyRow)
  const rows = await cursor.next(10_000)
  await cursor.close()
  return rows.map(([key, frame]) => `${describeKey(key).table} ${hex(key)} ${hex(frame)}\n`).join('')
}

async function pinned(name: string, lines: string): Promise<string> {
  if (process.env['UPDATE_GOLDEN'] !== undefined) await writeFile(file(name), lines)
  return readFile(file(name), 'utf8')
}

/** The first word of each line. */
const namesIn = (lines: string): readonly string[] =>
  lines
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ')[0] ?? '')

describe('format 1', () => {
  it.each(numbers)('writes events and rows as it always did: session %s', async (number) => {
    const world = await ports()
    const store = await sessions[number](world)
    const events = await eventLines(store, world.journal)
    expect(events).toBe(await pinned(`events-${number}.txt`, events))
    const rows = await rowLines(world.journal)
    expect(rows).toBe(await pinned(`rows-${number}.txt`, rows))
    await store.close()
  })

  it.each(numbers)('makes the same rows of the log that it wrote: session %s', async (number) => {
    const world = await ports()
    const lines = (await readFile(file(`events-${number}.txt`), 'utf8')).trimEnd().split('\n')
    const events = lines.map((line) => Buffer.from(line.split(' ')[1] ?? '', 'hex'))
    await world.journal.commit({ expectedHead: 0, events, rows: [] })
    const store = await openEngine(world)
    const made = (await rowLines(world.journal)).split('\n')
    const pinnedRows = (await readFile(file(`rows-${number}.txt`), 'utf8')).split('\n')
    expect(made).toEqual(pinnedRows.filter((line) => !/^(inline|dataKey) /.test(line)))
    await store.close()
  })

  it('has pinned every kind of event and every table', async () => {
    const hashing = await nodeHashing()
    const by = { id: 'a', name: 'b' }
    const lost = { type: 'EventLost', data: { reason: 'dependent', dependsOn: 3, bytes: 9, sha256: 'abc_' } } as const
    const event = encodeEvent(hashing, { ...lost, seq: 5, at: 6, by, requestId: 'r', prev: '' })
    expect(hex(event)).toBe('11828386022f01050600016101620272070303090769b73f')
    const encoder = new RowEncoder(hashing)
    const garbage = garbageTable.key({ freedBy: 3, index: 1 }).bytes
    const parts = { at: 6, content: { kind: 'parts', upload: 300 }, home: 2, crossed: true, bytes: 9 } as const
    expect(hex(encoder.encode(garbage, parts))).toBe('c963c31c02010602ac020209')
    const erasing = erasingTable.key({ freedBy: 3, index: 1 }).bytes
    expect(hex(encoder.encode(erasing, parts))).toBe('200bcefe02010602ac020209')
    const deleted = deletedBucketTable.key(7).bytes
    expect(hex(encoder.encode(deleted, { bucket: 'b', incarnation: 2 }))).toBe('a6979a3302016202')
    const unpinned = unpinnedTable.key({ position: 7, of: 2 }).bytes
    expect(hex(unpinned)).toBe('1700000000000000070000000000000002')
    expect(hex(encoder.encode(unpinned, {}))).toBe('967281e602')
    const task = taskTable.key('r').bytes
    expect(hex(task)).toBe('19720001')
    const request = { bucket: 'golden', to: 4 }
    const started = {
      id: 'r',
      kind: 'restore',
      request,
      planned: 7,
      keeps: 4,
      total: 3,
      done: 1,
      after: 'one',
    } as const
    expect(hex(encoder.encode(task, { ...started, since: 9, at: 6, by }))).toBe(
      '23abe0a402010272011a7b226275636b6574223a22676f6c64656e222c22746f223a347d07040301036f6e65090601610162',
    )
    const change = newestChangeTable.key('b', 'k', 9).bytes
    expect(hex(encoder.encode(change, { version: 300 }))).toBe('169848cd02ac02')

    const shared = ownerSharedTable.key('a').bytes
    expect(hex(shared)).toBe('4e610001')
    expect(hex(encoder.encode(shared, { bytes: 300 }))).toBe('1d742c6702ac02')

    const all = async (kind: 'events' | 'rows'): Promise<readonly string[]> => {
      const texts = await Promise.all(numbers.map((number) => readFile(file(`${kind}-${number}.txt`), 'utf8')))
      return [...new Set(texts.flatMap(namesIn))]
    }
    expect([...(await all('events')), 'EventLost'].sort()).toEqual([...eventTypes].sort())
    expect(await all('rows')).toHaveLength(44)
  })
})
