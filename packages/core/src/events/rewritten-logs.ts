/** What a salvage writes, which writes a log again. */
import type { Seq } from '../ports/index.ts'

/**
 * Replaces an event that a salvage could not keep, so that all other events keep their positions. It has no effect on
 * the views.
 */
export interface EventLost {
  /** `dependent`: the event was readable, but depended on a lost event. */
  readonly reason: 'damaged' | 'missing' | 'dependent'
  /** The lost event that it needed. */
  readonly dependsOn?: Seq
  /** Length and SHA-256 (base64url) of the stored bytes, to identify the event in the salvaged store. */
  readonly bytes?: number
  readonly sha256?: string
}
