/** Restore, undo and merge: a plan first (`dryRun`), then the same request for good. */

import { schema } from '@varve/core'
import type { Connection } from '../transport/connection.ts'
import { controlLines } from './control.ts'

const { array, either, integer, literal, objectWith, optional, text } = schema

/** What clients see of a key afterwards. */
export type Effect = 'added' | 'removed' | 'changed' | 'unchanged'

export interface RestoreChange {
  readonly key: string
  readonly action: 'add' | 'annotate' | 'remove'
  /** The object that the key has before the change. */
  readonly present?: object
}

export interface UndoChange {
  readonly kind: 'key' | 'bucket' | 'setting'
  readonly bucket: string
  readonly key?: string
  readonly effect?: Effect
  readonly annotates?: readonly string[]
  readonly action?: string
  readonly setting?: string
}

export interface Conflict {
  readonly bucket?: string
  readonly key?: string
  readonly reason?: string
  readonly by?: { readonly name: string }
}

export type Change = RestoreChange | UndoChange

/** What a plan is for: the name of the operation, and its arguments. */
export interface PlannedCall {
  readonly operation: 'restore' | 'undo' | 'merge'
  readonly request: Readonly<Record<string, unknown>>
}

const change = either<Change>(
  'a change',
  objectWith<UndoChange>({
    kind: literal('key', 'bucket', 'setting'),
    bucket: text(),
    key: optional(text()),
    effect: optional(literal('added', 'removed', 'changed', 'unchanged')),
    annotates: optional(array(text())),
    action: optional(text()),
    setting: optional(text()),
  }),
  objectWith<RestoreChange>({
    key: text(),
    action: literal('add', 'annotate', 'remove'),
    present: optional(objectWith<object>({})),
  }),
)

const conflictShape = objectWith<Conflict>({
  bucket: optional(text()),
  key: optional(text()),
  reason: optional(text()),
  by: optional(objectWith<{ readonly name: string }>({ name: text() })),
})

/** A line of the answer of a planned call. */
export interface PlanLine {
  readonly entry?: Change
  readonly conflict?: Conflict
  readonly refused?: Conflict
  readonly erased?: object
  readonly progress?: { readonly done: number; readonly total: number }
  readonly result?: { readonly planned: number; readonly id?: string }
}

export const planLine = objectWith<PlanLine>({
  entry: optional(change),
  conflict: optional(conflictShape),
  refused: optional(conflictShape),
  erased: optional(objectWith<object>({})),
  progress: optional(objectWith<NonNullable<PlanLine['progress']>>({ done: integer(), total: integer() })),
  result: optional(objectWith<NonNullable<PlanLine['result']>>({ planned: integer(), id: optional(text()) })),
})

export interface Plan {
  /** The first changes, at most `shownMax`. */
  readonly changes: readonly Change[]
  readonly total: number
  readonly conflicts: readonly Conflict[]
  /** Objects whose old bytes are gone. */
  readonly erased: number
  /** The call that does what was planned: an undo chooses nothing that happened since. */
  readonly call: PlannedCall
}

const shownMax = 500

/** @throws ServerError, Unreachable, `AbortError` */
export async function loadPlan(connection: Connection, call: PlannedCall, signal: AbortSignal): Promise<Plan> {
  const json = { ...call.request, dryRun: true, onConflict: 'skip' }
  const changes: Change[] = []
  const conflicts: Conflict[] = []
  let [total, erased, planned] = [0, 0, 0]
  for await (const line of controlLines(connection, 'POST', call.operation, { json, shape: planLine, signal })) {
    const conflict = line.conflict ?? line.refused
    if (conflict !== undefined && conflicts.length < shownMax) conflicts.push(conflict)
    if (line.erased !== undefined) erased++
    planned = line.result?.planned ?? planned
    if (line.entry === undefined) continue
    total++
    if (changes.length < shownMax) changes.push(line.entry)
  }
  const isOpen = call.operation === 'undo' && call.request['to'] === undefined
  return { changes, total, conflicts, erased, call: isOpen ? upTo(call, planned) : call }
}

const upTo = (call: PlannedCall, to: number): PlannedCall => ({ ...call, request: { ...call.request, to } })
