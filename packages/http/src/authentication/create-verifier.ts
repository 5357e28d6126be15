import { createSigningKeys } from '../sigv4/signing-keys.ts'
import { verifyRequest } from './verify-request.ts'
import type { Anonymous, KeyHolder, RequestToVerify, Verified, VerifyOptions } from '../sigv4/verification.ts'

/** `verifyRequest` for a server: options are given once, and the keys of returning clients are cached. */
export function createVerifier<T extends KeyHolder>(
  options: Omit<VerifyOptions<T>, 'now' | 'signingKeys'>,
): (request: RequestToVerify, now: number) => Verified<T> | Anonymous {
  const always = { ...options, signingKeys: createSigningKeys() }
  // The spread comes last: V8 has a fast path for that.
  return (request, now) => verifyRequest(request, { now, ...always })
}
