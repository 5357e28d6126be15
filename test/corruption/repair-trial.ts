/** What a repair claims to have repaired, held against the truth; and what a salvage saves, where there is no repair. */
import { rm } from 'node:fs/promises'
import { isLeftover, isStorageError, type VerifyReport } from '@varve/core'
import { openStore, repairStore, salvageStore } from 'varve'
import { type Requested, askIn, looking, type Truth } from './asking.ts'

export type RepairOutcome =
  /** Nothing is left to find, and every answer is right. */
  | 'repaired'
  /** What is left is named; all other answers are right. */
  | 'partly'
  /** The log is damaged: what comes before was saved, and is right. */
  | 'salvaged'
  /** Nothing could be saved, and the error reports that. */
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

function judge({ refused, wrong, errors, unnamed }: Requested, after: VerifyReport): RepairVerdict {
  const left = after.divergences.filter((found) => !isLeftover(found))
  const bad = [...wrong, ...unnamed]
  if (bad.length > 0) return { outcome: 'wrong', wrong: bad }
  if (left.length > 0) return { outcome: 'partly', wrong: [] }
  const unreported = [...errors, ...(refused === undefined ? [] : [refused])]
  if (unreported.length > 0)
    return { outcome: 'wrong', wrong: [`nothing is left to find, but: ${unreported.join(', ')}`] }
  return { outcome: 'repaired', wrong: [] }
}

/** An event but for how it is linked, and for versions beside it, which may be lost. */
function plain(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const { prev: _prev, data, ...event } = JSON.parse(text) as { readonly prev: string; readonly data: object }
  const { replaces: _, promotes: _p, copiedFrom: _c, ...rest } = data as Readonly<Record<string, unknown>>
  return JSON.stringify({ ...event, data: rest })
}

/** What a salvage itself adds: marks in the places of lost events, and an epoch behind an end that is in doubt. */
function isAdded(event: string): boolean {
  const { type, data } = JSON.parse(event) as { readonly type: string; readonly data: { readonly reason?: string } }
  return type === 'EventLost' || (type === 'EpochBegun' && data.reason === 'salvaged')
}

/** What was saved must equal the true log at the same positions. Events that were not saved must be marked as lost. */
async function trySalvage(dir: string, into: string, { log }: Truth): Promise<RepairVerdict> {
  await rm(into, { recursive: true, force: true })
  try {
    const { events } = await salvageStore(dir, into)
    const store = await openStore(into, looking)
    try {
      const { divergences } = await store.verify()
      const saved: string[] = []
      for await (const event of store.log()) saved.push(JSON.stringify(event))
      const kept = saved.filter((event) => !isAdded(event)).length === events
      const same = kept && saved.every((event, i) => isAdded(event) || plain(event) === plain(log[i]))
      const unreported = divergences.filter(({ kind }) => !/^(Blob|Inline|DataKey)/.test(kind))
      if (same && unreported.length === 0) return { outcome: 'salvaged', wrong: [] }
      return { outcome: 'wrong', wrong: [`salvaged ${saved.length} of ${log.length}`, JSON.stringify(divergences)] }
    } finally {
      await store.close()
    }
  } catch (error) {
    if (isStorageError(error)) return { outcome: 'lost', wrong: [] }
    return { outcome: 'wrong', wrong: [`salvage: ${String(error)}`] }
  }
}
