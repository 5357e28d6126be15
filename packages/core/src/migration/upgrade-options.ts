import type { Cancelable } from '../api/types/index.ts'
import type { Progress } from '../engine/catch-up.ts'
import type { Hashing, Journal, Tip } from '../ports/index.ts'
import type { TransplantStage } from '../repair/transplant.ts'

/** Where an upgrade reads and writes. */
export interface UpgradeOptions extends Cancelable {
  /** The journal of the old format. */
  readonly from: Journal
  /** An empty journal, or one that an interrupted upgrade of the same log wrote: see `continuesUpgrade`. */
  readonly into: Journal
  readonly hashing: Hashing
  /** The versions of the store's format before the upgrade and after it. */
  readonly formats: { readonly from: number; readonly to: number }
  /** The last known end of the old log. */
  readonly witness?: Tip | undefined
  /** Progress of each stage, counted in events. */
  onProgress?(progress: Progress & { readonly stage: UpgradeStage }): void
}

/** The current part of an upgrade. */
export type UpgradeStage = TransplantStage | 'check'
