import { cp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { levelJournal } from '../level-journal/level-journal.ts'
import { openLevelDirectory } from '../level-journal/open-level-directory.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { firstReplayed } from './first-replayed.ts'
import { isLogFile } from './level-file-names.ts'

const scratch = scratchDirectory()
const event = Uint8Array.from({ length: 300 }, (_, i) => (i * i * 31) % 251)
const row = (number: number) => ({ key: Uint8Array.of(7, number), value: event })

/** The files of a database as a kill leaves them: so many events were committed, the last of them in its log alone. */
async function killed(events: number, rowsFirst = 0): Promise<string> {
  const [path, copy] = [scratch.next(), scratch.next()]
  const db = await openLevelDirectory(path, { createIfMissing: true, writeBufferSize: 64 * 1024 })
  const journal = await levelJournal(db, { sync: false })
  for (let i = 0; i < rowsFirst; i++) await journal.commit({ expectedHead: 0, events: [], rows: [row(i)] })
  for (let head = 0; head < events; head += 2) {
    await journal.commit({ expectedHead: head, events: [event, event], rows: [row(head % 256)] })
  }
  await copyAtOnce(path, copy)
  await journal.close()
  return copy
}

/** The files of one moment, as a kill leaves them: LevelDB makes and removes some in the background, and then it is done again. */
async function copyAtOnce(path: string, copy: string): Promise<void> {
  for (;;) {
    const before = await readdir(path)
    const copied = await cp(path, copy, { recursive: true }).then(() => true, isGone)
    if (copied && before.join() === (await readdir(path)).join()) return
    await rm(copy, { recursive: true, force: true })
  }
}

function isGone(error: unknown): false {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  return false
}

const firstIn = async (path: string) => firstReplayed(nodeFileSystem, path, await readdir(path))

async function logsOf(path: string): Promise<string[]> {
  const names = await readdir(path)
  return names.filter(isLogFile).map((name) => join(path, name))
}

/** Where the log ends that opens from its tables alone. */
async function headWithoutLogs(path: string): Promise<number> {
  for (const log of await logsOf(path)) await rm(log)
  const journal = await levelJournal(await openLevelDirectory(path))
  try {
    return await journal.head()
  } finally {
    await journal.close()
  }
}

describe('the first event that LevelDB reads back from its log', () => {
  it('is that behind the last in its tables', async () => {
    const path = await killed(700)
    const first = (await firstIn(path)) as number
    expect(first).toBeGreaterThan(100)
    expect(await headWithoutLogs(path)).toBeGreaterThanOrEqual(first - 1)
  })

  it('is the first there is while there are no tables, whatever rows came before', async () => {
    expect(await firstIn(await killed(2))).toBe(1)
    expect(await firstIn(await killed(2, 3))).toBe(1)
  })

  it('is found in a log whose end is torn, and in one that is damaged further on', async () => {
    const path = await killed(50)
    const [log = ''] = await logsOf(path)
    const bytes = await readFile(log)
    await truncate(log, bytes.length - 100)
    expect(await firstIn(path)).toBe(1)
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1
    await writeFile(log, bytes)
    expect(await firstIn(path)).toBe(1)
  })

  it('is not known when a log does not begin as it was written', async () => {
    const path = await killed(50)
    const [log = ''] = await logsOf(path)
    const whole = await readFile(log)
    for (const at of [0, 5, 6, 7, 20, 300]) {
      const bytes = Buffer.from(whole)
      bytes[at] = (bytes[at] as number) ^ 1
      await writeFile(log, bytes)
      expect(await firstIn(path), `byte ${at}`).toBeUndefined()
    }
    await writeFile(log, whole.subarray(0, 100))
    expect(await firstIn(path)).toBeUndefined()
  })

  it('is unknown when there is no sign that the log holds events', async () => {
    expect(await firstIn(await killed(0))).toBeUndefined()
    expect(await firstIn(await killed(0, 3))).toBeUndefined()
    const path = await killed(50)
    for (const log of await logsOf(path)) await truncate(log, 0)
    expect(await firstIn(path)).toBeUndefined()
    for (const log of await logsOf(path)) await rm(log)
    expect(await firstIn(path)).toBeUndefined()
    expect(await firstReplayed(nodeFileSystem, path, ['000001.log'])).toBeUndefined()
  })
})
