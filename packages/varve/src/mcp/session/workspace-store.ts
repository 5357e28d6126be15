/** The part of a store that sessions use. A store of this process has it, and one of another process too. */
import type { Buckets, DiffEntry, DiffOptions, DiffPage, DiffScope, Listing, Moment, Objects } from '@varve/core'
import type { PastStore, RecordedEvent, RestoreRequest, RestoreResult, Seq, UndoRequest, UndoResult } from '@varve/core'
import type { Cancelable, Store } from '@varve/core'
import type { AttachedContext, AttachedStore } from '../../attached/attached-store.ts'

export interface WorkspaceStore {
  readonly buckets: Buckets
  readonly objects: Objects
  /** The position of the last event. */
  position(): Promise<Seq>
  as(context: AttachedContext): WorkspaceStore
  at(moment: Moment): Promise<PastStore>
  history(bucket: string, key: string, options?: Cancelable): AsyncIterable<RecordedEvent>
  diff(scope: DiffScope, from: Moment, to: Moment, options?: DiffOptions): Listing<DiffEntry, DiffPage>
  restore(request: RestoreRequest): Promise<RestoreResult>
  undo(request: UndoRequest): Promise<UndoResult>
  close(): Promise<void>
}

/** A store of this process in the form of an attached one. */
export function workspaceStore(store: Store | AttachedStore): WorkspaceStore {
  if ('position' in store) return store
  return {
    buckets: store.buckets,
    objects: store.objects,
    position: async () => store.seq,
    as: (context) => workspaceStore(store.as(context)),
    at: (moment) => store.at(moment),
    history: (bucket, key, options) => store.history(bucket, key, options),
    diff: (scope, from, to, options) => store.diff(scope, from, to, options),
    restore: (request) => store.restore(request),
    undo: (request) => store.undo(request),
    close: () => store.close(),
  }
}
