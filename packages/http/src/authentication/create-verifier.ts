import { createSigningKeys } from '../sigv4/signing-keys.ts'
import { verifyRequest } from './verify-request.ts'
import type { Anonymous, KeyHolder, RequestToVerify, Verified, VerifyOptions } from '../sigv4/verification.ts'

/** `verifyRequest` for a server: options are given once, and the keys of returning clients are cached. */
export function createVerifier<T extends KeyHolder>(
  options: Omit<VerifyOptions<T>, 'now' | 'signingKeys'>,
): (request: RequestToVerify, now: number) => Verified<T> | Anonymous {
  // One object for all calls: verifying is synchronous and keeps nothing of it.
  const always = { now: 0, ...options, signingKeys: createSigningKeys() }
  return (request, now) => {
    always.now = now
    return verifyRequest(request, always)
  }
}
