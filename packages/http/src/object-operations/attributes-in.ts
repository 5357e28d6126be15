/** The parameters of GetObjectAttributes, which are in headers. */

import { limits } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import type { RequestHeaders } from '../target/request-headers.ts'

const header = 'x-amz-object-attributes'
const limitHeader = 'x-amz-max-parts'
const afterHeader = 'x-amz-part-number-marker'
export const attributesHeaders = [header, limitHeader, afterHeader] as const

const attributes = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize'] as const

export type ObjectAttribute = (typeof attributes)[number]

export interface AttributesRequest {
  readonly wanted: ReadonlySet<ObjectAttribute>
  readonly parts: { readonly after: number; readonly limit: number }
}

/** @throws S3Error `InvalidRequest` without an attribute; `InvalidArgument` for an invalid attribute or number. */
export function readObjectAttributes(headers: RequestHeaders): AttributesRequest {
  const limit = wholeNumber(headers, limitHeader) ?? limits.pageMax
  return {
    wanted: wantedAttributes(headers.get(header) ?? ''),
    parts: { after: wholeNumber(headers, afterHeader) ?? 0, limit: Math.min(limit, limits.pageMax) },
  }
}

function wantedAttributes(text: string): ReadonlySet<ObjectAttribute> {
  if (text.trim() !== '') return new Set(text.split(',').map((name) => attribute(name.trim())))
  throw new S3Error(
    'InvalidRequest',
    'The x-amz-object-attributes header specifying the attributes to be retrieved is either missing or empty',
  )
}

function attribute(name: string): ObjectAttribute {
  const known = attributes.find((candidate) => candidate === name)
  if (known !== undefined) return known
  throw new S3Error('InvalidArgument', 'Invalid attribute name specified.', {
    details: { ArgumentName: header, ArgumentValue: name.slice(0, 256) },
  })
}

function wholeNumber(headers: RequestHeaders, name: string): number | undefined {
  const text = headers.single(name)
  if (text === undefined || text === '') return undefined
  if (/^[0-9]{1,9}$/.test(text)) return Number(text)
  throw new S3Error('InvalidArgument', `Argument ${name} must be an integer between 0 and 999999999`, {
    details: { ArgumentName: name, ArgumentValue: text.slice(0, 256) },
  })
}
