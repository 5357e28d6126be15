/**
 * The disk format, pinned: events written by format 1 are read back for ever, byte for byte as they were written.
 * If this fails, the format changed: give the event a new schema version and an upcast, and add new golden files;
 * these stay as they are. (`UPDATE_GOLDEN=1` writes them, for a format that was never released.)
 */
import { readFile, writeFile } from 'node:fs/promises'
import { memoryBlobs, memoryJournal, nodeHashing } from '@varve/adapters'
import { type Journal, openEngine, type StorePorts } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { fixedWorld, goldenSession } from './golden-session.ts'

const file = (name: string) => new URL(`./format-1/${name}`, import.meta.url)
const headerBytes = 5

async function ports(): Promise<StorePorts> {
  return { journal: await memoryJournal(), blobs: memoryBlobs(), hashing: await nodeHashing(), ...fixedWorld() }
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

describe('format 1', () => {
  it('writes every kind of event as it always did', async () => {
    const world = await ports()
    const store = await goldenSession(world)
    const lines = await eventLines(world.journal)
    if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(file('events.txt'), lines)
    expect(lines).toBe(await readFile(file('events.txt'), 'utf8'))
    const types = new Set(lines.match(/"type":"\w+","v"/g))
    expect(types.size).toBe(11)
    await store.close()
  })

  it('opens a log it wrote, and makes its views', async () => {
    const world = await ports()
    const lines = (await readFile(file('events.txt'), 'utf8')).trimEnd().split('\n')
    const events = lines.map((line) =>
      Buffer.from(`${line.slice(0, headerBytes * 2)}${Buffer.from(line.slice(11)).toString('hex')}`, 'hex'),
    )
    await world.journal.commit({ expectedHead: 0, events, rows: [] })
    const store = await openEngine(world)
    expect(await store.buckets.getVersioning('golden')).toBe('Suspended')
    expect(await store.objects.head('golden', 'plain')).toMatchObject({ size: 25, owner: { name: 'Alice' } })
    expect((await (await store.at(2)).objects.head('golden', 'plain')).metadata).toMatchObject({ colour: 'grün' })
    await expect(store.objects.head('golden', 'assembled')).rejects.toMatchObject({ code: 'NoSuchKey' })
    await store.close()
  })
})
