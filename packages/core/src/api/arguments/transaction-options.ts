/** Checks the arguments of transactions. */
import { integer } from '../../schema/scalars.ts'
import { object, optional } from '../../schema/structures.ts'
import type { TransactionOptions } from '../types/index.ts'
import { signal } from './common.ts'

export const transactionOptions = object<TransactionOptions>({
  attempts: optional(integer({ min: 1, max: 1000 })),
  ...signal,
})
