/** What arguments are made of: a store, a seed, and what earlier calls answered. */
import type { Journal, UploadRef } from '@varve/core'
import type { Store } from 'varve'
import { randomFrom } from '../support/random.ts'

export class World {
  readonly store: Store
  readonly scratch: () => Journal
  readonly #random: () => number
  readonly #uploads: UploadRef[] = []
  readonly #versions: string[] = ['null']

  constructor(store: Store, seed: number, scratch: () => Journal) {
    this.store = store
    this.scratch = scratch
    this.#random = randomFrom(seed).next
  }

  /** From 0 to below `below`. */
  number(below: number): number {
    return Math.floor(this.#random() * below)
  }

  pick<T>(from: readonly T[]): T {
    return from[this.number(from.length)] as T
  }

  key(): string {
    return `k${this.number(8)}`
  }

  versionId(): string {
    return this.pick(this.#versions)
  }

  upload(): UploadRef {
    const known = this.#uploads.length > 0 ? this.pick(this.#uploads) : { bucket: 'box', key: 'k1', uploadId: 'none' }
    return { ...known }
  }

  /** What a call answered may be an argument of a later one. */
  remember(answer: unknown): void {
    if (typeof answer !== 'object' || answer === null) return
    const { uploadId, versionId, bucket, key } = answer as Partial<UploadRef & { readonly versionId: string }>
    if (uploadId !== undefined && bucket !== undefined && key !== undefined) {
      this.#uploads.push({ bucket, key, uploadId })
      if (this.#uploads.length > 10) this.#uploads.shift()
    }
    if (versionId !== undefined) this.#versions[this.number(10)] = versionId
    for (let i = 0; i < this.#versions.length; i++) this.#versions[i] ??= 'null'
  }
}
