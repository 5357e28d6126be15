import { mkdir } from 'node:fs/promises'
import type { Journal } from '@varve/core'
import { afterEach } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'

/** Journals in directories of their own, closed after each test; `open` creates one where there is none. */
export function openedJournals<O extends object>(open: (path: string, options: O) => Promise<Journal>) {
  const scratch = scratchDirectory()
  const journals: Journal[] = []
  afterEach(async () => {
    await Promise.all(journals.splice(0).map((journal) => journal.close().catch(() => undefined)))
  })
  const closedAfterwards = (journal: Journal): Journal => {
    journals.push(journal)
    return journal
  }
  return {
    scratch,
    closedAfterwards,
    /** One that is there, and empty. */
    async directory(): Promise<string> {
      const path = scratch.next()
      await mkdir(path)
      return path
    },
    async opened(path: string, options?: O): Promise<Journal> {
      return closedAfterwards(await open(path, { createIfMissing: true, ...options } as O))
    },
  }
}
