/** What it means to undo everything after a moment: what was there then is there again, under the same names. */
import type { ModelBucket, ModelState } from './state.ts'

/**
 * The state after an undo of all that happened since `past`. Uploads and snapshots are not undone, and versioning that was
 * set stays set. No bucket may have been created under the name of a bucket that `past` has.
 */
export function undoSince(state: ModelState, past: ModelState): ModelState {
  const buckets = new Map<string, ModelBucket>()
  for (const [name, then] of past.buckets) {
    const now = state.buckets.get(name)
    const versioning = then.versioning ?? now?.versioning
    const { uploads, completions } = now ?? { ...then, uploads: new Map<never, never>() }
    const { base, keys } = then
    buckets.set(name, { ...(versioning && { versioning }), keys, uploads, completions, ...(base && { base }) })
  }
  return { ...state, time: state.time + 1, buckets }
}
