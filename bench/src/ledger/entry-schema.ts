/** The form of an entry in a file. A field of an entry that has no schema here does not compile. */
import { schema } from '@varve/core'
import type { Spread } from '../basics/statistics.ts'
import { contenderKinds } from '../plan/plan.ts'
import type { Machine } from '../results/results.ts'
import { workloadSchema } from '../workloads/workload-schema.ts'
import {
  entryForm,
  type LedgerContender,
  type LedgerEntry,
  type LedgerFigures,
  type LedgerWorkload,
} from './ledger-entry.ts'

const { array, boolean, integer, literal, Mismatch, object, optional, text } = schema

/** JSON can express numbers that are too large, and reads them as infinite. */
const amount: schema.Schema<number> = {
  read(value) {
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
    throw Mismatch.wrongType('a number from 0', value)
  },
  accepts: (value) => typeof value === 'number',
}

const textLike = (pattern: RegExp, what: string): schema.Schema<string> => ({
  read(value) {
    if (typeof value === 'string' && pattern.test(value)) return value
    throw new Mismatch(`must be ${what}`)
  },
  accepts: (value) => typeof value === 'string',
})

export const labelPattern = /^[a-z\d][a-z\d-]{0,31}$/
export const labelRule = 'up to 32 lower-case letters, digits and hyphens'
export const noteMax = 1000
export const commitPattern = /^[\da-f]{7,40}$/

const nameText = text({ min: 1, max: 256 })
const spread = object<Spread>({ median: amount, min: amount, max: amount })

const figures = object<LedgerFigures>({
  cpuMicros: spread,
  rate: spread,
  generatorCpu: optional(spread),
  serverCpu: optional(spread),
})

const contender = object<LedgerContender>({
  kind: literal(...contenderKinds),
  name: nameText,
  figures,
  ofFloor: optional(object<NonNullable<LedgerContender['ofFloor']>>({ cpuMicros: spread, rate: spread })),
})

const machine = object<Machine>({
  platform: nameText,
  processors: integer({ min: 1 }),
  model: nameText,
  memory: amount,
  fileSystem: optional(nameText),
})

export const entrySchema = object<LedgerEntry>({
  form: literal(entryForm),
  label: textLike(labelPattern, labelRule),
  note: optional(text({ max: noteMax })),
  commit: optional(textLike(commitPattern, 'the hexadecimal id of a commit')),
  date: textLike(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/, 'a date in ISO 8601'),
  varve: textLike(/^\d+\.\d+\.\d+([-+][\w.+-]*)?$/, 'a version'),
  node: nameText,
  machine,
  options: object<LedgerEntry['options']>({ rounds: integer(), scale: amount, seed: amount, smoke: boolean }),
  workloads: array(object<LedgerWorkload>({ workload: workloadSchema, contenders: array(contender) })),
})
