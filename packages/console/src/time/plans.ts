/** Restore, undo and merge: a plan first (`dryRun`), then the same request for good. */

import { schema } from '@varve/core'
import { controlLines } from '../control/control.ts'
import type { Connection } from '../transport/connection.ts'

const { array, either, integer, literal, objectWith, optional, text } = schema

export interface RestoreChange {
  readonly key: string
  readonly action: 'add' | 'annotate' | 'remove'
}

export interface UndoChange {
  readonly kind: 'key' | 'bucket' | 'setting'
  readonly bucket: string
  readonly key?: string
  readonly action?: string
  readonly setting?: string
  readonly removes?: readonly string[]
  readonly restores?: readonly string[]
}

export interface Conflict {
  readonly bucket?: string
  readonly key?: string
  readonly reason?: string
  readonly by?: { readonly name: string }
}

export type Change = RestoreChange | UndoChange

export interface Plan {
  /** The first changes, at most `shownMax`. */
  readonly changes: readonly Change[]
  readonly total: number
  readonly conflicts: readonly Conflict[]
  /** Objects whose old bytes are gone. */
  readonly erased: number
}

/** What a plan is for: the name of the operation, and its arguments. */
export interface PlannedCall {
  readonly operation: 'restore' | 'undo' | 'merge'
  readonly request: Readonly<Record<string, unknown>>
}

const shownMax = 500

const change = either<Change>(
  'a change',
  objectWith<UndoChange>({
    kind: literal('key', 'bucket', 'setting'),
    bucket: text(),
    key: optional(text()),
    action: optional(text()),
    setting: optional(text()),
    removes: optional(array(text())),
    restores: optional(array(text())),
  }),
  objectWith<RestoreChange>({ key: text(), action: literal('add', 'annotate', 'remove') }),
)

const conflictShape = objectWith<Conflict>({
  bucket: optional(text()),
  key: optional(text()),
  reason: optional(text()),
  by: optional(objectWith<{ readonly name: string }>({ name: text() })),
})

interface PlanLine {
  readonly entry?: Change
  readonly conflict?: Conflict
  readonly refused?: Conflict
  readonly erased?: object
  readonly progress?: { readonly done?: number; readonly total?: number }
}

const planLine = objectWith<PlanLine>({
  entry: optional(change),
  conflict: optional(conflictShape),
  refused: optional(conflictShape),
  erased: optional(objectWith<object>({})),
  progress: optional(
    objectWith<NonNullable<PlanLine['progress']>>({ done: optional(integer()), total: optional(integer()) }),
  ),
})

/** @throws ServerError `UndoConflict`, `RestoreConflict`… where the request does not skip conflicts */
export async function loadPlan(connection: Connection, call: PlannedCall, signal: AbortSignal): Promise<Plan> {
  const json = { ...call.request, dryRun: true, onConflict: 'skip' }
  const changes: Change[] = []
  const conflicts: Conflict[] = []
  let [total, erased] = [0, 0]
  for await (const line of controlLines(connection, 'POST', call.operation, { json, shape: planLine, signal })) {
    const conflict = line.conflict ?? line.refused
    if (conflict !== undefined && conflicts.length < shownMax) conflicts.push(conflict)
    if (line.erased !== undefined) erased++
    if (line.entry === undefined) continue
    total++
    if (changes.length < shownMax) changes.push(line.entry)
  }
  return { changes, total, conflicts, erased }
}

/** Does what was planned, in parts, and returns the number of changes. */
export async function carryOut(
  connection: Connection,
  call: PlannedCall,
  onProgress: (done: number) => void,
): Promise<number> {
  const json = { ...call.request, onConflict: 'skip', inParts: true }
  let total = 0
  for await (const line of controlLines(connection, 'POST', call.operation, { json, shape: planLine })) {
    if (line.progress?.done !== undefined) onProgress(line.progress.done)
    if (line.entry !== undefined) total++
  }
  return total
}

/** One change in words. */
export function changeText(one: Change): string {
  if (!('kind' in one)) return { add: 'bring back', annotate: 'tags or locks', remove: 'remove' }[one.action]
  if (one.kind === 'setting') return `setting ${one.setting ?? ''}`
  if (one.kind === 'bucket') return `bucket: ${one.action ?? ''}`
  return (one.restores?.length ?? 0) > 0 ? 'bring back' : 'take back'
}
