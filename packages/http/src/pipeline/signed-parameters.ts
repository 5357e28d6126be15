/**
 * Query parameters that a V2 signature covers. Those that choose an operation come from the table of operations, so
 * added parameters cannot turn a signed URL into another operation. The holder of the URL may change all other
 * parameters, as in S3: they choose within the operation, and the identity's permissions apply to that choice.
 */

import { subresources } from '../operations/screen.ts'

/** Headers of the answer: they change how a browser treats an object. */
const overrides = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
]

export const signedParameters: ReadonlySet<string> = new Set([
  ...subresources,
  ...overrides.map((name) => `response-${name}`),
])
