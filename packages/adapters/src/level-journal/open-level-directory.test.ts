import { mkdir, readdir, rm, rmdir, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { journalContract } from '@varve/core/contracts'
import { describe, expect, it } from 'vitest'
import type { FileSystem } from '../files/file-system.ts'
import { machineFileSystem } from '../files/node-file-system.ts'
import { patient } from '../files/patient-file-system.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { twoEngines } from '../two-engines.fixture.ts'
import { levelJournal } from './level-journal.ts'
import { openLevelDirectory, repairLevelDirectory } from './open-level-directory.ts'

const scratch = scratchDirectory()

describe('the journal in a LevelDB directory', () => {
  const open = async (path: string) => levelJournal(await openLevelDirectory(path, { createIfMissing: true }))
  const openFresh = async (path = scratch.next()) => ({ instance: await open(path), reopen: () => open(path) })
  for (const { name, run } of journalContract) it(name, () => run(openFresh))
  for (const { name, run } of twoEngines) it(name, () => run(openFresh))
})

describe('opening a LevelDB directory', () => {
  async function existing(): Promise<string> {
    const path = scratch.next()
    const journal = await levelJournal(
      await openLevelDirectory(path, { createIfMissing: true, writeBufferSize: 65_536 }),
    )
    await journal.commit({ expectedHead: 0, events: [Uint8Array.of(1)], rows: [] })
    await journal.close()
    return path
  }

  it('creates nothing by default where there is no database', async () => {
    const path = scratch.next()
    await expect(openLevelDirectory(path)).rejects.toMatchObject({ code: 'LogCorrupt', details: { kind: 'missing' } })
    expect(await readdir(path)).not.toContain('CURRENT')
  })

  it('refuses a directory that lost its CURRENT file instead of starting anew', async () => {
    const path = await existing()
    await rm(join(path, 'CURRENT'))
    await expect(openLevelDirectory(path)).rejects.toMatchObject({ code: 'LogCorrupt', details: { kind: 'missing' } })
  })

  it('calls a manifest cut short damage', async () => {
    const path = await existing()
    const manifest = (await readdir(path)).find((name) => name.startsWith('MANIFEST'))
    await truncate(join(path, manifest as string), 3)
    await expect(openLevelDirectory(path)).rejects.toMatchObject({ code: 'LogCorrupt', details: { kind: 'damaged' } })
  })

  it('fails with StoreLocked while it is open elsewhere', async () => {
    const path = await existing()
    const db = await openLevelDirectory(path)
    await expect(openLevelDirectory(path)).rejects.toMatchObject({ code: 'StoreLocked' })
    await db.close()
  })

  it.each([3, 5])('waits for a file that cannot be opened for a moment: %i pauses', async (freedAt) => {
    const path = await existing()
    await rm(join(path, 'LOCK'))
    // A folder in the place of the file makes opening it fail.
    await mkdir(join(path, 'LOCK'))
    let [time, pauses] = [0, 0]
    const pause = async (ms: number) => {
      time += ms
      if (++pauses === freedAt) await rmdir(join(path, 'LOCK'))
    }
    const db = await openLevelDirectory(path, {}, { now: () => time, pause })
    expect(pauses).toBe(freedAt)
    await db.close()
  })

  it('gives up after a bounded time', async () => {
    const path = await existing()
    await rm(join(path, 'LOCK'))
    await mkdir(join(path, 'LOCK'))
    let time = 0
    const patience = { now: () => time, pause: async (ms: number) => void (time += ms) }
    await expect(openLevelDirectory(path, {}, patience)).rejects.toMatchObject({ code: 'JournalFailed' })
    expect(time).toBeGreaterThan(50)
    expect(time).toBeLessThanOrEqual(1000)
  })

  it('repairs nothing while it cannot open a file, because LevelDB would drop it', async () => {
    const path = await existing()
    let refusals = Number.POSITIVE_INFINITY
    const open: FileSystem['open'] = async (name, ...rest) => {
      if (name.endsWith('.log') && refusals-- > 0) throw Object.assign(new Error('EBUSY: busy'), { code: 'EBUSY' })
      return machineFileSystem.open(name, ...rest)
    }
    const fs = patient<FileSystem>({ ...machineFileSystem, open }, { pause: async () => undefined })
    await expect(repairLevelDirectory(path, fs)).rejects.toMatchObject({ code: 'JournalFailed' })
    refusals = 3
    await repairLevelDirectory(path, fs)
    const journal = await levelJournal(await openLevelDirectory(path))
    expect(await journal.head()).toBe(1)
    await journal.close()
  })
})
