import type { Commit, Journal } from '@varve/core'
import type { DiskReserve } from '../files/disk-reserve.ts'

/** A journal whose commits count against the reserve: inline blobs fill a disk as well as files do. */
export const spendingJournal = (journal: Journal, reserve: Pick<DiskReserve, 'spend'>): Journal => ({
  ...journal,
  commit(commit) {
    reserve.spend(sizeOf(commit))
    return journal.commit(commit)
  },
})

function sizeOf({ events, rows }: Commit): number {
  let size = 0
  for (const bytes of events) size += bytes.length
  for (const { key, value } of rows) size += key.length + (value?.length ?? 0)
  return size
}
