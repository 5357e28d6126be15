/** Who is signed in. The key is in this module's memory alone, so a reload forgets it. */

import { computed, signal } from '@preact/signals'
import { listBuckets } from '../s3/buckets.ts'
import type { Credentials } from '../signing/sign.ts'
import { Connection } from '../transport/connection.ts'
import { endpointOf } from '../transport/endpoint.ts'
import { hasCode, isCredentialFailure } from '../transport/failures.ts'
import { noteReachability } from '../transport/reachability.ts'

const current = signal<Connection | undefined>(undefined)

/** The connection of the person who is signed in. */
export const session = computed(() => current.value)

/** True if the server refused a key that had worked before. */
export const isKeyRefused = signal(false)

/**
 * Signs in if the server knows the key. A key without permission to list buckets is good, too.
 * @throws ServerError, Unreachable
 */
export async function signIn(credentials: Credentials): Promise<void> {
  const endpoint = endpointOf(location)
  let isKnown = false
  const onOutcome = (error: unknown): void => {
    noteReachability(endpoint, error)
    if (isKnown && isCredentialFailure(error)) isKeyRefused.value = true
  }
  const connection = new Connection({ endpoint, credentials, onOutcome })
  try {
    await listBuckets(connection)
  } catch (error) {
    if (!hasCode(error, 'AccessDenied')) throw error
  }
  isKnown = true
  isKeyRefused.value = false
  current.value = connection
}

export function signOut(): void {
  isKeyRefused.value = false
  current.value = undefined
}
