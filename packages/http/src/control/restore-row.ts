/** Restoring objects as they were. */
import {
  type RestoredSetting,
  type RestoreEntry,
  type RestoreRequest,
  type RestoreResult,
  schema,
  type Store,
} from '@varve/core'
import { type Detachable, moment, name, parted, position } from './common-fields.ts'
import { linesRow } from './control-row.ts'
import { aspects, diffedVersion } from './diff-row.ts'
import { jsonBody } from './input.ts'
import { type WorkProgress, workProgress } from './work-progress.ts'
import { type LongClient, withProgress } from './with-progress.ts'

const { array, boolean, json, literal, object, objectWith, optional, text, word } = schema

/** What is restored. */
export type RestoreInput = Omit<RestoreRequest, 'signal' | 'onProgress'> & Detachable

/** One of these: the progress now and then, then each setting, each key, and the rest of the result. */
export interface RestoreLine {
  readonly progress?: WorkProgress
  readonly entry?: RestoreEntry
  readonly erased?: RestoreEntry
  readonly conflict?: RestoreEntry
  readonly setting?: RestoredSetting
  readonly settingLeft?: RestoredSetting['setting']
  readonly result?: Pick<RestoreResult, 'to' | 'planned' | 'id' | 'deletedBucket'>
}

export const restoreEntry = objectWith<RestoreEntry>({
  key: text(),
  action: literal('add', 'annotate', 'remove'),
  past: optional(diffedVersion),
  present: optional(diffedVersion),
  aspects,
})

const settingName = word<RestoredSetting['setting']>()

/** The values of a setting are those of `GET` of its kind; they are not checked again. */
const restoredSetting = objectWith<{ readonly setting: RestoredSetting['setting']; readonly value?: schema.Json }>({
  setting: settingName,
  value: optional(json),
}) as unknown as schema.Schema<RestoredSetting>

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
      settings: optional(boolean),
      deletedBucket: optional(boolean),
      dryRun: optional(boolean),
      onConflict: optional(literal('fail', 'skip')),
      strict: optional(boolean),
      ...parted,
    }),
  ),
  output: objectWith<RestoreLine>({
    progress: optional(workProgress),
    entry: optional(restoreEntry),
    erased: optional(restoreEntry),
    conflict: optional(restoreEntry),
    setting: optional(restoredSetting),
    settingLeft: optional(settingName),
    result: optional(
      objectWith<RestoreLine['result'] & object>({
        to: position,
        planned: position,
        id: optional(text()),
        deletedBucket: optional(position),
      }),
    ),
  }),
  run: ({ store, input: { detached, ...request }, signal, holding }) =>
    restoring(store, { ...request, ...(detached !== true && { signal }) }, { holding, signal }),
})

async function* restoring(store: Store, request: RestoreRequest, client: LongClient): AsyncGenerator<RestoreLine> {
  const { settings, settingsLeft, entries, erased, conflicts, ...result } = yield* withProgress(
    { ...client, isDry: request.dryRun === true },
    (onProgress: (now: WorkProgress) => void) => store.restore({ ...request, onProgress }),
  )
  for (const one of settings) yield { setting: one }
  for (const one of settingsLeft) yield { settingLeft: one }
  for (const one of entries) yield { entry: one }
  for (const one of erased) yield { erased: one }
  for (const one of conflicts) yield { conflict: one }
  yield { result }
}
