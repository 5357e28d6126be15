/** The wrapped data keys of an old log become rows of the new journal: those that are needed, and no others. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryJournal, nodeHashing, openStoreDirectory, type StoreDirectory } from '@varve/adapters'
import { type Journal, StorageError, upgradeLog } from '@varve/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unpackDirectory } from '../compat/directory-archive.ts'

const archive = join(import.meta.dirname, '../compat/directories/old/sqlite+tiered-closed.br')
const dataKeys = { gte: Uint8Array.of(0x81), lt: Uint8Array.of(0x82) }
const hashing = await nodeHashing()

let scratch: string
let old: StoreDirectory
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'varve-data-keys-'))
  await unpackDirectory(await readFile(archive), scratch)
  old = await openStoreDirectory(scratch, { create: false, acceptsOlder: true })
})
afterAll(async () => {
  await old.close()
  await rm(scratch, { recursive: true, force: true })
})

const upgrade = (into: Journal) => upgradeLog({ from: old.journal, into, hashing, formats: { from: 2, to: 3 } })

/** A journal that fails at one commit, and from then on. */
function failingAt(journal: Journal, at: number): Journal & { readonly commits: () => number } {
  let count = 0
  const commit: Journal['commit'] = async (change) => {
    if (++count >= at) throw new StorageError('JournalFailed', 'As planned.')
    await journal.commit(change)
  }
  return { ...journal, commit, commits: () => count }
}

async function keysIn(journal: Journal): Promise<readonly string[]> {
  const cursor = journal.cursor(dataKeys)
  const rows = await cursor.next(1000)
  await cursor.close()
  return rows.map((row) => row.map((bytes) => Buffer.from(bytes).toString('hex')).join(' '))
}

async function textOf(journal: Journal, seqs: ReadonlySet<number>): Promise<string> {
  const texts: string[] = []
  for await (const { seq, bytes } of journal.events())
    if (seqs.has(seq)) texts.push(Buffer.from(bytes).toString('latin1'))
  return texts.join('\n')
}

describe('the data keys of an old log', () => {
  it('become rows, except those of erased bytes, and leave the events', async () => {
    const into = await memoryJournal()
    await upgrade(into)
    const keys = await keysIn(into)
    const log = await textOf(old.journal, new Set(Array.from({ length: await old.journal.head() }, (_, i) => i + 1)))
    const wrapped = new Set(log.match(/"sealed":\{[^}]*"wrapped":"[^"]+"/g))
    expect(keys.length).toBeGreaterThan(10)
    // Two objects were erased; a copy shares the key of its source.
    expect(keys.length).toBe(wrapped.size - 2)
    const all = new Set(Array.from({ length: await into.head() }, (_, i) => i + 1))
    expect(await textOf(into, all)).not.toMatch(/"sealed":\{[^}]*wrapped/)
  })

  it('are complete after a failure at any commit', async () => {
    const whole = failingAt(await memoryJournal(), Number.POSITIVE_INFINITY)
    await upgrade(whole)
    for (let at = 1; at <= whole.commits(); at++) {
      const journal = await memoryJournal()
      await expect(upgrade(failingAt(journal, at))).rejects.toMatchObject({ code: 'JournalFailed' })
      await upgrade(journal)
      expect(await keysIn(journal), `commit ${at}`).toEqual(await keysIn(whole))
    }
  })
})
