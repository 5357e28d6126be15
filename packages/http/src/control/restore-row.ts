/** Restoring objects as they were. */
import { type RestoreEntry, type RestoreRequest, type RestoreResult, schema, type Store } from '@varve/core'
import { moment, name, position } from './common-fields.ts'
import { linesRow } from './control-row.ts'
import { aspects, diffedVersion } from './diff-row.ts'
import { jsonBody } from './input.ts'
import { type WorkProgress, workProgress } from './work-progress.ts'
import { withProgress } from './with-progress.ts'

const { array, boolean, literal, object, objectWith, optional, text } = schema

/** What is restored. */
export type RestoreInput = Omit<RestoreRequest, 'signal' | 'onProgress'>

/** One of these: the progress now and then, then each key, then the rest of the result. */
export interface RestoreLine {
  readonly progress?: WorkProgress
  readonly entry?: RestoreEntry
  readonly erased?: RestoreEntry
  readonly conflict?: RestoreEntry
  readonly result?: Pick<RestoreResult, 'to' | 'planned' | 'id'>
}

const entry = objectWith<RestoreEntry>({
  key: text(),
  action: literal('add', 'annotate', 'remove'),
  past: optional(diffedVersion),
  present: optional(diffedVersion),
  aspects,
})

export const restoreObjects = linesRow<RestoreInput, RestoreLine>({
  name: 'Restore',
  summary: 'Makes the objects of a bucket what they were at a moment',
  method: 'POST',
  path: '/-/v1/restore',
  action: 'varve:Restore',
  input: jsonBody(
    object<RestoreInput>({
      bucket: name,
      prefix: optional(name),
      keys: optional(array(text())),
      to: moment,
      dryRun: optional(boolean),
      onConflict: optional(literal('fail', 'skip')),
      strict: optional(boolean),
      inParts: optional(boolean),
    }),
  ),
  output: objectWith<RestoreLine>({
    progress: optional(workProgress),
    entry: optional(entry),
    erased: optional(entry),
    conflict: optional(entry),
    result: optional(
      objectWith<RestoreLine['result'] & object>({ to: position, planned: position, id: optional(text()) }),
    ),
  }),
  run: ({ store, input, signal }) => restoring(store, { ...input, signal }),
})

async function* restoring(store: Store, request: RestoreRequest): AsyncGenerator<RestoreLine> {
  const { entries, erased, conflicts, ...result } = yield* withProgress((onProgress: (now: WorkProgress) => void) =>
    store.restore({ ...request, onProgress }),
  )
  for (const one of entries) yield { entry: one }
  for (const one of erased) yield { erased: one }
  for (const one of conflicts) yield { conflict: one }
  yield { result }
}
