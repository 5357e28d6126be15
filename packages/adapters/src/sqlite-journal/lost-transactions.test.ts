/** Damage in a write-ahead log: distinguished from its end wherever a later transaction is whole, and never where there is none. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Journal } from '@varve/core'
import { isStorageError } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { openedJournals } from '../row-states/opened-journals.fixture.ts'
import { openSqliteJournal } from './open-sqlite-journal.ts'
import { sqliteEngines } from './sqlite-engines.fixture.ts'

const { directory, opened } = openedJournals(openSqliteJournal)
const [, openSql] = sqliteEngines[0] as (typeof sqliteEngines)[number]
const commits = 8
const frameLength = 24 + 4096

interface Files {
  readonly database: Buffer
  readonly wal: Buffer
}

async function filesOf(path: string): Promise<Files> {
  const read = (name: string) => readFile(join(path, name))
  return { database: await read('log.sqlite'), wal: await read('log.sqlite-wal') }
}

async function write(path: string, { database, wal }: Files): Promise<string> {
  await writeFile(join(path, 'log.sqlite'), database)
  await writeFile(join(path, 'log.sqlite-wal'), wal)
  return path
}

async function fill(journal: Journal, count: number, size = 6000): Promise<void> {
  for (let head = await journal.head(), end = head + count; head < end; head++) {
    const rows = [{ key: Uint8Array.of(1, head), value: new Uint8Array(size).fill(head) }]
    await journal.commit({ expectedHead: head, events: [Uint8Array.of(head)], rows })
  }
}

/** The files of a journal whose process was killed, and how many frames its log had after each commit. */
async function killed(): Promise<Files & { readonly ends: readonly number[] }> {
  const path = await directory()
  const journal = await opened(path, { openSql, checkpointBytes: 1e9 })
  const ends: number[] = []
  for (let i = 0; i < commits; i++) {
    await fill(journal, 1)
    ends.push((((await filesOf(path)).wal.length - 32) / frameLength) | 0)
  }
  return { ...(await filesOf(path)), ends }
}

/** How many commits there are, or the code of the refusal. */
async function outcome(files: Files): Promise<number | string> {
  try {
    const journal = await opened(await write(await directory(), files), { openSql, createIfMissing: false })
    const head = await journal.head()
    for (let at = 0; at < head; at++) {
      expect(await journal.get(Uint8Array.of(1, at))).toEqual(new Uint8Array(6000).fill(at))
    }
    await journal.close()
    return head
  } catch (error) {
    if (isStorageError(error)) return error.code
    throw error
  }
}

function flipped(bytes: Buffer, at: number, bit: number): Buffer {
  const damaged = Buffer.from(bytes)
  damaged[at] = (damaged[at] as number) ^ (1 << bit)
  return damaged
}

describe('one flipped bit in a write-ahead log', () => {
  it('loses no transaction but the last without a word, wherever it is', async () => {
    const { database, wal, ends } = await killed()
    const frames = ends.at(-1) ?? 0
    const lastBegins = ends.at(-2) ?? 0
    // One frame in nine of those before the last two transactions: they differ only in their place.
    for (let frame = 0; frame < frames; frame += frame < lastBegins - 4 ? 9 : 1) {
      const places = [0, 4, 6, 8, 11, 12, 15, 16, 19, 20, 23, 24, 24 + ((frame * 997) % 4096), frameLength - 1]
      for (const [i, place] of places.entries()) {
        const at = 32 + frame * frameLength + place
        const found = await outcome({ database, wal: flipped(wal, at, (frame + i) % 8) })
        if (frame < lastBegins) expect(found, `frame ${frame}, byte ${place}`).toBe('AcknowledgedWritesLost')
        else expect([commits, commits - 1, 'AcknowledgedWritesLost'], `frame ${frame}, byte ${place}`).toContain(found)
      }
    }
  }, 120_000)

  it('in the header loses nothing without a word', async () => {
    const { database, wal } = await killed()
    for (let at = 0; at < 32; at++) {
      const found = await outcome({ database, wal: flipped(wal, at, at % 8) })
      expect([commits, 'AcknowledgedWritesLost'], `byte ${at}`).toContain(found)
    }
  }, 60_000)
})

describe('a commit that the power cut off', () => {
  it('is no damage, whichever of its pages are on the disk', async () => {
    const { database, wal, ends } = await killed()
    const [from, to] = [ends.at(-2) ?? 0, ends.at(-1) ?? 0]
    for (let kept = 0; kept < 2 ** (to - from); kept++) {
      const torn = Buffer.from(wal)
      for (let frame = from; frame < to; frame++) {
        const at = 32 + frame * frameLength
        if ((kept & (1 << (frame - from))) === 0) torn.fill(kept % 2 === 0 ? 0 : 0xa5, at, at + frameLength)
      }
      const whole = kept === 2 ** (to - from) - 1
      expect(await outcome({ database, wal: torn }), `pages ${kept.toString(2)}`).toBe(whole ? commits : commits - 1)
    }
  }, 60_000)

  it('is no damage wherever the file ends', async () => {
    const { database, wal, ends } = await killed()
    for (let length = 0; length < wal.length; length += 19_001) {
      const complete = ends.filter((end) => 32 + end * frameLength <= length).length
      const found = await outcome({ database, wal: wal.subarray(0, length) })
      if (complete > 0) expect(found, `${length} bytes`).toBe(complete)
    }
  }, 60_000)

  it('is not mixed with what is written after it, cut off again and again', async () => {
    let files: Files = await killed()
    let count = commits
    for (let round = 0; round < 6; round++) {
      const path = await write(await directory(), files)
      const journal = await opened(path, { openSql, checkpointBytes: 1e9, createIfMissing: false })
      expect(await journal.head()).toBe(count)
      await fill(journal, 2)
      await fill(journal, 1, 6000 * (6 - round))
      const { database, wal } = await filesOf(path)
      const torn = Buffer.from(wal)
      // The first page of the last commit is not there, the others are.
      const frames = (wal.length - 32) / frameLength
      const at = 32 + (frames - 3) * frameLength
      torn.fill(0, at, at + frameLength)
      files = { database, wal: torn }
      count += 2
    }
  }, 60_000)
})

it('a write-ahead log that was copied into the database in part, and begun anew, is whole', async () => {
  const path = await directory()
  const journal = await opened(path, { openSql, checkpointBytes: 40 * 1024 })
  for (let i = 0; i < 16; i++) {
    await fill(journal, 1)
    await new Promise((resolve) => setImmediate(resolve))
    expect(await outcome(await filesOf(path))).toBe(i + 1)
  }
})
