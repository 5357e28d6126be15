/** What is moved, from where, and to where. */
import type { BlobStore, Ids, Journal, Secret } from '../ports/index.ts'
import type { LogCopied, LogCopy } from '../repair/copy-log.ts'
import type { VerifyOptions } from '../verify/report.ts'

/** A place that a store is moved from. */
export interface MoveSource {
  /** What the target says of it, and its own errors: without secrets. */
  readonly name: string
  readonly journal: Journal
  readonly blobs: BlobStore
  /** @default the secret in the journal */
  readonly secret?: Secret
  /** It is a copy of the log, whose owner goes on, so the store cannot leave from here. @default false */
  readonly isCopy?: boolean
  /**
   * Runs the end of the move while the engine that has the journal for itself commits nothing. If that resolves with
   * false, or rejects before `onDeparted`, the engine goes on. Resolves as `end` does.
   * @default engines on the journal are members of it, and lose their membership
   */
  fence?(end: () => Promise<boolean>): Promise<boolean>
}

/** A place that a store is moved to. */
export interface MoveTarget {
  readonly name: string
  readonly journal: Journal
  readonly blobs: BlobStore
  /** Keeps the secret of the store. @default in the journal */
  bringSecret?(secret: Uint8Array): Promise<void>
  /** Called before the target can be opened: makes durable what writes leave to it. */
  markReady?(): Promise<void>
}

/** What is moved, and where. */
export interface LogMove extends Pick<LogCopy, 'hashing' | 'signal' | 'onProgress'> {
  readonly from: MoveSource
  readonly into: MoveTarget
  readonly ids: Ids
  readonly onCheck?: VerifyOptions['onProgress']
  /** Called with the result of a move out of an open store before its end, which can fail. */
  onMoving?(moved: LogMoved): void
  /** Called when the source takes no more commits, and will take none if its process ends now. */
  onDeparted?(): void
}

/** What a call of `moveLog` did. */
export interface LogMoved extends Omit<LogCopied, 'absent' | 'absentIds'> {
  /** False if the source is a copy: its owner may have written more. */
  readonly isWhole: boolean
  /** The position of the last event. */
  readonly head: number
  /** Its hash in the log of the source and of the target. */
  readonly hashes: { readonly from: string; readonly into: string }
}
