/**
 * Plans of destructive calls. A call without a plan answers what it would do, with an id. The same call with this id does it, once,
 * if it would still do the same.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Seq } from '@varve/core'

interface StoredPlan {
  readonly digest: string
  /** The position that a moment stood for, so that `10min ago` means the same when the plan is confirmed. */
  readonly moment: Seq | undefined
}

/** Older plans are forgotten. */
const plansMax = 32

export class Plans {
  readonly #plans = new Map<string, StoredPlan>()

  add(plan: StoredPlan): string {
    const id = randomBytes(9).toString('base64url')
    this.#plans.set(id, plan)
    const [oldest] = this.#plans.keys()
    if (this.#plans.size > plansMax && oldest !== undefined) this.#plans.delete(oldest)
    return id
  }

  /** Removes the plan, so that it counts once. */
  take(id: string): StoredPlan | undefined {
    const plan = this.#plans.get(id)
    this.#plans.delete(id)
    return plan
  }
}

/** Equal for equal values. `value` is JSON. */
export const digestOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url')
