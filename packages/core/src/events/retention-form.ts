/** The binary form of the retention of removed bytes: disk format. */
import type { Codec } from '../codec/codec.ts'
import { count } from '../codec/scalars.ts'
import { fieldsOf, optional, struct } from '../codec/structures.ts'
import { type ByteRetention, type RetentionBudget, withLimit } from '../settings/byte-retention.ts'

const budget = struct<RetentionBudget>({ bytes: optional(count), percent: optional(count) })

export const retentionBudget: Codec<RetentionBudget> = {
  write(to, value) {
    withLimit(fieldsOf(value))
    budget.write(to, value)
  },
  read: (from) => budget.read(from),
}

export const byteRetentionForm = struct<ByteRetention>({ keepMs: count, budget: optional(retentionBudget) })
