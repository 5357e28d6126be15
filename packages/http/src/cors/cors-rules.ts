import type { RequestStore } from '@varve/core'
import { type PreparedRules, prepareRules } from './match.ts'

const rememberedMax = 1024

/** The CORS rules of buckets, compiled once for the event that set them. */
export class CorsRules {
  readonly #remembered = new Map<string, { readonly setBy: number; readonly rules: PreparedRules }>()

  /** Returns `undefined` for a bucket without rules. @throws StorageError `NoSuchBucket` */
  async read(store: RequestStore, bucket: string): Promise<PreparedRules | undefined> {
    const setBy = (await store.buckets.head(bucket)).settings?.Cors
    if (setBy === undefined) return undefined
    const remembered = this.#remembered.get(bucket)
    if (remembered?.setBy === setBy) return remembered.rules
    const given = await store.buckets.settings.get(bucket, 'Cors')
    if (given === undefined) return undefined
    const rules = prepareRules(given)
    if (this.#remembered.size >= rememberedMax) this.#remembered.clear()
    this.#remembered.set(bucket, { setBy, rules })
    return rules
  }
}
