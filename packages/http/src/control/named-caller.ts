/** `x-varve-caller`: the actor and the request id that root gives a request, as JSON, percent-encoded. */
import { type Actor, schema, StorageError } from '@varve/core'
import { parseJson } from '../json/parse-json.ts'
import { actor } from './common-fields.ts'

const { checked, object, optional, text } = schema

/** The header's name. */
export const callerHeader = 'x-varve-caller'

/** Who a request is logged as, in place of the identity that signed it. */
export interface NamedCaller {
  readonly by?: Actor
  readonly requestId?: string
}

const namedCaller = object<NamedCaller>({
  by: optional(actor),
  requestId: optional(text({ min: 1, max: 256 })),
})

/** @throws StorageError `InvalidArgument` */
export function parseNamedCaller(header: string): NamedCaller {
  let parsed: unknown
  try {
    parsed = parseJson(decodeURIComponent(header))
  } catch {
    throw new StorageError('InvalidArgument', `The header ${callerHeader} is not percent-encoded JSON.`)
  }
  return checked(callerHeader, namedCaller, parsed)
}

/** The value of the header. */
export const namedCallerText = (caller: NamedCaller): string => encodeURIComponent(JSON.stringify(caller))
