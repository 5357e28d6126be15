/**
 * Writes the log of an older format into another journal in the current format: each event with the new hash of the one
 * before, the views computed from the new log, and the inline bytes that the views name. The old journal stays as it
 * is. An interrupted upgrade continues where its journal ends.
 */
import { StorageError } from '../base/errors.ts'
import { bringViews } from '../engine/open-log.ts'
import { corruptEvent } from '../events/event-codec.ts'
import type { DecodedOldEvent } from '../events/format-2/decode-old-event.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Seq, Tip } from '../ports/index.ts'
import { splitOldSeal } from '../events/split-old-seal.ts'
import { moveBytes } from '../repair/transplant.ts'
import { isSameJson } from '../schema/same-json.ts'
import { checkUpgrade } from './check-upgrade.ts'
import { EventRewriter, lastEvent } from './event-rewriter.ts'
import { OldLog } from './old-log.ts'
import type { UpgradeOptions } from './upgrade-options.ts'

/** What an upgrade wrote. */
export interface UpgradedLog {
  /** The end of the new log, for the witness; `undefined` for a log without events. */
  readonly tip: Tip | undefined
  /** The number of events that were re-encoded, in this call or an earlier one. */
  readonly events: number
}

const actor = { id: 'varve', name: 'upgrade' }

/** Whether `into` is empty, or its last event is the re-encoded event of `from`. Otherwise it cannot be continued. */
export async function continuesUpgrade({ from, into, hashing }: UpgradeOptions): Promise<boolean> {
  const last = await lastEvent(into, hashing)
  if (last === undefined) return (await into.head()) === 0
  const [{ event }, head, old] = [last, await from.head(), new OldLog(from, hashing)]
  if (event.type === 'FormatUpgraded') {
    const { events, tip } = event.data
    return events === head && (await old.event(head)).hash === tip
  }
  if (event.seq > head) return false
  const { event: original } = splitOldSeal(hashing, (await old.event(event.seq)).event)
  return isSameJson({ ...original, prev: event.prev }, event)
}

/**
 * @throws StorageError `LogCorrupt` when an old event is damaged (`details.seq` is its position), or when what was
 * written does not agree with it (`details.kind` is `migration`); `AcknowledgedWritesLost` when the old log ends before
 * the witness.
 */
export async function upgradeLog(options: UpgradeOptions): Promise<UpgradedLog> {
  const { from, into, hashing, signal, onProgress } = options
  const head = await from.head()
  await rewriteEvents(options, head)
  await bringViews(
    { journal: into, hashing },
    { ...(signal && { signal }), onProgress: (progress) => onProgress?.({ ...progress, stage: 'views' }) },
  )
  const watching = { ...(signal && { signal }), ...(onProgress && { onProgress }) }
  await moveBytes({ from, into, hashing, to: head, ...watching })
  return { tip: await checkUpgrade(options, head === 0 ? 0 : head + 1), events: head }
}

async function rewriteEvents({ from, into, hashing, ...options }: UpgradeOptions, head: Seq): Promise<void> {
  const old = new OldLog(from, hashing)
  const tips = [options.witness, await old.viewedTip()].flatMap((tip) => tip ?? [])
  assertReaches(head, tips)
  if (head === 0) return
  const rewriter = await EventRewriter.open(into, hashing)
  const done = rewriter.end.seq
  let end: DecodedOldEvent | undefined
  for await (const page of old.pages(firstToRead(done, head, tips), head)) {
    options.signal?.throwIfAborted()
    for (const decoded of page) {
      assertRemembered(decoded, tips)
      if (decoded.event.seq > done) rewriter.take(decoded.event)
      end = decoded
    }
    if (rewriter.full) await rewriter.flush()
    options.onProgress?.({ stage: 'events', done: rewriter.end.seq, total: head })
  }
  if (end !== undefined) assertConfirmed(end, tips)
  if (end !== undefined && done <= head) rewriter.take(upgraded(end, options.formats))
  await rewriter.flush()
}

/** Also reads events that are in the new journal already, if later ones or a tip must agree with them. */
const firstToRead = (done: Seq, head: Seq, tips: readonly Tip[]): Seq =>
  Math.max(1, Math.min(done, head, ...tips.map(({ seq }) => seq)))

/** The log does not say when it was upgraded: a wrong clock would move its time, which retention depends on. */
const upgraded = ({ event, hash }: DecodedOldEvent, { from, to }: UpgradeOptions['formats']): RecordedEvent => ({
  seq: event.seq + 1,
  at: event.at,
  by: actor,
  requestId: 'upgrade',
  prev: '',
  type: 'FormatUpgraded',
  data: { from, to, events: event.seq, tip: hash },
})

function assertReaches(head: Seq, tips: readonly Tip[]): void {
  const lost = tips.find(({ seq }) => seq > head)
  if (lost === undefined) return
  throw new StorageError('AcknowledgedWritesLost', `The log ends at ${head}; it once reached ${lost.seq}.`, {
    details: { head, witness: lost.seq },
  })
}

/** The next event has the hash of a corrected one. The last event has no next one, so a tip must have its hash. */
function assertConfirmed({ event: { seq }, isMended }: DecodedOldEvent, tips: readonly Tip[]): void {
  if (isMended && !tips.some((tip) => tip.seq === seq)) throw corruptEvent(seq, 'payload')
}

function assertRemembered({ event: { seq }, hash }: DecodedOldEvent, tips: readonly Tip[]): void {
  for (const tip of tips) if (tip.seq === seq && tip.hash !== hash) throw corruptEvent(seq, 'chain')
}
