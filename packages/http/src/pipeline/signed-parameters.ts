/**
 * Parameters that a V2 signature covers. Those that choose an operation come from the table of operations, so that no
 * signed URL can be turned into another operation by what is added to it. All others may be changed by the holder of the
 * URL, as in S3: they choose within the operation, and the identity's permissions hold for what they choose.
 */

import { subresources } from '../operations/screen.ts'

/** Of answers: these change what a browser makes of an object. */
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
  'select-type',
])
