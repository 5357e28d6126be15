/** Work that can be paused between pieces: it yields the steps that each piece took (`turn.ts`). */
import { turn } from './turn.ts'

export type Pieces<T> = Generator<number, T, undefined>

/** Runs all the work at once, for work that is known to be small. */
export function atOnce<T>(work: Pieces<T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done === true) return value
  }
}

/** Runs the work in the client's turns, so that others are served in between. Rejects with the error of the work. */
export async function inTurns<T>(work: Pieces<T>, holder: string): Promise<T> {
  for (;;) {
    if (turn.isOver) await turn.next(holder)
    const { done, value } = work.next()
    if (done === true) return value
    turn.spend(value)
  }
}
