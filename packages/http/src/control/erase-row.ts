/** Erasing the bytes of chosen versions and uploads on purpose. */
import {
  callArguments,
  type EraseEntry,
  type EraseRequest,
  type EraseResult,
  type EraseUploadEntry,
  type EraseVersionEntry,
  type RefusedEraseEntry,
  schema,
  type Store,
} from '@varve/core'
import { name, position } from './common-fields.ts'
import { linesRow } from './control-row.ts'
import { jsonBody } from './input.ts'
import { type LongClient, withProgress } from './with-progress.ts'
import { type WorkProgress, workProgress } from './work-progress.ts'

const { array, boolean, either, integer, literal, object, objectWith, optional, tagged, text } = schema

/** What an erasure in another process can be given. */
export type EraseInput = Omit<EraseRequest, 'signal' | 'onProgress'>

const size = integer({ min: 0 })

const version: schema.FieldsOf<EraseVersionEntry> = {
  kind: literal('version'),
  key: text(),
  versionId: text(),
  seq: position,
  size,
  live: boolean,
}

const upload: schema.FieldsOf<EraseUploadEntry> = {
  kind: literal('upload'),
  key: text(),
  uploadId: text(),
  seq: position,
  parts: size,
  size,
  inProgress: boolean,
}

const refusal: schema.FieldsOf<Pick<RefusedEraseEntry, 'reason' | 'snapshots'>> = {
  reason: literal('live', 'snapshot', 'fork', 'copy', 'retention', 'legalHold', 'changed'),
  snapshots: optional(array(text())),
}

type RefusedAs<E extends EraseEntry> = E & Pick<RefusedEraseEntry, 'reason' | 'snapshots'>

/** One of these: the progress now and then, then each version and each upload, then the rest of the result. */
export interface EraseLine {
  readonly progress?: WorkProgress
  readonly entry?: EraseEntry
  readonly refused?: RefusedEraseEntry
  readonly result?: Omit<EraseResult, 'entries' | 'refused'>
}

export const eraseVersions = linesRow<EraseInput, EraseLine>({
  name: 'EraseVersions',
  summary: 'Erases the bytes of chosen removed versions and of uploads, whatever the retention says',
  method: 'POST',
  path: '/-/v1/erase',
  action: 'varve:Erase',
  // A receipt has whole events.
  alsoNeeds: ({ receipt = false }) => (receipt ? ['varve:ReadLog'] : []),
  input: jsonBody(
    object<EraseInput>({
      bucket: name,
      key: optional(name),
      prefix: optional(name),
      versions: optional(array(either<string | number>('a version id or a position', text(), position))),
      live: optional(boolean),
      uploads: optional(callArguments.erasedUploads),
      dryRun: optional(boolean),
      receipt: optional(boolean),
    }),
  ),
  output: objectWith<EraseLine>({
    progress: optional(workProgress),
    entry: optional(
      tagged<EraseEntry, 'kind'>('kind', {
        version: objectWith<EraseVersionEntry>(version),
        upload: objectWith<EraseUploadEntry>(upload),
      }),
    ),
    refused: optional(
      tagged<RefusedEraseEntry, 'kind'>('kind', {
        version: objectWith<RefusedAs<EraseVersionEntry>>({ ...version, ...refusal }),
        upload: objectWith<RefusedAs<EraseUploadEntry>>({ ...upload, ...refusal }),
      }),
    ),
    result: optional(
      objectWith<EraseLine['result'] & object>({
        erasedBefore: size,
        pending: size,
        replicas: optional(array(text())),
        requests: array(position),
        receipt: optional(text()),
      }),
    ),
  }),
  run: ({ store, input, signal, holding }) => erasing(store, { ...input, signal }, { holding, signal }),
})

async function* erasing(store: Store, request: EraseRequest, client: LongClient): AsyncGenerator<EraseLine> {
  const { entries, refused, ...result } = yield* withProgress(
    { ...client, isDry: request.dryRun === true },
    (onProgress: (now: WorkProgress) => void) => store.erase({ ...request, onProgress }),
  )
  for (const one of entries) yield { entry: one }
  for (const one of refused) yield { refused: one }
  yield { result }
}
