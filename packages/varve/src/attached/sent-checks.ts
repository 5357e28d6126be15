/** How the checksum of a write is sent to another process. */
import type { ChecksumRequest } from '@varve/core'

type SentChecksum =
  | { readonly checksum?: never }
  | { readonly checksum: Omit<ChecksumRequest, 'expected'> & { readonly expected?: string; readonly inTrailer?: true } }

/** The second value is called after the last byte. */
export function sentChecks(
  request: ChecksumRequest | undefined,
): readonly [SentChecksum, (() => string | undefined) | undefined] {
  if (request === undefined) return [{}, undefined]
  const { algorithm, expected } = request
  if (typeof expected === 'function') return [{ checksum: { algorithm, inTrailer: true } }, expected]
  return [{ checksum: { algorithm, ...(expected !== undefined && { expected }) } }, undefined]
}
