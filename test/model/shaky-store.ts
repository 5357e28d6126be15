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
  /** What the store holds before anything can fail. */
  prepare(store: Store): Promise<void>
}

export interface ShakyStore {
  /** Whatever store is open now. */
  readonly store: Store
  /** How often a commit failed. */
  readonly faults: number
  /** Resolves when a store is open: at once, or when it was opened again. */
  ready(): Promise<void>
}

export async function shakyStore({ random, faultEvery, prepare }: ShakyOptions): Promise<ShakyStore> {
  const world = new ScheduledWorld()
  let faults = 0
  let reopening: Promise<void> | undefined
  const step = async (effect: string): Promise<void> => {
    if (random(4) === 0) await new Promise((resolve) => setImmediate(resolve))
    if (faultEvery === 0 || reopening !== undefined || !effect.startsWith('commit') || random(faultEvery) > 0) return
    faults++
    throw new Error('EIO')
  }
  await world.open()
  await prepare(world.store)
  world.schedule(step)
  return {
    store: new Proxy(world.store, {
      get(_, name) {
        const member = Reflect.get(world.store, name) as unknown
        return typeof member === 'function' ? (member.bind(world.store) as unknown) : member
      },
    }),
    get faults() {
      return faults
    },
    async ready() {
      if (world.store.state === 'failed') {
        reopening ??= world.reopen().finally(() => {
          reopening = undefined
        })
      }
      await reopening
    },
  }
}
