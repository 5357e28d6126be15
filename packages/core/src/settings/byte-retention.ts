/** How long the bytes of removed versions stay, so that the past can be read. Not the retention of Object Lock. */
import { integer } from '../schema/scalars.ts'
import { Mismatch, type Schema } from '../schema/schema.ts'
import { type FieldsOf, object, optional } from '../schema/structures.ts'

/** The room that kept bytes may take: one limit or two, of which the smaller one counts. */
export interface RetentionBudget {
  /** Bytes. */
  readonly bytes?: number
  /** A share of the medium, 1 to 100. It has no effect on a medium of unknown size. */
  readonly percent?: number
}

/** How long the bytes of removed versions and unused parts stay. */
export interface ByteRetention {
  /** Milliseconds since the removal. 0: they are erased at once. */
  readonly keepMs: number
  /**
   * Above it, the bytes that were removed first are erased before their time. Only for the whole store. Absent: no
   * limit.
   */
  readonly budget?: RetentionBudget
}

const dayMs = 24 * 3_600_000

/**
 * The retention of new stores in a directory: 30 days within a tenth of the medium. The time is that of a mistake that a
 * monthly look finds. A tenth leaves a medium that is nine tenths full for its live data with room to write.
 */
export const defaultRetention: ByteRetention = { keepMs: 30 * dayMs, budget: { percent: 10 } }

/** The fields of a budget, for shapes that contain one. */
export const retentionBudgetFields: FieldsOf<RetentionBudget> = {
  bytes: optional(integer({ min: 0 })),
  percent: optional(integer({ min: 1, max: 100 })),
}

const budgetFields = object<RetentionBudget>(retentionBudgetFields)

export const retentionBudget: Schema<RetentionBudget> = {
  read: (value) => withLimit(budgetFields.read(value)),
  accepts: (value) => budgetFields.accepts(value),
}

/** @throws Mismatch for a budget without a limit */
export function withLimit<B extends { readonly [K in keyof RetentionBudget]?: unknown }>(budget: B): B {
  if (budget.bytes === undefined && budget.percent === undefined) throw new Mismatch('needs bytes or percent')
  return budget
}

export const byteRetention = object<ByteRetention>({
  keepMs: integer({ min: 0 }),
  budget: optional(retentionBudget),
})

/** What counts while all of these do, the newest first: the longest time, and the oldest budget. */
export function longestOf(all: readonly ByteRetention[]): ByteRetention {
  const budget = all.at(-1)?.budget
  return { keepMs: Math.max(...all.map(({ keepMs }) => keepMs)), ...(budget && { budget }) }
}

/** Whether both say the same. */
export const isSameRetention = (one: ByteRetention, other: ByteRetention): boolean =>
  one.keepMs === other.keepMs && isSameBudget(one.budget, other.budget)

export const isSameBudget = (one: RetentionBudget = {}, other: RetentionBudget = {}): boolean =>
  one.bytes === other.bytes && one.percent === other.percent
