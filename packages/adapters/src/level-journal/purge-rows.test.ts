import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { levelJournal } from './level-journal.ts'
import { openLevelDirectory } from './open-level-directory.ts'

it('leaves nothing of a row in the files, once no older state is held', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'purge-'))
  const journal = await levelJournal(await openLevelDirectory(dir, { createIfMissing: true }))
  const secret = 'a-secret-of-24-bytes-abc'
  const key = Uint8Array.of(7)
  const isThere = async () => {
    const files = await Promise.all((await readdir(dir)).map((name) => readFile(join(dir, name))))
    return files.some((bytes) => bytes.includes(secret))
  }
  try {
    await journal.commit({ events: [], rows: [{ key, value: Buffer.from(secret) }] })
    const snapshot = await journal.snapshot()
    expect(await journal.purge?.([key])).toBe(false)
    expect(await snapshot.get(key)).toEqual(Buffer.from(secret))
    await snapshot.close()
    expect(await journal.purge?.([key])).toBe(true)
    expect(await journal.get(key)).toBeUndefined()
    expect(await isThere()).toBe(false)
  } finally {
    await journal.close()
    await rm(dir, { recursive: true })
  }
})
