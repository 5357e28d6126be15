/**
 * Replaces damaged events of a log by those of copies of it. What a copy has counts only if the chain proves it: the first event continues the
 * one before the damage, and the hash of the last one is the one that the event behind the damage, or a remembered end of the log, has of it.
 */
import { isStorageError } from '../base/errors.ts'
import { decodeEvent, type DecodedEvent } from '../events/event-codec.ts'
import { readEvent } from '../events/log.ts'
import type { Hashing, Journal, Seq, StoredEvent, Tip } from '../ports/index.ts'
import type { Cancelable } from '../api/types/index.ts'
import { type DamagedRun, type EventSource, MendedJournal, type MendedRun } from './mended-journal.ts'
import { positions } from './salvage.ts'

export interface LogMending extends Cancelable {
  readonly journal: Journal
  readonly hashing: Hashing
  /** In the order in which they are asked. */
  readonly sources: readonly EventSource[]
  /** The last event before any damage. */
  readonly soundTo: Seq
  /** Ends of the log that were remembered elsewhere. */
  readonly tips: readonly Tip[]
}

/** A log without the damage. */
export interface MendedLog {
  readonly journal: Journal
  readonly runs: readonly MendedRun[]
  /** The last event. */
  readonly head: Seq
}

/** `undefined` if no event is damaged, or no source has it. @throws StorageError `LogCorrupt`, `JournalFailed` if the log cannot be read around it */
export async function mendLog(mending: LogMending): Promise<MendedLog | undefined> {
  const head = await mending.journal.head()
  const runs: MendedRun[] = []
  for (const run of await damagedRuns(mending, head)) {
    const source = await sourceOf(mending, run, head)
    if (source === undefined) return undefined
    runs.push({ ...run, source })
  }
  const last = runs.at(-1)
  if (last === undefined) return undefined
  const end = Math.max(head, last.to)
  return { journal: new MendedJournal(mending.journal, runs, end), runs, head: end }
}

/** Both events of a broken link are in doubt: either can be the one that was changed. */
async function damagedRuns(mending: LogMending, head: Seq): Promise<readonly DamagedRun[]> {
  const { journal, hashing, soundTo, tips, signal } = mending
  const runs = new Runs()
  let prev: string | undefined = await hashBefore(mending, soundTo + 1)
  const end = Math.max(head, ...tips.map(({ seq }) => seq))
  for await (const [seq, stored] of positions({ from: journal, soundTo, to: head, ...(signal && { signal }) })) {
    const decoded = stored && decodedOf(hashing, stored)
    if (decoded === undefined) runs.add(seq, seq)
    else if (prev !== undefined && decoded.event.prev !== prev) runs.add(Math.max(1, seq - 1), seq)
    else if (tips.some((tip) => tip.seq === seq && tip.hash !== decoded.hash)) runs.add(seq, seq)
    prev = decoded?.hash
  }
  if (end > head) runs.add(head + 1, end)
  return runs.all
}

class Runs {
  readonly all: { from: Seq; to: Seq }[] = []

  add(from: Seq, to: Seq): void {
    const last = this.all.at(-1)
    if (last !== undefined && from <= last.to + 1) {
      last.from = Math.min(last.from, from)
      last.to = to
    } else this.all.push({ from, to })
  }
}

/** The hash of the event before; empty before the first one. */
async function hashBefore({ journal, hashing }: LogMending, seq: Seq): Promise<string> {
  return seq === 1 ? '' : (await readEvent({ journal, hashing }, seq - 1)).hash
}

function decodedOf(hashing: Hashing, stored: StoredEvent): DecodedEvent | undefined {
  try {
    return decodeEvent(hashing, stored)
  } catch (error) {
    // The chain proves whether an event of a newer release was written there, or has become one.
    if (isStorageError(error, 'LogCorrupt', 'UnsupportedFormat')) return undefined
    throw error
  }
}

async function sourceOf(mending: LogMending, run: DamagedRun, head: Seq): Promise<EventSource | undefined> {
  const last = await hashOfLast(mending, run, head)
  if (last === undefined) return undefined
  const prev = await hashBefore(mending, run.from)
  for (const source of mending.sources) {
    mending.signal?.throwIfAborted()
    if (await fits(mending.hashing, source, { ...run, prev, last })) return source
  }
  return undefined
}

/** The hash that the last event of the run had; `undefined` if nothing tells. */
async function hashOfLast(
  { journal, hashing, tips }: LogMending,
  { to }: DamagedRun,
  head: Seq,
): Promise<string | undefined> {
  if (to < head) return (await readEvent({ journal, hashing }, to + 1)).event.prev
  return tips.find(({ seq }) => seq === to)?.hash
}

interface Ends extends DamagedRun {
  readonly prev: string
  readonly last: string
}

async function fits(hashing: Hashing, { journal }: EventSource, { from, to, prev, last }: Ends): Promise<boolean> {
  let [next, hash] = [from, prev]
  try {
    for await (const stored of journal.events({ from, to })) {
      const decoded = decodeEvent(hashing, stored)
      if (stored.seq !== next || decoded.event.prev !== hash) return false
      next++
      hash = decoded.hash
    }
  } catch (error) {
    if (isStorageError(error)) return false
    throw error
  }
  return next === to + 1 && hash === last
}
