/** What readers of rows need: the parts of a journal, and one state of them. */
import type { JournalGate } from '../journal-kit/journal-gate.ts'
import type { LevelDatabase, LevelSnapshot } from '../level-journal/level-database.ts'
import type { LayersAt, Overlay } from './overlay.ts'
import type { Pin, SegmentFiles } from './segment-files.ts'

export interface ReaderParts {
  readonly db: LevelDatabase
  readonly gate: JournalGate
  readonly overlay: Overlay
  readonly files: SegmentFiles
}

/** One state, held as long as a reader uses it. */
export interface HeldState {
  readonly layers: LayersAt
  readonly snapshot: LevelSnapshot
  readonly pin: Pin
  /** @throws TypeError after it was released: its data may be gone. */
  assertHeld(): void
}
