/** Commands given to a store and to the model, one after the other; remembers what the model was at each position of the log. */
import { isDeepStrictEqual } from 'node:util'
import { emptyState, type ModelAnswer, type ModelCommand, type ModelState } from '@varve/core/model'
import { Bindings } from './bindings.ts'
import type { System } from './systems.ts'

export class Session {
  readonly bindings = new Bindings()
  /** The model as it stood after each position; index 0 is the empty store. */
  readonly states: ModelState[] = [emptyState]
  readonly #system: System
  #state = emptyState

  constructor(system: System) {
    this.#system = system
    this.#listen()
  }

  get state(): ModelState {
    return this.#state
  }

  /** @throws Error when the store answers what the model does not. */
  async ask(wanted: ModelCommand): Promise<ModelAnswer> {
    const command = this.#system.wording(wanted)
    const expected = this.#system.expect(this.#state, command)
    this.#state = expected.state
    const answer = await this.#system.run(command, this.bindings)
    if (isDeepStrictEqual(answer, expected.answer)) return answer
    const [answered, wished] = [JSON.stringify(answer), JSON.stringify(expected.answer)]
    throw new Error(`${JSON.stringify(command)} is answered ${answered}, not ${wished}`)
  }

  async reopen(): Promise<void> {
    await this.#system.reopen()
    this.#listen()
  }

  #listen(): void {
    const { store, stores = [store] } = this.#system
    while (this.states.length <= store.seq) this.states.push(this.#latest)
    for (const each of stores) {
      each.subscribe((all) => {
        // The engine that commits reports its events before it answers; another one reports them later again.
        const events = all.filter(({ seq }) => seq >= this.states.length)
        // What the store does by itself changes nothing a client sees: erasing bytes, aborting what a deleted bucket left.
        const reported = events.filter(({ by }) => by.id !== 'varve')
        for (const event of events) this.states.push(event === reported.at(-1) ? this.#state : this.#latest)
      })
    }
  }

  get #latest(): ModelState {
    return this.states.at(-1) as ModelState
  }
}
