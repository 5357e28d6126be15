/** The memory of answers: every answer of the control API reserves what it holds until it was sent. */

export interface AnswerHolding {
  /** Reserves memory for values that wait to be sent. @throws S3Error `SlowDown` if the caller holds too much */
  hold(bytes: number): void
  /** Counts memory for the result of a write, which cannot be refused any more. */
  count(bytes: number): void
  /**
   * Reserves memory for what long work found and did not change, which is there already. @throws S3Error `SlowDown` if the caller
   * holds too much; not if it holds nothing else, so that a long result can be had at all
   */
  holdFound(bytes: number): void
  /** Reserves memory for the bytes of an object. @throws S3Error `SlowDown` */
  holdBody(): void
  /** Whether objects are read in small pieces, so that slow clients hold little. */
  readonly isThrifty: boolean
}

/** For callers that own the store. Their connections limit them. */
export const ownerHolding: AnswerHolding = {
  hold: () => undefined,
  count: () => undefined,
  holdFound: () => undefined,
  holdBody: () => undefined,
  isThrifty: false,
}

/**
 * What an answer of lines holds while it waits: a short span of the log or a short page, and a batch of text. It limits how many such
 * answers one caller has.
 */
const streamBytes = 256 * 1024

/** The entries that a listing reads at once. */
export const streamedPage = 100

/** The lines that `open` begins. A line that is longer than its share of a stream reserves the rest of its length. */
export function heldLines(holding: AnswerHolding, open: () => AsyncIterable<unknown>): AsyncIterable<unknown> {
  holding.hold(streamBytes)
  return open()
}

const lineShare = 64 * 1024

/** Reserves memory for lines that are longer than all before them. */
export class LongLines {
  readonly #holding: AnswerHolding
  #held = lineShare

  constructor(holding: AnswerHolding) {
    this.#holding = holding
  }

  /** @throws S3Error `SlowDown` */
  take(line: string): string {
    if (line.length > this.#held) {
      this.#holding.hold(line.length - this.#held)
      this.#held = line.length
    }
    return line
  }
}

/** The length of a result, totals and lists, as JSON, without its whole text at once. */
export function resultBytes(result: object): number {
  let bytes = 0
  for (const value of Object.values(result) as readonly unknown[]) {
    for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [value])
      bytes += JSON.stringify(one)?.length ?? 0
  }
  return bytes
}

/** The values of a list that is in memory as a whole until its last value was sent. @throws S3Error `SlowDown` */
export async function* ofList<T>(holding: AnswerHolding, values: readonly T[]): AsyncGenerator<T> {
  holding.hold(JSON.stringify(values).length)
  yield* values
}
