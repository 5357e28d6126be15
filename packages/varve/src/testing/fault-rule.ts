/** What a test requests of a fault: which requests it meets, and what happens to them. */
import { types } from 'node:util'
import { schema } from '@varve/core'
import { errorTable, type ErrorRow, type HttpErrorCode, operations } from '@varve/http'

const { either, integer, literal, Mismatch, object, optional, tagged, text } = schema

/** The requests that a fault can meet. A request matches if it has all that is given. */
export interface FaultTarget {
  readonly method?: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** S3's name of the operation, such as `PutObject`. */
  readonly operation?: string
  readonly bucket?: string
  /** The key, or an expression that it must match. */
  readonly key?: string | RegExp
  /** Only this one of the requests that match: 1 is the next one. */
  readonly nth?: number
}

/**
 * What happens to a request.
 *
 * - `slow`: it waits this long before it is worked on.
 * - `error`: it is answered with this error of S3, with its status and an XML document, and has no effect.
 * - `status`: it is answered with this status and no document, as a proxy answers, and has no effect.
 * - `disconnect`: its connection ends. Without `afterBytes` it has no effect. With `afterBytes` it takes effect, and then
 *   at most this many bytes of the body of the answer are sent, never all of them; with 0, or for an answer without a
 *   body, not even its status.
 */
export type Fault =
  | { readonly kind: 'slow'; readonly ms: number }
  | { readonly kind: 'error'; readonly code: HttpErrorCode }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'disconnect'; readonly afterBytes?: number }

/** A fault, and the requests that meet it. */
export interface FaultRule {
  /** @default every request */
  readonly when?: FaultTarget
  readonly fault: Fault
  /** The number of requests that meet it. @default all, until it is removed */
  readonly times?: number
}

const timerMaxMs = 2 ** 31 - 1

/** Codes that clients can receive. */
const codes = Object.entries<ErrorRow>(errorTable)
  .filter(([code, { wireCode = code }]) => wireCode === code)
  .map(([code]) => code as HttpErrorCode)

type Of<K extends Fault['kind']> = Extract<Fault, { readonly kind: K }>

const fault = tagged<Fault, 'kind'>('kind', {
  slow: object<Of<'slow'>>({ kind: literal('slow'), ms: integer({ min: 0, max: timerMaxMs }) }),
  error: object<Of<'error'>>({ kind: literal('error'), code: literal(...codes) }),
  status: object<Of<'status'>>({ kind: literal('status'), status: integer({ min: 400, max: 599 }) }),
  disconnect: object<Of<'disconnect'>>({ kind: literal('disconnect'), afterBytes: optional(integer({ min: 0 })) }),
})

const target = object<FaultTarget>({
  method: optional(literal('GET', 'HEAD', 'PUT', 'POST', 'DELETE')),
  operation: optional(literal<string>(...operations.map(({ name }) => name))),
  bucket: optional(text({ min: 1 })),
  key: optional(either<string | RegExp>('a key, or a regular expression', text({ min: 1 }), expression())),
  nth: optional(integer({ min: 1 })),
})

export const faultRule = object<FaultRule>({
  when: optional(target),
  fault,
  times: optional(integer({ min: 1 })),
})

/** Copies the expression, of whichever realm it is. */
function expression(): schema.Schema<RegExp> {
  return {
    read(value) {
      if (!types.isRegExp(value)) throw Mismatch.wrongType('a regular expression', value)
      return new RegExp(value.source, value.flags)
    },
    accepts: () => false,
  }
}
