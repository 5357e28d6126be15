/** How far long work has come. */
import { schema } from '@varve/core'

const { integer, objectWith } = schema

export interface WorkProgress {
  readonly done: number
  readonly total: number
}

export const workProgress = objectWith<WorkProgress>({ done: integer({ min: 0 }), total: integer({ min: 0 }) })
