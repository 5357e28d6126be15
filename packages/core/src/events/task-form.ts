/** The binary form of what the log says of a task: disk format. */
import { count, document, hex, text, word } from '../codec/scalars.ts'
import { type FormOf, optional } from '../codec/structures.ts'
import type { Cause } from './cause.ts'
import type { TaskStarted } from './task-events.ts'

export const causeKind = word<Cause['kind']>('restore', 'undo', 'merge')

export const taskFields: FormOf<TaskStarted> = {
  id: hex,
  kind: causeKind,
  request: document,
  planned: count,
  keeps: count,
  total: count,
  done: count,
  after: optional(text),
}
