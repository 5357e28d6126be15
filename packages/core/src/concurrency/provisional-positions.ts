/**
 * The events of an open transaction have provisional positions, beyond every position of a log. When the transaction
 * commits, its commands are decided again and get their real positions, and each later command that names a provisional
 * position gets the real one in its place.
 */
import type { Command } from '../commands/command.ts'
import { StorageError } from '../base/errors.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'

/** The position before the first event of every transaction. No log gets this long. */
export const provisionalStart: Seq = 2 ** 52

export class ProvisionalPositions {
  readonly #real = new Map<Seq, Seq>()

  /** The command, with real positions. */
  resolve(command: Command): Command {
    return this.#real.size === 0 ? command : (this.#resolved(command) as Command)
  }

  /**
   * Learns the positions of the events that a command has got.
   * @throws StorageError `TransactionConflict` if they are other events than the transaction saw
   */
  learn(seen: readonly RecordedEvent[], recorded: readonly RecordedEvent[]): void {
    const isSame = seen.length === recorded.length && seen.every((event, i) => isAlike(event, recorded[i]))
    if (!isSame) throw transactionConflict()
    for (const [i, { seq }] of seen.entries()) this.#real.set(seq, (recorded[i] as RecordedEvent).seq)
  }

  #resolved(value: unknown): unknown {
    if (typeof value === 'number') return this.#real.get(value) ?? value
    if (Array.isArray(value)) return value.map((one) => this.#resolved(one))
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.#resolved(one)]))
  }
}

/** Whether two events have the same type and place: the answer of their command is then the same. */
function isAlike(one: RecordedEvent, other: RecordedEvent | undefined): boolean {
  if (one.type !== other?.type) return false
  const [a, b] = [one.data, other.data] as readonly { readonly bucket?: string; readonly key?: string }[]
  return a?.bucket === b?.bucket && a?.key === b?.key
}

export const transactionConflict = (cause?: unknown): StorageError =>
  new StorageError(
    'TransactionConflict',
    'Something that the transaction depends on was changed by others; nothing was changed by the transaction.',
    { ...(cause !== undefined && { cause }) },
  )
