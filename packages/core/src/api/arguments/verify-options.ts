import { journal } from '../../checked-ports/ports.ts'
import { object, optional } from '../../schema/structures.ts'
import type { VerifyOptions } from '../../verify/report.ts'
import { verifyFields } from './log-options.ts'

/** The schema of the options of `verify`. */
export const verifyOptions = object<VerifyOptions>({ ...verifyFields, scratch: optional(journal) })
