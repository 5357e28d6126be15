/** Commands given to a store and to the model, one after the other; remembers what the model was at each position of the log. */
import { isDeepStrictEqual } from 'node:util'
import { isStorageError, versionId } from '@varve/core'
import {
  answering,
  createSnapshot,
  emptyState,
  type ModelAnswer,
  type ModelCommand,
  type ModelState,
  restoreObjects,
} from '@varve/core/model'
import { Bindings } from './bindings.ts'
import type { System } from './systems.ts'

export class Session {
  readonly bindings = new Bindings()
  /** The model as it stood after each position; index 0 is the empty store. */
  readonly states: ModelState[] = [emptyState]
  /** Positions between the events of one command, which the model does not have. */
  readonly #within = new Set<number>()
  readonly #system: System
  #state = emptyState

  constructor(system: System) {
    this.#system = system
    this.#listen()
  }

  /** A position behind a command. */
  positionOf(number: number): number {
    let seq = number % this.states.length
    while (this.#within.has(seq)) seq++
    return seq
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

  /** Restores to a position, and compares what was restored. @throws Error when the store answers what the model does not. */
  async restore(request: {
    readonly name: string
    readonly bucket: string
    readonly prefix: string
    readonly to: number
  }) {
    const { store } = this.#system
    const { name, bucket, to } = request
    const expected = answering(() => restoreObjects(this.#state, { ...request, past: this.states[to] as ModelState }))
    if ('ok' in expected) this.#state = expected.ok
    const from = store.seq + 1
    const { name: _name, ...wanted } = request
    const answer = await store
      .as({ by: { id: 'local', name: 'local' }, requestId: name })
      .restore(wanted)
      .then(
        ({ erased, conflicts }) => ({ ok: [...erased, ...conflicts] }),
        (error: unknown) => ({ error: isStorageError(error) ? error.code : error }),
      )
    const wished = 'ok' in expected ? { ok: [] } : expected
    if (!isDeepStrictEqual(answer, wished)) throw new Error(`A restore is answered ${JSON.stringify(answer)}.`)
    for await (const { seq, data } of store.log({ from })) {
      if (!('nullVersion' in data) || data.bucket !== bucket) continue
      this.bindings.bindVersion(`${name} ${data.key}`, versionId({ seq, nullVersion: data.nullVersion }))
      if ('etag' in data) this.bindings.bindEtag(`${name} ${data.key}`, data.etag)
    }
    if ('error' in answer) return
    const again = await store.restore(wanted)
    if (again.entries.length > 0) throw new Error(`A second restore changes ${JSON.stringify(again.entries)}.`)
  }

  /** Names a position of the past. */
  async snapshot({ name, snapshot, at }: { readonly name: string; readonly snapshot: string; readonly at: number }) {
    const { store } = this.#system
    const past = this.states[at] as ModelState
    const expected = answering(() => createSnapshot(this.#state, snapshot, past).state)
    if ('ok' in expected) this.#state = expected.ok
    const answer = await store
      .as({ by: { id: 'local', name: 'local' }, requestId: name })
      .snapshots.create(snapshot, { at })
      .then(
        ({ seq }) => ({ ok: seq }),
        (error: unknown) => ({ error: isStorageError(error) ? error.code : error }),
      )
    const wished = 'ok' in expected ? { ok: at } : expected
    if (!isDeepStrictEqual(answer, wished)) throw new Error(`A snapshot is answered ${JSON.stringify(answer)}.`)
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
        for (const event of events) {
          if (reported.includes(event) && event !== reported.at(-1)) this.#within.add(event.seq)
          this.states.push(event === reported.at(-1) ? this.#state : this.#latest)
        }
      })
    }
  }

  get #latest(): ModelState {
    return this.states.at(-1) as ModelState
  }
}
