import { createSigningKeys } from './signing-keys.ts'
import { verifyRequest } from './verify-request.ts'
import type { Anonymous, KeyHolder, RequestToVerify, Verified, VerifyOptions } from './verification.ts'

/** `verifyRequest` for a server: options are given once, and the keys of returning clients are remembered. */
export function createVerifier<T extends KeyHolder>(
  options: Omit<VerifyOptions<T>, 'now' | 'signingKeys'>,
): (request: RequestToVerify, now: number) => Verified<T> | Anonymous {
  const signingKeys = createSigningKeys()
  return (request, now) => verifyRequest(request, { ...options, now, signingKeys })
}
