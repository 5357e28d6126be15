/** The part of a store that tells what happened, and takes it back. */
import type { RecordedEvent } from '../events/index.ts'
import type { Moment } from '../moments/moment.ts'
import { checked } from '../schema/schema.ts'
import { undo } from '../undo/undo.ts'
import { mergeRequest } from './arguments/merge-options.ts'
import { restoreRequest } from './arguments/restore-options.ts'
import { optionsOf } from './arguments/common.ts'
import { undoRequest } from './arguments/undo-options.ts'
import { densityOptions, logPageOptions } from './arguments/log-options.ts'
import { logDensity } from './density.ts'
import { diff } from './diff.ts'
import { eraseVersions } from './erase.ts'
import { followLog, keyHistory } from './history.ts'
import type { Listing } from './listing.ts'
import { logPage } from './log-page.ts'
import { mergeFork } from './merge.ts'
import { provenErasure } from './proofs.ts'
import type { Opened } from './opened.ts'
import { RequestEngineStore } from './request-store.ts'
import { restoreObjects } from './restore.ts'
import { storeTasks, type Tasks } from './tasks.ts'
import type {
  Cancelable,
  DensityOptions,
  DensitySlice,
  DiffEntry,
  DiffOptions,
  DiffPage,
  DiffScope,
  EraseRequest,
  EraseResult,
  LogOptions,
  LogPage,
  LogPageOptions,
  MergeRequest,
  MergeResult,
  RestoreRequest,
  RestoreResult,
  UndoRequest,
  UndoResult,
} from './types/index.ts'

export class RevertingStore extends RequestEngineStore {
  readonly #opened: Opened

  constructor(opened: Opened) {
    super(opened.engine.requests, opened.context, opened.region)
    this.#opened = opened
  }

  log(options?: LogOptions): AsyncIterable<RecordedEvent> {
    return followLog(this.#opened.engine, options)
  }

  async logPage(options?: LogPageOptions): Promise<LogPage> {
    return logPage(this.#opened.engine, optionsOf(logPageOptions, options))
  }

  async density(options?: DensityOptions): Promise<readonly DensitySlice[]> {
    return logDensity(this.#opened.engine, optionsOf(densityOptions, options))
  }

  history(bucket: string, key: string, options?: Cancelable): AsyncIterable<RecordedEvent> {
    return keyHistory(this.#opened.engine, bucket, key, options)
  }

  diff(scope: DiffScope, from: Moment, to: Moment, options?: DiffOptions): Listing<DiffEntry, DiffPage> {
    const { engine, context } = this.#opened
    return diff({ requests: engine.requests, context }, { scope, from, to, options })
  }

  async restore(request: RestoreRequest): Promise<RestoreResult> {
    const { context, eraser } = this.#opened
    const given = checked('request', restoreRequest, request)
    if (given.deletedBucket === true && given.dryRun !== true) await eraser?.deletedBuckets.clearUnlessHeld()
    return restoreObjects(this.#opened, context, given)
  }

  async undo(request: UndoRequest): Promise<UndoResult> {
    const { context, eraser } = this.#opened
    // The number of changes is rarely known before an undo.
    const chosen = checked('request', undoRequest, request)
    const given = { ...chosen, inParts: chosen.inParts ?? true }
    // A bucket can come back once the uploads that it left are aborted. Another engine may do that now.
    if (given.dryRun !== true) await eraser?.deletedBuckets.clearUnlessHeld()
    return undo(this.#opened, context, given)
  }

  async merge(request: MergeRequest): Promise<MergeResult> {
    return mergeFork(this.#opened, this.#opened.context, checked('request', mergeRequest, request))
  }

  get tasks(): Tasks {
    return storeTasks(this.#opened, this.#opened.context)
  }

  async erase(given: EraseRequest): Promise<EraseResult> {
    const { engine, context, finisher, eraser } = this.#opened
    const deleteBytes = async () => finisher?.finishErasures()
    return eraseVersions(engine, context, {
      given,
      clearDeleted: async () => eraser?.deletedBuckets.clearUnlessHeld(),
      deleteBytes,
      purge: async (bytes) => (await finisher?.purgeErased(bytes)) ?? true,
      prove: (requests) => provenErasure(this.#opened, requests),
    })
  }
}
