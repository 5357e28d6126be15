import type { Seq } from '../ports/index.ts'

/** The whole store, in place of the incarnation of a bucket. */
export const wholeStore: Seq = 0
