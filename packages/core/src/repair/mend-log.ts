/**
 * Replaces damaged events of a log by those of copies of it. What a copy has counts only if the chain proves it: the first event continues the
 * one before the damage, and the hash of the last one is the one that the event behind the damage, or a remembered end of the log, has of it.
 */
import { isStorageError } from '../base/errors.ts'
import { decodeEvent, type DecodedEvent } from '../events/event-codec.ts'
import { type LogPorts, readEvent } from '../events/log.ts'
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
  const end = Math.max(head, ...mending.tips.map(({ seq }) => seq))
  let runs: readonly MendedRun[] = []
  let damaged = await damagedRuns(mending, head, end)
  for (let [run] = damaged; run !== undefined; [run] = damaged) {
    const mended = await mendedRun(mending, run, { head, end })
    if (mended === undefined) return undefined
    // It can have become longer, and reach those beside it.
    const meets = ({ from, to }: DamagedRun): boolean => from <= mended.to + 1 && mended.from <= to + 1
    const others = damaged.slice(1)
    const met = [...runs, ...others].filter(meets)
    runs = runs.filter((one) => !meets(one))
    damaged = others.filter((one) => !meets(one))
    if (met.length === 0) runs = [...runs, mended]
    else damaged = [spanOf([mended, ...met]), ...damaged]
  }
  const last = runs.at(-1)
  if (last === undefined) return undefined
  const mendedHead = Math.max(head, last.to)
  return { journal: new MendedJournal(mending.journal, runs, mendedHead), runs, head: mendedHead }
}

const spanOf = (runs: readonly DamagedRun[]): DamagedRun => ({
  from: Math.min(...runs.map(({ from }) => from)),
  to: Math.max(...runs.map(({ to }) => to)),
})

/** Both events of a broken link are in doubt: either can be the one that was changed. */
async function damagedRuns(mending: LogMending, head: Seq, end: Seq): Promise<readonly DamagedRun[]> {
  const { journal, hashing, soundTo, tips, signal } = mending
  const runs = new Runs()
  let prev: string | undefined = await hashBefore(mending, soundTo + 1)
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

interface LogEnds {
  /** The last event of the log. */
  readonly head: Seq
  /** The last one that the log had, as far as is known. */
  readonly end: Seq
}

async function mendedRun(mending: LogMending, damage: DamagedRun, ends: LogEnds): Promise<MendedRun | undefined> {
  for (const source of mending.sources) {
    mending.signal?.throwIfAborted()
    const run = await inDoubt(mending, source, damage, ends)
    const last = run && (await hashOfLast(mending, run, ends.head))
    if (run === undefined || last === undefined) continue
    const prev = await hashBefore(mending, run.from)
    if (await fits(mending.hashing, source, { ...run, prev, last })) return { ...run, source }
  }
  return undefined
}

/** So many events beside a run can be others than those of a source. */
const inDoubtMax = 1000

/**
 * The run, with the events beside it that are others than those of the source: nothing but the damaged event proves that the one beside it
 * was not changed. The hash behind the run decides whose are right.
 */
async function inDoubt(
  { journal, hashing }: LogMending,
  source: EventSource,
  { from, to }: DamagedRun,
  { end }: LogEnds,
): Promise<DamagedRun | undefined> {
  const isAnother = async (seq: Seq): Promise<boolean> => {
    const theirs = await hashIn({ journal: source.journal, hashing }, seq)
    return theirs !== undefined && theirs !== (await hashIn({ journal, hashing }, seq))
  }
  let [first, last] = [from, to]
  while (first > 1 && from - first <= inDoubtMax && (await isAnother(first - 1))) first--
  while (last < end && last - to <= inDoubtMax && (await isAnother(last + 1))) last++
  const isWithin = from - first <= inDoubtMax && last - to <= inDoubtMax
  return isWithin ? { from: first, to: last } : undefined
}

/** `undefined` if there is no such event that is whole. */
async function hashIn(log: LogPorts, seq: Seq): Promise<string | undefined> {
  try {
    return (await readEvent(log, seq)).hash
  } catch (error) {
    if (isStorageError(error)) return undefined
    throw error
  }
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
