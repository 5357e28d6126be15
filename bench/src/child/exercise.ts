/** The operations of one contender for one workload. The caller measures them. */
export interface Exercise {
  /** Prepares a round; not measured. */
  before?(round: number): Promise<void>
  /** Throws when the bytes that were read differ from those that were written. */
  operate(round: number, index: number): Promise<Done>
  /** Bytes of the existing objects; `undefined` where that means nothing. */
  live?(): number
  close(): Promise<void>
}

export interface Done {
  /** What the rate counts: 1 for the operation, or its bytes, entries or events. */
  readonly units: number
  /** Bytes of the objects that the operation put. */
  readonly put?: number
  /** The part of the operation's time that counts, in milliseconds. Default all of it. */
  readonly countedMs?: number
}

/** The bytes that were read differ from those that were written: no figure means anything after that. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer'
}

/** Runs `work(0)` to `work(count - 1)`, at most `width` at a time. Stops early when `going` returns false. */
export async function inFlight(
  width: number,
  count: number,
  work: (i: number) => Promise<unknown>,
  going: () => boolean = () => true,
): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    for (let i = next++; i < count && going(); i = next++) await work(i)
  }
  await Promise.all(Array.from({ length: Math.min(width, count) }, worker))
}
