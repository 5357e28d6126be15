/** Erasing the bytes of chosen versions on purpose. */
import { type EraseEntry, type EraseRequest, type EraseResult, type RefusedEraseEntry, schema } from '@varve/core'
import { name, position } from './common-fields.ts'
import { valueRow } from './control-row.ts'
import { jsonBody } from './input.ts'

const { array, boolean, either, integer, literal, object, objectWith, optional, text } = schema

/** What an erasure in another process can be given. */
export type EraseInput = Omit<EraseRequest, 'signal' | 'onProgress'>

const size = integer({ min: 0 })

const entry: schema.FieldsOf<EraseEntry> = {
  key: text(),
  versionId: text(),
  seq: position,
  size,
  live: boolean,
}

export const eraseVersions = valueRow<EraseInput, EraseResult>({
  name: 'EraseVersions',
  summary: 'Erases the bytes of chosen removed versions, whatever the retention says',
  method: 'POST',
  path: '/-/v1/erase',
  action: 'varve:Erase',
  input: jsonBody(
    object<EraseInput>({
      bucket: name,
      key: optional(name),
      prefix: optional(name),
      versions: optional(array(either<string | number>('a version id or a position', text(), position))),
      live: optional(boolean),
      dryRun: optional(boolean),
    }),
  ),
  output: objectWith<EraseResult>({
    entries: array(objectWith<EraseEntry>(entry)),
    refused: array(
      objectWith<RefusedEraseEntry>({
        ...entry,
        reason: literal('live', 'snapshot', 'fork', 'copy', 'retention', 'legalHold', 'changed'),
        snapshots: optional(array(text())),
      }),
    ),
    erasedBefore: size,
    pending: size,
  }),
  run: ({ store, input, signal }) => store.erase({ ...input, signal }),
})
