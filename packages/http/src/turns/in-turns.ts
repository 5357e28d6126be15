/** Work that can stop between pieces: it yields the steps that each of them took (`turn.ts`). */
import { turn } from './turn.ts'

export type Pieces<T> = Generator<number, T, undefined>

/** All of it, now: for what is known to be little. */
export function atOnce<T>(work: Pieces<T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done === true) return value
  }
}

/** Lets other clients in between, by the client's turns. Rejects with what the work throws. */
export async function inTurns<T>(work: Pieces<T>, holder: string): Promise<T> {
  for (;;) {
    if (turn.isOver) await turn.next(holder)
    const { done, value } = work.next()
    if (done === true) return value
    turn.spend(value)
  }
}
