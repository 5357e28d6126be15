/** Undoing chosen events. */
import {
  type EventType,
  schema,
  type Store,
  type UndoConflict,
  type UndoEntry,
  type UndoRequest,
  type UndoResult,
} from '@varve/core'
import { type Detachable, actor, isoDate, moment, name, parted, position } from './common-fields.ts'
import { linesRow } from './control-row.ts'
import { jsonBody } from './input.ts'
import { type WorkProgress, workProgress } from './work-progress.ts'
import { type LongClient, withProgress } from './with-progress.ts'

const { array, boolean, either, integer, json, literal, object, objectWith, optional, text, word } = schema

/** Which events are undone. */
export type UndoInput = Omit<UndoRequest, 'signal' | 'onProgress'> & Detachable

type Erased = UndoResult['erased'][number]
type Left = UndoResult['left'][number]

/** One of these: the progress now and then, then what was changed and what was not, then the rest of the result. */
export interface UndoLine {
  readonly progress?: WorkProgress
  readonly entry?: UndoEntry
  readonly conflict?: UndoConflict
  readonly erased?: Erased
  readonly left?: Left
  readonly result?: Pick<UndoResult, 'events' | 'planned' | 'id'>
}

type Entry<K extends UndoEntry['kind']> = Extract<UndoEntry, { readonly kind: K }>

const entry = either<UndoEntry>(
  'a change',
  objectWith<Entry<'key'>>({
    kind: literal('key'),
    bucket: text(),
    key: text(),
    effect: literal('added', 'removed', 'changed', 'unchanged'),
    removes: array(text()),
    restores: array(text()),
    annotates: array(literal('tags', 'acl', 'retention', 'legalHold')),
  }),
  objectWith<Entry<'bucket'>>({ kind: literal('bucket'), bucket: text(), action: literal('restore', 'delete') }),
  // The values of a setting are those of `GET` of its kind; they are not checked again.
  objectWith<{
    readonly kind: 'setting'
    readonly bucket: string
    readonly setting: string
    readonly value?: schema.Json
  }>({
    kind: literal('setting'),
    bucket: text(),
    setting: text(),
    value: optional(json),
  }) as unknown as schema.Schema<Entry<'setting'>>,
)

const conflict = objectWith<UndoConflict>({
  bucket: text(),
  key: optional(text()),
  setting: optional(word<NonNullable<UndoConflict['setting']>>()),
  reason: literal('changed', 'locked', 'bucket', 'refused'),
  seq: optional(position),
  at: optional(isoDate),
  by: optional(actor),
})

/** The ids of the requests of a large deletion are many. */
const undoBytesMax = 1024 * 1024

export const undoEvents = linesRow<UndoInput, UndoLine>({
  name: 'Undo',
  summary: 'Takes back what chosen events changed',
  method: 'POST',
  path: '/-/v1/undo',
  action: 'varve:Undo',
  input: jsonBody(
    object<UndoInput>({
      by: optional(text()),
      requestId: optional(text()),
      requestIds: optional(array(text())),
      bucket: optional(name),
      prefix: optional(name),
      // The store refuses types that it does not have.
      types: optional(array(word<EventType>())),
      from: optional(moment),
      to: optional(moment),
      dryRun: optional(boolean),
      onConflict: optional(literal('fail', 'skip', 'force')),
      ...parted,
    }),
    undoBytesMax,
  ),
  output: objectWith<UndoLine>({
    progress: optional(workProgress),
    entry: optional(entry),
    conflict: optional(conflict),
    erased: optional(objectWith<Erased>({ bucket: text(), key: text(), versionIds: array(text()) })),
    left: optional(objectWith<Left>({ type: word<EventType>(), events: integer({ min: 1 }) })),
    result: optional(
      objectWith<UndoLine['result'] & object>({
        events: integer({ min: 0 }),
        planned: position,
        id: optional(text()),
      }),
    ),
  }),
  run: ({ store, input: { detached, ...request }, signal, holding }) =>
    undoing(store, { ...request, ...(detached !== true && { signal }) }, { holding, signal }),
})

async function* undoing(store: Store, request: UndoRequest, client: LongClient): AsyncGenerator<UndoLine> {
  const { entries, conflicts, erased, left, ...result } = yield* withProgress(
    { ...client, isDry: request.dryRun === true },
    (onProgress: (now: WorkProgress) => void) => store.undo({ ...request, onProgress }),
  )
  for (const one of entries) yield { entry: one }
  for (const one of conflicts) yield { conflict: one }
  for (const one of erased) yield { erased: one }
  for (const one of left) yield { left: one }
  yield { result }
}
