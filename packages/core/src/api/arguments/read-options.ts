/** Checks the arguments of calls that read and list objects. */
import { boolean, integer, literal, number, text } from '../../schema/scalars.ts'
import { byField, type FieldsOf, object, optional } from '../../schema/structures.ts'
import type {
  AttributeOptions,
  Cancelable,
  GetOptions,
  HeadOptions,
  ObjectPageOptions,
  PrefixUsageOptions,
  ObjectPartPageOptions,
  PageOptions,
  PartPageOptions,
  RangeRequest,
  ReadsFacts,
  UploadPageOptions,
  VersionPageOptions,
} from '../types/index.ts'
import { customerKey, signal } from './common.ts'
import { readConditionFields } from './write-options.ts'

const place = integer({ min: 0 })

export const range = byField<RangeRequest>({
  suffix: object<{ readonly suffix: number }>({ suffix: place }),
  first: object<{ readonly first: number; readonly last?: number }>({ first: place, last: optional(place) }),
})

const factFields: FieldsOf<ReadsFacts> = { customerKey: optional(customerKey), needsKey: optional(boolean) }

const headFields: FieldsOf<HeadOptions> = {
  ...readConditionFields,
  ...factFields,
  ...signal,
  versionId: optional(text()),
  range: optional(range),
  partNumber: optional(number),
}

const getFields: FieldsOf<GetOptions> = {
  ...headFields,
  thrifty: optional(boolean),
  reuseBuffers: optional(boolean),
}

export const headOptions = object<HeadOptions>(headFields)
export const getOptions = object<GetOptions>(getFields)

const { versionId: _named, ...versionHeadFields } = headFields
const { versionId: _also, ...versionGetFields } = getFields

export const versionHeadOptions = object<Omit<HeadOptions, 'versionId'>>(versionHeadFields)
export const versionGetOptions = object<Omit<GetOptions, 'versionId'>>(versionGetFields)

export const attributeOptions = object<AttributeOptions>({
  ...factFields,
  ...signal,
  versionId: optional(text()),
  parts: optional(object<ObjectPartPageOptions>({ after: optional(place), limit: optional(number) })),
})

export const annotationsOptions = object<{ readonly versionId?: string } & Cancelable>({
  versionId: optional(text()),
  ...signal,
})

const pageFields: FieldsOf<PageOptions> = {
  prefix: optional(text()),
  delimiter: optional(text()),
  limit: optional(number),
  ...signal,
}

export const objectPageOptions = object<ObjectPageOptions>({ ...pageFields, after: optional(text()) })

/** The fields of the options of `prefixUsage`, but for the signal. */
export const prefixUsageFields: FieldsOf<Omit<PrefixUsageOptions, 'signal'>> = {
  prefix: optional(text()),
  delimiter: optional(text()),
  limit: optional(integer({ min: 1, max: 100_000 })),
  after: optional(text()),
}

export const prefixUsageOptions = object<PrefixUsageOptions>({ ...signal, ...prefixUsageFields })

export const versionPageOptions = object<VersionPageOptions>({
  ...pageFields,
  keyMarker: optional(text()),
  versionIdMarker: optional(text()),
  markers: optional(literal('exclusive', 'inclusive')),
})

export const uploadPageOptions = object<UploadPageOptions>({
  ...pageFields,
  keyMarker: optional(text()),
  uploadIdMarker: optional(text()),
})

export const partPageOptions = object<PartPageOptions>({
  after: optional(integer()),
  limit: optional(number),
  ...signal,
})
