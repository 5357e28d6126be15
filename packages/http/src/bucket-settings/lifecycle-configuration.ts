/** Reads and writes lifecycle rules in S3's XML. The store checks the rules. */
import { randomUUID } from 'node:crypto'
import type { LifecycleConfiguration, LifecycleFilter, LifecycleRule, LifecycleTransition } from '@varve/core'
import { malformed } from '../xml/malformed.ts'
import { readLongXml } from '../xml/read.ts'
import { boolean, type Infer, list, object, oneOf, optional, text } from '../xml/schema.ts'
import { element, optionalElement } from '../xml/write.ts'
import type { Xml } from '../xml/write.ts'

const rulesMax = 1000
const bytesMax = 1024 * 1024

const tag = object({ Key: text({ max: 128 }), Value: text({ max: 256 }) })
const sizes = { ObjectSizeGreaterThan: optional(text()), ObjectSizeLessThan: optional(text()) }
const filter = object({
  Prefix: optional(text()),
  Tag: optional(tag),
  ...sizes,
  And: optional(object({ Prefix: optional(text()), Tag: list(tag, { max: 100 }), ...sizes })),
})
const storageClass = oneOf('GLACIER', 'STANDARD_IA', 'ONEZONE_IA', 'INTELLIGENT_TIERING', 'DEEP_ARCHIVE', 'GLACIER_IR')
const rule = object({
  ID: optional(text()),
  Status: oneOf('Enabled', 'Disabled'),
  Prefix: optional(text()),
  Filter: optional(filter),
  Expiration: optional(
    object({
      Days: optional(text()),
      Date: optional(text()),
      ExpiredObjectDeleteMarker: optional(boolean()),
    }),
  ),
  NoncurrentVersionExpiration: optional(
    object({ NoncurrentDays: optional(text()), NewerNoncurrentVersions: optional(text()) }),
  ),
  AbortIncompleteMultipartUpload: optional(object({ DaysAfterInitiation: text() })),
  Transition: list(object({ Days: optional(text()), Date: optional(text()), StorageClass: storageClass }), { max: 10 }),
  NoncurrentVersionTransition: list(
    object({ NoncurrentDays: text(), NewerNoncurrentVersions: optional(text()), StorageClass: storageClass }),
    { max: 10 },
  ),
})
const root = 'LifecycleConfiguration'
const schema = object({ Rule: list(rule, { min: 1, max: rulesMax }) })

type RuleBody = Infer<typeof rule>
type FilterBody = Infer<typeof filter>

/** Rules without an id get one. @throws MalformedXML, by rejecting */
export async function readLifecycleConfiguration(
  bytes: Uint8Array,
  holder?: string,
): Promise<Pick<LifecycleConfiguration, 'rules'>> {
  const { Rule: rules } = await readLongXml(bytes, root, schema, { bytesMax, holder })
  return { rules: rules.map(ruleOf) }
}

function ruleOf(body: RuleBody): LifecycleRule {
  const { filter: holds, filterForm } = filterOf(body)
  const actions = {
    ...expirationOf(body),
    ...noncurrentOf(body),
    ...(body.AbortIncompleteMultipartUpload && {
      abortUploadsAfterDays: whole(body.AbortIncompleteMultipartUpload.DaysAfterInitiation),
    }),
    ...transitionsOf(body),
  }
  if (Object.keys(actions).length === 0) throw malformed('a Rule has no action')
  return { id: body.ID || randomUUID(), status: body.Status, filter: holds, filterForm, ...actions }
}

function filterOf({ Prefix, Filter }: RuleBody): Pick<LifecycleRule, 'filter' | 'filterForm'> {
  if ((Prefix === undefined) === (Filter === undefined)) throw malformed('a Rule has either Filter or Prefix')
  if (Filter === undefined) return { filter: { prefix: Prefix ?? '' }, filterForm: 'prefix' }
  if (Object.keys(Filter).length > 1) throw malformed('a Filter has one element')
  const { And } = Filter
  if (And === undefined) return { filter: conditions(Filter, Filter.Tag ? [Filter.Tag] : []), filterForm: 'filter' }
  const { Tag, ...others } = And
  if (Tag.length + Object.keys(others).length < 2) throw malformed('an And has at least two conditions')
  return { filter: conditions(And, Tag), filterForm: 'and' }
}

function conditions(
  { Prefix, ObjectSizeGreaterThan: over, ObjectSizeLessThan: under }: Pick<FilterBody, 'Prefix' | keyof typeof sizes>,
  tags: readonly Infer<typeof tag>[],
): LifecycleFilter {
  return {
    ...(Prefix !== undefined && { prefix: Prefix }),
    ...(tags.length > 0 && { tags: tags.map(({ Key, Value }) => ({ key: Key, value: Value })) }),
    ...(over !== undefined && { sizeGreaterThan: whole(over) }),
    ...(under !== undefined && { sizeLessThan: whole(under) }),
  }
}

function expirationOf({ Expiration: body }: RuleBody): Pick<LifecycleRule, 'expiration'> {
  if (body === undefined) return {}
  if (Object.keys(body).length !== 1) throw malformed('an Expiration has one element')
  const { Days, Date: date, ExpiredObjectDeleteMarker: marker } = body
  if (Days !== undefined) return { expiration: { days: whole(Days) } }
  if (date !== undefined) return { expiration: { date: timeOf(date) } }
  return { expiration: { expiredObjectDeleteMarker: marker ?? false } }
}

function noncurrentOf({ NoncurrentVersionExpiration: body }: RuleBody): Pick<LifecycleRule, 'noncurrentExpiration'> {
  if (body === undefined) return {}
  if (body.NoncurrentDays === undefined) throw malformed('NoncurrentDays is missing')
  const newer = body.NewerNoncurrentVersions
  return {
    noncurrentExpiration: {
      days: whole(body.NoncurrentDays),
      ...(newer !== undefined && { newerVersions: whole(newer) }),
    },
  }
}

function transitionsOf(body: RuleBody): Pick<LifecycleRule, 'transitions' | 'noncurrentTransitions'> {
  const transitions = body.Transition.map(({ Days, Date: date, StorageClass }): LifecycleTransition => {
    if ((Days === undefined) === (date === undefined)) throw malformed('a Transition has either Days or Date')
    const when = date === undefined ? { days: whole(Days ?? '') } : { date: timeOf(date) }
    return { storageClass: StorageClass, ...when }
  })
  const noncurrent = body.NoncurrentVersionTransition.map(
    ({ NoncurrentDays, NewerNoncurrentVersions: newer, StorageClass }): LifecycleTransition => ({
      storageClass: StorageClass,
      days: whole(NoncurrentDays),
      ...(newer !== undefined && { newerVersions: whole(newer) }),
    }),
  )
  return {
    ...(transitions.length > 0 && { transitions }),
    ...(noncurrent.length > 0 && { noncurrentTransitions: noncurrent }),
  }
}

/** Accepts negative numbers too: the store refuses them with its own error. */
function whole(digits: string): number {
  if (/^-?\d{1,15}$/.test(digits)) return Number(digits)
  throw malformed('a number of days, versions or bytes is a whole number')
}

function timeOf(written: string): number {
  const time = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2})?)?$/.test(written) ? Date.parse(written) : Number.NaN
  if (Number.isNaN(time)) throw malformed('a Date is a time as ISO 8601 writes it')
  return time
}

export function* lifecycleElements({ rules }: LifecycleConfiguration): Generator<Xml> {
  for (const one of rules) {
    yield element('Rule', [
      ...expirationElements(one),
      element('ID', one.id),
      filterElement(one),
      element('Status', one.status),
      ...(one.transitions ?? []).map(transitionElement),
      ...(one.noncurrentTransitions ?? []).map(noncurrentTransitionElement),
      ...noncurrentElements(one),
      ...abortElements(one),
    ])
  }
}

function expirationElements({ expiration }: LifecycleRule): readonly Xml[] {
  if (expiration === undefined) return []
  if ('days' in expiration) return [element('Expiration', [element('Days', expiration.days)])]
  if ('date' in expiration) return [element('Expiration', [element('Date', isoTime(expiration.date))])]
  const { expiredObjectDeleteMarker } = expiration
  return [element('Expiration', [element('ExpiredObjectDeleteMarker', expiredObjectDeleteMarker)])]
}

function filterElement({ filter: holds, filterForm }: LifecycleRule): Xml {
  const elements = [
    optionalElement('Prefix', holds.prefix),
    ...(holds.tags ?? []).map(({ key, value }) => element('Tag', [element('Key', key), element('Value', value)])),
    optionalElement('ObjectSizeGreaterThan', holds.sizeGreaterThan),
    optionalElement('ObjectSizeLessThan', holds.sizeLessThan),
  ]
  if (filterForm === 'prefix') return element('Prefix', holds.prefix ?? '')
  return element('Filter', filterForm === 'and' ? [element('And', elements)] : elements)
}

const transitionElement = ({ storageClass: word, days, date }: LifecycleTransition): Xml =>
  element('Transition', [
    date === undefined ? element('Days', days ?? 0) : element('Date', isoTime(date)),
    element('StorageClass', word),
  ])

const noncurrentTransitionElement = ({ storageClass: word, days, newerVersions }: LifecycleTransition): Xml =>
  element('NoncurrentVersionTransition', [
    element('NoncurrentDays', days ?? 0),
    optionalElement('NewerNoncurrentVersions', newerVersions),
    element('StorageClass', word),
  ])

function noncurrentElements({ noncurrentExpiration: expiration }: LifecycleRule): readonly Xml[] {
  if (expiration === undefined) return []
  return [
    element('NoncurrentVersionExpiration', [
      element('NoncurrentDays', expiration.days),
      optionalElement('NewerNoncurrentVersions', expiration.newerVersions),
    ]),
  ]
}

const abortElements = ({ abortUploadsAfterDays: days }: LifecycleRule): readonly Xml[] =>
  days === undefined ? [] : [element('AbortIncompleteMultipartUpload', [element('DaysAfterInitiation', days)])]

const isoTime = (time: number): string => new Date(time).toISOString()
