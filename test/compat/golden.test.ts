/**
 * The disk format, pinned: events written by format 1 are read back for ever, byte for byte as they were written.
 * If this fails, the format changed: give the event a new schema version and an upcast, and add new golden files;
 * these stay as they are. (`UPDATE_GOLDEN=events-3.txt` writes that file, for a format that was never released.)
 */
import { readFile, writeFile } from 'node:fs/promises'
import { memoryBlobs, memoryJournal, memoryMedium, nodeHashing } from '@varve/adapters'
import {
  dataKeyRow,
  type Event,
  type Journal,
  openEngine,
  splitOldSeal,
  type Store,
  type StorePorts,
} from '@varve/core'
import { describe, expect, it } from 'vitest'
import { fixedWorld, goldenSession } from './golden-session.ts'
import { secondGoldenSession } from './golden-session-2.ts'
import { thirdGoldenSession } from './golden-session-3.ts'
import { fourthGoldenSession } from './golden-session-4.ts'

const file = (name: string) => new URL(`./format-1/${name}`, import.meta.url)
const headerBytes = 5
const hashing = await nodeHashing()
const secret = { read: async () => new Uint8Array(32) }

async function ports(): Promise<StorePorts> {
  return {
    journal: await memoryJournal(memoryMedium(), { exclusive: true }),
    blobs: memoryBlobs(),
    hashing,
    secret,
    ...fixedWorld(),
  }
}

/** One line an event: the frame's header in hex, then the payload as it is. */
async function eventLines(journal: Journal): Promise<string> {
  const lines: string[] = []
  for await (const { bytes } of journal.events()) {
    const frame = Buffer.from(bytes)
    lines.push(`${frame.subarray(0, headerBytes).toString('hex')} ${frame.subarray(headerBytes).toString()}\n`)
  }
  return lines.join('')
}

/** The events of a session, as they are and as they were when its file was written. */
async function written(session: (ports: StorePorts) => Promise<Store>, name: string) {
  const world = await ports()
  const store = await session(world)
  const lines = await eventLines(world.journal)
  await store.close()
  if (process.env['UPDATE_GOLDEN'] === name) await writeFile(file(name), lines)
  return [lines, await readFile(file(name), 'utf8')] as const
}

/** A store over the events of a file, with nothing else. */
async function reopened(name: string): Promise<Store> {
  const world = await ports()
  const lines = (await readFile(file(name), 'utf8')).trimEnd().split('\n')
  const events = lines.map((line) =>
    Buffer.from(`${line.slice(0, headerBytes * 2)}${Buffer.from(line.slice(11)).toString('hex')}`, 'hex'),
  )
  await world.journal.commit({ expectedHead: 0, events, rows: [] })
  return openEngine(world)
}

/** Without their links, which cover the data keys that events contained when the file was written. */
const eventsIn = (lines: string): Event[] =>
  lines
    .trimEnd()
    .split('\n')
    .map((line) => ({ ...JSON.parse(line.slice(headerBytes * 2 + 1)), prev: '' }) as Event)

const shapesIn = (lines: string) => new Set(lines.match(/"type":"\w+","v":\d+/g))

describe('format 1', () => {
  it('writes every kind of event as it always did', async () => {
    const [first, firstThen] = await written(goldenSession, 'events.txt')
    expect(first).toBe(firstThen)
    // No event has the second shape. So an older release that does not know it can read this log.
    expect([...shapesIn(first)].filter((shape) => !shape.endsWith(':1'))).toEqual([])
    expect(shapesIn(first).size).toBe(11)
    const [second, secondThen] = await written(secondGoldenSession, 'events-2.txt')
    expect(second).toBe(secondThen)
    const [third, thirdThen] = await written(thirdGoldenSession, 'events-3.txt')
    expect(eventsIn(third)).toEqual(eventsIn(thirdThen).map((event) => splitOldSeal(hashing, event).event))
    const [fourth, fourthThen] = await written(fourthGoldenSession, 'events-4.txt')
    expect(fourth).toBe(fourthThen)
    expect(shapesIn(first + second + third + fourth).size).toBe(38)
  })

  it('opens the second log it wrote, and makes its views', async () => {
    const store = await reopened('events-2.txt')
    const settings = await store.buckets.settings.all('golden')
    expect(settings).toMatchObject({ Ownership: 'ObjectWriter', Tags: [{ key: 'colour', value: 'grün' }] })
    expect(settings).not.toHaveProperty('Policy')
    expect(await store.objects.annotations('golden', 'plain')).toMatchObject({ legalHold: 'OFF', acl: { owner: 'a1' } })
    expect(await store.objects.head('golden', 'tagged')).toMatchObject({ tagCount: 1, storageClass: 'STANDARD_IA' })
    expect(await store.objects.annotations('golden', 'assembled')).toHaveProperty('acl')
    await store.close()
  })

  it('keeps the data keys in rows that it wrote into events of the third log', async () => {
    const keys = eventsIn(await readFile(file('events-3.txt'), 'utf8')).flatMap(
      (event) => splitOldSeal(hashing, event).keys,
    )
    expect(keys).toHaveLength(5)
    const world = await ports()
    const store = await thirdGoldenSession(world)
    for (const { blobId, wrapped } of keys) {
      const { key, value } = dataKeyRow(hashing, blobId, wrapped)
      expect(await world.journal.get(key)).toEqual(value)
    }
    await store.close()
  })

  it('opens the third log it wrote, and makes its views', async () => {
    const store = await reopened('events-3.txt')
    expect(await store.keys.list()).toEqual([
      { generation: 1, master: 'master 2' },
      { generation: 2, master: 'master 2' },
    ])
    const { encryption } = await store.objects.head('golden', 'named')
    expect(encryption).toEqual({ mode: 'aws:kms', keyName: 'payroll', bucketKey: true })
    await store.close()
  })

  it('opens the fourth log it wrote, and makes its views', async () => {
    const store = await reopened('events-4.txt')
    expect((await store.uploads.listPage('golden')).entries).toMatchObject([{ key: 'one' }])
    await store.close()
  })

  it('opens a log it wrote, and makes its views', async () => {
    const store = await reopened('events.txt')
    expect(await store.buckets.getVersioning('golden')).toBe('Suspended')
    expect(await store.objects.head('golden', 'plain')).toMatchObject({ size: 25, owner: { name: 'Alice' } })
    expect((await (await store.at(2)).objects.head('golden', 'plain')).metadata).toMatchObject({ colour: 'grün' })
    await expect(store.objects.head('golden', 'assembled')).rejects.toMatchObject({ code: 'NoSuchKey' })
    await store.close()
  })
})
