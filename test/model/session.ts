/** Commands given to a store and to the model, one after the other; remembers what the model was at each position of the log. */
import { isDeepStrictEqual } from 'node:util'
import { type Actor, isStorageError, type UndoRequest, type UndoResult, versionId } from '@varve/core'
import {
  answering,
  createSnapshot,
  dropFork,
  emptyState,
  forkBucket,
  type ModelAnswer,
  type ModelCommand,
  type ModelState,
  restoreObjects,
  undoSince,
} from '@varve/core/model'
import { Bindings } from './bindings.ts'
import { sweepAlone, type System } from './systems.ts'

interface BucketEvent {
  readonly seq: number
  readonly bucket: string
}

export class Session {
  readonly bindings = new Bindings()
  /** The model as it stood after each position; index 0 is the empty store. */
  readonly states: ModelState[] = [emptyState]
  /** The events that created a bucket, and those that set versioning. */
  readonly #created: BucketEvent[] = []
  readonly #versioned: BucketEvent[] = []
  /** Who creates buckets: over HTTP, the user of the requests. */
  #owner: Actor = { id: 'local', name: 'local' }
  /** The last event that created or dropped a fork, which no undo takes back. */
  #forked = 0
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
    for await (const { seq, epoch, data } of store.log({ from })) {
      if (!('nullVersion' in data) || data.bucket !== bucket) continue
      this.bindings.bindVersion(`${name} ${data.key}`, versionId({ seq, epoch, nullVersion: data.nullVersion }))
      if ('etag' in data) this.bindings.bindEtag(`${name} ${data.key}`, data.etag)
    }
    if ('error' in answer) return
    const again = await store.restore(wanted)
    if (again.entries.length > 0) throw new Error(`A second restore changes ${JSON.stringify(again.entries)}.`)
  }

  /**
   * Undoes everything after a position, and perhaps that again. @throws Error when the store answers what the model does not.
   */
  async undo({ name, to, again }: { readonly name: string; readonly to: number; readonly again: boolean }) {
    const past = this.states[to] as ModelState
    const before = this.#state
    // A bucket cannot come back where there was another one of its name.
    if (this.#created.some(({ seq, bucket }) => seq > to && past.buckets.has(bucket))) return
    if (this.#forked > to) return
    // The model has no versioning of a bucket that is gone, which stays set when the bucket comes back.
    const isGone = (bucket: string) => past.buckets.has(bucket) && !before.buckets.has(bucket)
    if (this.#versioned.some(({ seq, bucket }) => seq > to && isGone(bucket))) return
    this.#state = undoSince(before, past)
    const { id } = await this.#undone(name, { from: to })
    if (id === undefined) this.#state = before
    if (id === undefined || !again) return
    this.#state = undoSince(this.#state, before)
    await this.#undone(`${name} again`, { requestId: id })
  }

  async #undone(requestId: string, chosen: Pick<UndoRequest, 'from' | 'requestId'>): Promise<UndoResult> {
    const store = this.#system.store.as({ by: { id: 'local', name: 'local' }, requestId })
    const result = await store.undo({ ...chosen, onConflict: 'skip', inParts: true })
    const { conflicts, erased } = result
    // A bucket that was created and deleted since is gone, with its keys.
    const unexpected = conflicts.filter(({ reason }) => reason !== 'bucket')
    if (unexpected.length + erased.length === 0) return result
    throw new Error(`An undo is answered ${JSON.stringify({ conflicts, erased })}.`)
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

  /** Forks a bucket, and compares what is answered. Resolves with `ok` or the code of the refusal. */
  async fork(request: { readonly name: string; readonly bucket: string; readonly to: string; readonly at?: number }) {
    const { name, bucket, to, at } = request
    const past = at === undefined ? this.#state : (this.states[at] as ModelState)
    const store = this.#system.store.as({ by: this.#owner, requestId: name })
    const forking = () => store.buckets.fork(bucket, to, at === undefined ? {} : { at }).then(({ name: made }) => made)
    return this.#compared('A fork', () => forkBucket(this.#state, { bucket, name: to }, past), forking, to)
  }

  /** Drops a fork, and waits until its name is free. */
  async drop(bucket: string): Promise<string> {
    const { store } = this.#system
    const dropping = async () => {
      await store.as({ by: { id: 'local', name: 'local' } }).buckets.drop(bucket)
      return bucket
    }
    const answer = await this.#compared('A drop', () => dropFork(this.#state, bucket), dropping, bucket)
    if (answer === 'ok') await sweepAlone(store)
    return answer
  }

  async #compared<T>(
    what: string,
    change: () => { readonly state: ModelState },
    run: () => Promise<T>,
    wished: T,
  ): Promise<string> {
    const expected = answering(() => change().state)
    if ('ok' in expected) this.#state = expected.ok
    const answer = await run().then(
      (ok) => ({ ok }),
      (error: unknown) => ({ error: isStorageError(error) ? error.code : error }),
    )
    const wanted = 'ok' in expected ? { ok: wished } : expected
    if (!isDeepStrictEqual(answer, wanted)) {
      throw new Error(`${what} is answered ${JSON.stringify(answer)}, not ${JSON.stringify(wanted)}.`)
    }
    return 'error' in expected ? expected.error : 'ok'
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
          if (event.type === 'BucketCreated') this.#owner = event.by
          if (event.type === 'VersioningSet') this.#versioned.push({ seq: event.seq, bucket: event.data.bucket })
          if (event.type === 'BucketForked' || event.type === 'ForkDropped') this.#forked = event.seq
          if (event.type === 'BucketCreated' || event.type === 'BucketRestored')
            this.#created.push({ seq: event.seq, bucket: event.data.bucket })
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
