/** A journal in memory with turns at the end of its log. */
import { StorageError } from '../base/errors.ts'
import type { Commit, HeldHead, Journal } from '../ports/index.ts'

export interface Turns {
  /** Turns that were taken so far. */
  taken: number
  /** The holder loses its turn, as if it had been stopped for long. */
  lose(): void
}

/** Gives turns at the end of the log of `journal`. */
export function giveTurns(journal: Journal): Turns {
  const append = journal.commit
  let holder: HeldHead | undefined
  let free: (() => void)[] = []
  const turns: Turns = { taken: 0, lose: end }

  function end(): void {
    holder = undefined
    const waiting = free
    free = []
    for (const go of waiting) go()
  }
  const isFree = async (): Promise<void> => {
    while (holder !== undefined) await new Promise<void>((resolve) => free.push(resolve))
  }

  journal.commit = async (commit: Commit) => {
    if (commit.events.length > 0) await isFree()
    await append(commit)
  }
  journal.hold = async () => {
    await isFree()
    turns.taken++
    const release = async (): Promise<void> => {
      if (holder === held) end()
    }
    const held: HeldHead = {
      seq: 0,
      release,
      async commit(commit) {
        if (holder !== held)
          throw new StorageError('JournalConflict', 'The turn was lost.', { details: { kind: 'turn' } })
        try {
          await append(commit)
        } finally {
          await release()
        }
      },
    }
    holder = held
    Object.assign(held, { seq: await journal.head() })
    return held
  }
  return turns
}
