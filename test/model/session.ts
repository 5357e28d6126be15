/** A long session of random commands, on a store and on the model at once; remembers the model after each event. */
import { isDeepStrictEqual } from 'node:util'
import type { Store } from '@varve/core'
import { apply, emptyState, type ModelState } from '@varve/core/model'
import { Bindings } from './bindings.ts'
import { runCommand } from './run-command.ts'
import { commandOf, wishMax } from './wishes.ts'

export interface Session {
  /** The model as it stood after each position of the log; index 0 is the empty store. */
  readonly states: readonly ModelState[]
  readonly bindings: Bindings
}

/** A small generator with a seed, so that a failure can be run again. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
    const mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39) >>> 0
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
}

export async function runSession(store: Store, steps: number, random: () => number): Promise<Session> {
  const states: ModelState[] = [emptyState]
  const bindings = new Bindings()
  const number = () => Math.floor(random() * wishMax)
  let state = emptyState
  for (let i = 0; i < steps; i++) {
    const wish = { kind: number(), place: number(), pick: number(), twist: number() }
    const command = commandOf(state, wish, `c${i}`)
    const expected = apply(state, command)
    const answer = await runCommand(store, command, bindings)
    if (!isDeepStrictEqual(answer, expected.answer)) {
      const [got, wanted] = [JSON.stringify(answer), JSON.stringify(expected.answer)]
      throw new Error(`${JSON.stringify(command)}: the store says ${got}, the model ${wanted}`)
    }
    state = expected.state
    while (states.length <= store.seq) states.push(state)
  }
  return { states, bindings }
}
