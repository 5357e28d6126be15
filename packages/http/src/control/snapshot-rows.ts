/** Snapshots: named moments whose bytes stay. */
import { schema, type SnapshotInfo, type SnapshotOptions } from '@varve/core'
import { ofList } from './answer-holding.ts'
import { actor, asOf, isoDate, name, position } from './common-fields.ts'
import { linesRow, valueRow } from './control-row.ts'
import { jsonBody, nothing, query } from './input.ts'

const { boolean, object, objectWith, optional, text } = schema

const snapshotInfo = objectWith<SnapshotInfo>({
  name: text(),
  seq: position,
  bucket: optional(text()),
  createdAt: isoDate,
  createdBy: actor,
  complete: boolean,
})

/** A snapshot by its name. */
export interface OneSnapshot {
  readonly name: string
}

/** A new snapshot. */
export type NewSnapshot = OneSnapshot & SnapshotOptions

export const createSnapshot = valueRow<NewSnapshot, SnapshotInfo>({
  name: 'CreateSnapshot',
  summary: 'Names a state of the store, and keeps its bytes',
  method: 'POST',
  path: '/-/v1/snapshots',
  action: 'varve:CreateSnapshot',
  input: jsonBody(object<NewSnapshot>({ name, ...asOf, bucket: optional(name) })),
  output: snapshotInfo,
  run: ({ store, input: { name: given, ...options } }) => store.snapshots.create(given, options),
})

export const listSnapshots = linesRow<object, SnapshotInfo>({
  name: 'ListSnapshots',
  summary: 'The snapshots, in the order of their names',
  method: 'GET',
  path: '/-/v1/snapshots',
  action: 'varve:ListSnapshots',
  input: nothing,
  output: snapshotInfo,
  async *run({ store, holding }) {
    yield* ofList(holding, await store.snapshots.list())
  },
})

export const getSnapshot = valueRow<OneSnapshot, SnapshotInfo>({
  name: 'GetSnapshot',
  summary: 'The facts of a snapshot',
  method: 'GET',
  path: '/-/v1/snapshot',
  action: 'varve:ListSnapshots',
  input: query(object<OneSnapshot>({ name })),
  output: snapshotInfo,
  run: ({ store, input }) => store.snapshots.get(input.name),
})

export const deleteSnapshot = valueRow<OneSnapshot, object>({
  name: 'DeleteSnapshot',
  summary: 'Removes a snapshot; what it alone kept is erased by the retention that counts',
  method: 'DELETE',
  path: '/-/v1/snapshot',
  action: 'varve:DeleteSnapshot',
  input: query(object<OneSnapshot>({ name })),
  output: objectWith<object>({}),
  async run({ store, input }) {
    await store.snapshots.delete(input.name)
    return {}
  },
})
