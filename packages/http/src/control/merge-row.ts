/** Merging a fork into the bucket that it began as. */
import {
  type MergeConflict,
  type MergeRequest,
  type MergeResult,
  type RestoreEntry,
  schema,
  type Store,
} from '@varve/core'
import { type Detachable, name, parted, position } from './common-fields.ts'
import { linesRow } from './control-row.ts'
import { diffedVersion } from './diff-row.ts'
import { jsonBody } from './input.ts'
import { restoreEntry } from './restore-row.ts'
import { type WorkProgress, workProgress } from './work-progress.ts'
import { type LongClient, withProgress } from './with-progress.ts'

const { boolean, literal, object, objectWith, optional, text } = schema

/** What is merged. */
export type MergeInput = Omit<MergeRequest, 'signal' | 'onProgress'> & Detachable

/** One of these: the progress now and then, then each key, then the rest of the result. */
export interface MergeLine {
  readonly progress?: WorkProgress
  readonly entry?: RestoreEntry
  readonly conflict?: MergeConflict
  readonly refused?: RestoreEntry
  readonly erased?: RestoreEntry
  readonly result?: Pick<MergeResult, 'bucket' | 'planned' | 'id'>
}

const conflict = objectWith<MergeConflict>({
  key: text(),
  before: optional(diffedVersion),
  fork: optional(diffedVersion),
  base: optional(diffedVersion),
})

export const mergeFork = linesRow<MergeInput, MergeLine>({
  name: 'MergeFork',
  summary: 'Gives the bucket that a fork began as what the fork has changed',
  method: 'POST',
  path: '/-/v1/merge',
  action: 'varve:MergeFork',
  input: jsonBody(
    object<MergeInput>({
      fork: name,
      prefix: optional(name),
      dryRun: optional(boolean),
      onConflict: optional(literal('fail', 'skip', 'force')),
      ...parted,
    }),
  ),
  output: objectWith<MergeLine>({
    progress: optional(workProgress),
    entry: optional(restoreEntry),
    conflict: optional(conflict),
    refused: optional(restoreEntry),
    erased: optional(restoreEntry),
    result: optional(
      objectWith<MergeLine['result'] & object>({ bucket: text(), planned: position, id: optional(text()) }),
    ),
  }),
  run: ({ store, input: { detached, ...request }, signal, holding }) =>
    merging(store, { ...request, ...(detached !== true && { signal }) }, { holding, signal }),
})

async function* merging(store: Store, request: MergeRequest, client: LongClient): AsyncGenerator<MergeLine> {
  const { entries, conflicts, refused, erased, ...result } = yield* withProgress(
    { ...client, isDry: request.dryRun === true },
    (onProgress: (now: WorkProgress) => void) => store.merge({ ...request, onProgress }),
  )
  for (const one of entries) yield { entry: one }
  for (const one of conflicts) yield { conflict: one }
  for (const one of refused) yield { refused: one }
  for (const one of erased) yield { erased: one }
  yield { result }
}
