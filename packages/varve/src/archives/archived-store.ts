/** The parts of a store that archives use. A store of this process has them, and one of another process too. */
import type { Buckets, LogOptions, Moment, Objects, PastStore, RecordedEvent, Uploads, Versions } from '@varve/core'

/** What an archive is made of. */
export interface ExportedStore {
  at(moment: Moment): Promise<PastStore>
  log(options?: LogOptions): AsyncIterable<RecordedEvent>
}

/** What an archive goes into. */
export interface ImportingStore {
  readonly buckets: Pick<Buckets, 'create' | 'head'>
  readonly objects: Pick<Objects, 'put' | 'get' | 'head' | 'delete' | 'annotations'>
  readonly uploads: Pick<Uploads, 'abort' | 'complete' | 'create' | 'uploadPart'>
  readonly versions: Pick<Versions, 'listPage'>
}
