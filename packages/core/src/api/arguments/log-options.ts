/** Checks the arguments of calls about the log and about the whole store. */
import type { PromoteOptions } from '../types/promotion.ts'
import type { Seq, Tip } from '../../ports/index.ts'
import { listener } from '../../schema/listener.ts'
import { boolean, callable, implementing, integer, literal, number, text } from '../../schema/scalars.ts'
import { Mismatch, type Schema } from '../../schema/schema.ts'
import { type FieldsOf, object, optional } from '../../schema/structures.ts'
import type { ScrubOptions, ScrubPosition } from '../../scrub/scrub.ts'
import type { VerifyOptions } from '../../verify/report.ts'
import type { Authorisation } from '../../requests/authorisation.ts'
import type { Tracked } from '../../requests/read-scope.ts'
import type { StoreContext } from '../../requests/request-context.ts'
import type { OpenLogOptions } from '../../engine/open-log.ts'
import type { DensityOptions, LogOptions, LogPageOptions, LogSpan, NotificationOptions } from '../types/index.ts'
import { actor } from './actor.ts'
import { moment, name, signal } from './common.ts'
import { eventFilterFields, withFilter } from './event-filter-fields.ts'

/** Not copied, because the reads add rows to it. */
export const tracked: Schema<Tracked> = {
  read(value) {
    if (Array.isArray(value)) return value as Tracked
    throw Mismatch.wrongType('an array', value)
  },
  accepts: () => false,
}

export const storeContext = object<StoreContext>({
  by: actor,
  requestId: optional(text()),
  committed: optional(callable<(seq: Seq) => void>()),
  authorisation: optional(implementing<Authorisation>('an authorisation', ['readSet', 'renew'])),
})

const position = integer({ min: 0 })
/** Infinity means the end of the log, wherever it will be. */
const lastPosition: Schema<number> = {
  read: (value) => (value === Number.POSITIVE_INFINITY ? value : position.read(value)),
  accepts: (value) => position.accepts(value),
}

const spanFields: FieldsOf<LogSpan> = {
  from: optional(integer({ min: 1 })),
  to: optional(lastPosition),
  follow: optional(boolean),
  ...signal,
}

export const logOptions = withFilter(
  object<LogOptions>({ ...spanFields, ...eventFilterFields, since: optional(moment), until: optional(moment) }),
)

/** The fields of the options of `density`, but for the signal. */
export const densityFields: FieldsOf<Omit<DensityOptions, 'signal'>> = {
  ...eventFilterFields,
  since: optional(moment),
  until: optional(moment),
  steps: optional(integer({ min: 1, max: 1000 })),
  readsMax: optional(integer({ min: 1, max: 100_000 })),
}

export const densityOptions = withFilter(object<DensityOptions>({ ...signal, ...densityFields }))

/** The fields of the options of `logPage`, but for the signal. */
export const logPageFields: FieldsOf<Omit<LogPageOptions, 'signal'>> = {
  ...eventFilterFields,
  before: optional(integer({ min: 1 })),
  limit: optional(integer({ min: 1, max: 1000 })),
  readsMax: optional(integer({ min: 1, max: 100_000 })),
}

export const logPageOptions = withFilter(object<LogPageOptions>({ ...signal, ...logPageFields }))

export const notificationOptions = object<NotificationOptions>({
  ...spanFields,
  bucket: optional(name),
  onPassed: optional(listener()),
})

export const callback = callable<(...given: never[]) => unknown>()

export const openLogFields: FieldsOf<OpenLogOptions> = {
  ...signal,
  sealed: optional(boolean),
  replayedFrom: optional(integer({ min: 0 })),
  onProgress: optional(listener()),
}

export const openLogOptions = object<OpenLogOptions>(openLogFields)

const tip = object<Tip>({ seq: integer({ min: 0 }), hash: text() })

/** The fields of the options of `verify`, for options that extend them: without `scratch`, which is a port. */
export const verifyFields: FieldsOf<Omit<VerifyOptions, 'scratch'>> = {
  ...signal,
  blobs: optional(literal('read', 'present', 'skip')),
  views: optional(literal('compare', 'check', 'skip')),
  tip: optional(tip),
  onProgress: optional(listener()),
  onDivergence: optional(listener()),
}

/** The schema of the options of `scrub`. */
export const scrubOptions = object<ScrubOptions>({
  ...signal,
  bytesPerSecond: optional(number),
  from: optional(object<ScrubPosition>({ stage: literal('log', 'rows', 'bytes'), after: text() })),
  onProgress: optional(listener()),
  onDivergence: optional(listener()),
})

export const promoteOptions = object<PromoteOptions>({
  takeOver: optional(boolean),
  withoutReplica: optional(boolean),
})

export const sweepOptions = object<{ readonly orphans?: boolean }>({ orphans: optional(boolean) })
