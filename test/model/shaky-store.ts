/**
 * A store whose effects take their time, at random, and whose commits now and then fail: with the outcome unknown, as a
 * medium fails. It is opened again at once, as a server would.
 */
import type { Store } from '@varve/core'
import { ScheduledWorld } from './scheduled-world.ts'

export interface ShakyOptions {
  readonly random: (below: number) => number
  /** One commit in so many fails; 0 for none. */
  readonly faultEvery: number
  /** How many engines have the journal open. @default 1 */
  readonly engines?: number
  /** What the store holds before anything can fail. */
  prepare(store: Store): Promise<void>
}

export interface ShakyStore {
  /** Whatever store is open now. */
  readonly store: Store
  /** The store of a client: clients take turns with the engines. */
  storeOf(client: number): Store
  /** How often a commit failed. */
  readonly faults: number
  /** Resolves when the store of a client is open: at once, or when it was opened again. */
  ready(client?: number): Promise<void>
  /** Ends the background work of all engines. */
  close(): Promise<void>
}

export async function shakyStore({ random, faultEvery, engines = 1, prepare }: ShakyOptions): Promise<ShakyStore> {
  const world = new ScheduledWorld(undefined, { engines })
  let faults = 0
  const reopening = new Map<number, Promise<void>>()
  const step = async (effect: string): Promise<void> => {
    if (random(4) === 0) await new Promise((resolve) => setImmediate(resolve))
    if (faultEvery === 0 || reopening.size > 0 || !effect.startsWith('commit') || random(faultEvery) > 0) return
    faults++
    throw new Error('EIO')
  }
  await world.open()
  await prepare(world.store)
  world.schedule(step)
  const storeOf = (client: number): Store =>
    new Proxy(world.store, {
      get(_, name) {
        const store = world.storeOf(client)
        const member = Reflect.get(store, name) as unknown
        return typeof member === 'function' ? (member.bind(store) as unknown) : member
      },
    })
  return {
    store: storeOf(0),
    storeOf,
    get faults() {
      return faults
    },
    async ready(client = 0) {
      const engine = client % engines
      if (world.storeOf(engine).state === 'failed' && !reopening.has(engine)) {
        reopening.set(
          engine,
          world.reopen(engine).finally(() => reopening.delete(engine)),
        )
      }
      await reopening.get(engine)
    },
    async close() {
      world.schedule(() => Promise.resolve())
      await Promise.all(reopening.values())
      for (let engine = 0; engine < engines; engine++) await world.storeOf(engine).close()
    },
  }
}
