/** A journal in memory: for tests and for stores that may be lost. It lives as long as its medium. */
import type { Commit, Journal } from '@varve/core'
import { MemoryLevel } from 'memory-level'
import type { LevelDatabase } from './level-database.ts'
import { levelJournal } from './level-journal.ts'

/** What outlives a closed memory journal: give it to `memoryJournal` again to reopen. */
export const memoryMedium = (): LevelDatabase =>
  new MemoryLevel<Uint8Array, Uint8Array>({ storeEncoding: 'view', keyEncoding: 'view', valueEncoding: 'view' })

export async function memoryJournal(medium: LevelDatabase = memoryMedium()): Promise<Journal> {
  const journal = await levelJournal(medium, { sync: false })
  // memory-level keeps the very arrays it is given, and they are the caller's.
  return { ...journal, commit: (commit) => journal.commit(ownBytes(commit)) }
}

const ownBytes = ({ expectedHead, events, rows }: Commit): Commit => ({
  expectedHead,
  events: events.map((bytes) => Uint8Array.from(bytes)),
  rows: rows.map(({ key, value }) => ({ key, value: value === null ? null : Uint8Array.from(value) })),
})
