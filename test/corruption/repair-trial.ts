/** What a repair claims to have repaired, held against the truth; and what a salvage saves, where there is no repair. */
import { rm } from 'node:fs/promises'
import { isLeftover, isStorageError, type VerifyReport } from '@varve/core'
import { openStore, repairStore, salvageStore } from 'varve'
import { type Asked, askIn, looking, type Truth } from './asking.ts'

export type RepairOutcome =
  /** Nothing is left to find, and every answer is right. */
  | 'repaired'
  /** What is left is named; all other answers are right. */
  | 'partly'
  /** The log is damaged: what comes before was saved, and is right. */
  | 'salvaged'
  /** Nothing could be saved, and that was said. */
  | 'lost'
  /** Claims that do not hold. */
  | 'wrong'

export interface RepairVerdict {
  readonly outcome: RepairOutcome
  readonly wrong: readonly string[]
}

export async function tryRepair(dir: string, salvageDir: string, truth: Truth): Promise<RepairVerdict> {
  try {
    const { after } = await repairStore(dir)
    return judge(await askIn(dir, truth), after)
  } catch (error) {
    if (!isStorageError(error)) return { outcome: 'wrong', wrong: [`repair: ${String(error)}`] }
    if (error.code !== 'LogCorrupt') return { outcome: 'lost', wrong: [] }
  }
  return trySalvage(dir, salvageDir, truth)
}

function judge({ refused, wrong, errors, unnamed }: Asked, after: VerifyReport): RepairVerdict {
  const left = after.divergences.filter((found) => !isLeftover(found))
  const bad = [...wrong, ...unnamed]
  if (bad.length > 0) return { outcome: 'wrong', wrong: bad }
  if (left.length > 0) return { outcome: 'partly', wrong: [] }
  const unsaid = [...errors, ...(refused === undefined ? [] : [refused])]
  if (unsaid.length > 0) return { outcome: 'wrong', wrong: [`nothing is left to find, but: ${unsaid.join(', ')}`] }
  return { outcome: 'repaired', wrong: [] }
}

/** The log of what was saved must be the beginning of the true one. */
async function trySalvage(dir: string, into: string, { log }: Truth): Promise<RepairVerdict> {
  await rm(into, { recursive: true, force: true })
  try {
    const { events } = await salvageStore(dir, into)
    const store = await openStore(into, looking)
    try {
      const { divergences } = await store.verify()
      const saved: string[] = []
      for await (const event of store.log()) saved.push(JSON.stringify(event))
      const same = saved.every((event, i) => event === log[i]) && saved.length === events
      const unsaid = divergences.filter(({ kind }) => !kind.startsWith('Blob') && !kind.startsWith('Inline'))
      if (same && unsaid.length === 0) return { outcome: 'salvaged', wrong: [] }
      return { outcome: 'wrong', wrong: [`salvaged ${saved.length} of ${log.length}`, JSON.stringify(divergences)] }
    } finally {
      await store.close()
    }
  } catch (error) {
    if (isStorageError(error)) return { outcome: 'lost', wrong: [] }
    return { outcome: 'wrong', wrong: [`salvage: ${String(error)}`] }
  }
}
