/**
 * What forks keep. A fork keeps the bytes that its base showed at the position, as a snapshot does. When the fork is gone,
 * they stay for as long as a snapshot or another fork shows it, and for reads that began before its end.
 */
import type { Seq } from '../ports/index.ts'
import { wholeStore } from '../settings/whole-store.ts'
import { erasedKey } from './content-tables.ts'
import { loadPins } from './pins.ts'
import { isSamePin, putPins, unpin } from './put-pins.ts'
import { countForOwner, isThere } from './shown-bytes.ts'
import type { RowTransaction } from './row-transaction.ts'
import type { ForkBase, Pin } from './rows.ts'

type ForkPin = Pin & { readonly fork: Seq }

const isForkPin = (pin: Pin): pin is ForkPin => pin.fork !== undefined

/** Also for a fork that was deleted and is there again. */
export async function putForkPin(
  rows: RowTransaction,
  fork: Seq,
  { position, incarnation: of }: Pick<ForkBase, 'position' | 'incarnation'>,
): Promise<void> {
  const pins = await loadPins(rows)
  const others = pins.filter((pin) => pin.fork !== fork)
  if (!isThere(pins, fork)) await countForOwner(rows, fork, 1)
  await putPins(rows, [...others, { position, of, fork }])
}

export async function endForkPin(rows: RowTransaction, fork: Seq, until: Seq): Promise<void> {
  const pins = await loadPins(rows)
  if (isThere(pins, fork)) await countForOwner(rows, fork, -1)
  await putPins(
    rows,
    pins.map((pin) => (pin.fork === fork ? { ...pin, until } : pin)),
  )
}

export async function releaseForkPin(rows: RowTransaction, fork: Seq): Promise<void> {
  const pins = await loadPins(rows)
  const released = pins.find((pin) => pin.fork === fork)
  if (released === undefined) return
  const rest = pins.filter((pin) => pin !== released)
  await putPins(rows, rest)
  if (!rest.some((pin) => isSamePin(pin, released))) await unpin(rows, released)
  // What the fork showed may be erased from now on, though its base removed it long before.
  const { upTo = 0 } = (await rows.get(erasedKey)) ?? {}
  const { until = 0 } = released
  if (until > upTo) rows.put(erasedKey, { upTo: until })
}

/**
 * The forks that are gone and that nothing shows any more: no snapshot, no other fork, and no read that began before
 * `horizon`.
 */
export function releasableForks(pins: readonly Pin[], horizon: Seq): readonly Seq[] {
  const forks = pins.filter(isForkPin)
  const needed = new Set<Pin>(pins.filter(({ until }) => until === undefined))
  for (let size = -1; size !== needed.size; ) {
    size = needed.size
    for (const fork of forks) if ([...needed].some((pin) => shows(pin, fork))) needed.add(fork)
  }
  return forks.filter((pin) => !needed.has(pin) && (pin.until as Seq) <= horizon).map(({ fork }) => fork)
}

/** Whether the state of a pin has the fork. */
const shows = ({ position, of }: Pin, { fork, until = Number.POSITIVE_INFINITY }: ForkPin): boolean =>
  fork <= position && position < until && (of === wholeStore || of === fork)
