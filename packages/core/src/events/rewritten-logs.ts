/** Events that a salvage or an upgrade writes, which write a log again. */
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

/**
 * An upgrade wrote all events before this one in a newer format, which changed their hashes. It has no effect on the
 * views.
 */
export interface FormatUpgraded {
  /** The version of the store's format before the upgrade and after it. */
  readonly from: number
  readonly to: number
  /** The number of events that the old log had: all events before this one. */
  readonly events: Seq
  /** The hash of the last of them in the old log, base64url. */
  readonly tip: string
}
