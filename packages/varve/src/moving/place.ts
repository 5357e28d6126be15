/** A place that a store is moved from or to: a directory, or the addresses of a journal and of blobs. */
import type { MoveSource, MoveTarget } from '@varve/core'

interface Opened {
  close(): Promise<void>
}

export interface Place {
  /** Without secrets. */
  readonly name: string
  openSource(): Promise<MoveSource & Opened>
  openTarget(): Promise<MoveTarget & Opened>
}
